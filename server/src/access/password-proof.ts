import type { Call } from '@vidette/contract/call';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Sessions } from '../store/sessions.ts';
import type { Authenticator } from './authenticator.ts';
import type { PasswordHasher } from './password-hash.ts';
import type { Principal } from './principal.ts';
import { SharedAttempts, type AttemptCounts } from './shared-attempts.ts';

/** How long an entered password remains valid as proof, in the session in which it was entered. */
export const proofMs = 10 * 60_000;

export interface PasswordProofOptions {
  readonly sessions: Sessions;
  readonly authenticator: Pick<Authenticator, 'forget'>;
  readonly passwords: PasswordHasher;
  readonly failures: AttemptCounts;
  readonly clock: Clock;
}

/**
 * Proof that the caller knows the account's password, required where a leaked cookie or token would otherwise
 * be enough to take over the account: its login, e-mail, password and tokens, administrators' power over these,
 * and the rights it grants to others. Signing in is proof; so is entering the password again, in a separate
 * call or in the call itself.
 */
export class PasswordProof {
  readonly #options: PasswordProofOptions;
  /**
   * Attempts are counted per credential: a thief who guesses with a stolen cookie does not keep the owner
   * from confirming.
   */
  readonly #tries: SharedAttempts;

  constructor(options: PasswordProofOptions) {
    this.#options = options;
    const rule = { max: 10, windowMs: 15 * 60_000 };
    this.#tries = new SharedAttempts(options.failures, options.clock, 'confirm', rule);
  }

  /** The proof that the call declares as `proof`. @throws Fault Forbidden for a token, PasswordRequired */
  requireFor(call: Call, principal: Principal): void {
    if (call.proof === undefined) return;
    if (call.proof === 'rights') {
      this.requireForRights(principal);
      return;
    }
    requireSession(principal);
    if (call.proof === 'password') this.requireLately(principal);
  }

  /**
   * For changes of users' rights, short of making an administrator. @throws Fault PasswordRequired in a session
   */
  requireForRights(principal: Principal): void {
    if (principal.by.kind === 'session') this.requireLately(principal);
  }

  /** @throws Fault Forbidden for a token, PasswordRequired */
  requireLately(principal: Principal): void {
    requireSession(principal);
    if (!this.#isFresh(principal))
      throw new Fault('PasswordRequired', 'The password was not entered lately.');
  }

  /**
   * Proof that may be sent with the call; with a token it must be.
   * @throws Fault Forbidden, PasswordRequired, InvalidOldPassword at `oldPassword`, TooManyRequests
   */
  async requireHereOrLately(principal: Principal, typed: string | undefined): Promise<void> {
    if (typed === undefined) this.requireLately(principal);
    else await this.verify(principal, typed, 'oldPassword');
  }

  /** Verifies an entered password. @throws Fault InvalidOldPassword at the given member, TooManyRequests */
  async verify(principal: Principal, typed: string, path: string): Promise<void> {
    const { passwords, sessions, authenticator, clock } = this.#options;
    const { user, by } = principal;
    const key = `${by.kind} ${by.id}`;
    // Counted before the slow check, so that many simultaneous guesses don't all pass the limit.
    await this.#tries.take(key);
    if (!(await passwords.verify(typed, user.passwordHash))) {
      throw new Fault('InvalidOldPassword', 'The password is wrong.', {
        details: { fields: [{ path, code: 'InvalidOldPassword' }] },
      });
    }
    await this.#tries.clear(key);
    if (by.kind !== 'session') return;
    await sessions.noteProof(by.id, clock.wallMs());
    authenticator.forget(user.id);
  }

  #isFresh({ by }: Principal): boolean {
    if (by.kind !== 'session') return false;
    const ageMs = this.#options.clock.wallMs() - by.provedMs;
    return ageMs >= 0 && ageMs < proofMs;
  }
}

/** @throws Fault Forbidden for a token */
export function requireSession({ by }: Principal): void {
  if (by.kind !== 'session') throw new Fault('Forbidden', 'An API token can’t do this: sign in.');
}
