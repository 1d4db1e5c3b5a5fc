import type { z } from 'zod';
import type { Calls } from '@vidette/contract/calls';
import type { Token } from '@vidette/contract/entities';
import type { Authenticator } from '../access/authenticator.ts';
import { requireSession } from '../access/password-proof.ts';
import type { Principal } from '../access/principal.ts';
import { hashSecret, newSecret } from '../access/secrets.ts';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Store } from '../store/store.ts';
import type { AuditNote } from '../system/audit-event.ts';
import { tokenView } from './user-view.ts';

type TokenToAdd = z.output<Calls['addToken']['body']>;

const maxTokens = 100;

export interface TokenServiceOptions {
  readonly store: Pick<Store, 'tokens'>;
  readonly authenticator: Pick<Authenticator, 'forget'>;
  readonly clock: Clock;
}

/** The API tokens of the caller. */
export class TokenService {
  readonly #options: TokenServiceOptions;

  constructor(options: TokenServiceOptions) {
    this.#options = options;
  }

  async list({ user }: Principal): Promise<Token[]> {
    return (await this.#options.store.tokens.ofUser(user.id)).map(tokenView);
  }

  /**
   * Creates a token. Its secret is shown only this once. @throws Fault ValidationError at `expireTime`,
   * QuotaReached
   */
  async add({ user }: Principal, body: TokenToAdd, note: AuditNote): Promise<Token & { secret: string }> {
    const { store, clock } = this.#options;
    const nowMs = clock.wallMs();
    if (body.expireTime !== null && body.expireTime <= nowMs) {
      throw new Fault('ValidationError', 'The token would already be expired.', {
        details: { fields: [{ path: 'expireTime', code: 'too_small' }] },
      });
    }
    if ((await store.tokens.ofUser(user.id)).length >= maxTokens) {
      throw new Fault('QuotaReached', 'The user has too many tokens.');
    }
    const secret = newSecret();
    const token = await store.tokens.add({
      userId: user.id,
      name: body.name,
      secretHash: hashSecret(secret),
      createdMs: nowMs,
      expiresMs: body.expireTime,
      lastUsedMs: null,
    });
    note.target = String(token.id);
    note.targetName = token.name;
    return { ...tokenView(token), secret };
  }

  /** A token may delete itself; deleting any other requires a session. @throws Fault Forbidden, NotFound */
  async remove(principal: Principal, id: number, note: AuditNote): Promise<void> {
    const { store, authenticator } = this.#options;
    const { by, user } = principal;
    if (by.kind !== 'token' || by.id !== id) requireSession(principal);
    note.targetName = (await store.tokens.ofUser(user.id)).find((token) => token.id === id)?.name ?? null;
    const isRemoved = await store.tokens.remove(user.id, id);
    if (!isRemoved) throw new Fault('NotFound', 'There is no such token.');
    authenticator.forget(user.id);
  }
}
