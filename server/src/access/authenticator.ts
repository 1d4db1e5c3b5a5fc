import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Sessions } from '../store/sessions.ts';
import type { Tokens } from '../store/tokens.ts';
import type { UserRecord, Users } from '../store/users.ts';
import { principalOf, type Principal } from './principal.ts';
import { hashSecret, newPublicId, newSecret } from './secrets.ts';

export interface AuthenticatorOptions {
  readonly users: Users;
  readonly sessions: Sessions;
  readonly tokens: Tokens;
  readonly clock: Clock;
  readonly log: Log;
  /** A session expires after this long without use. */
  readonly sessionMs: number;
}

/**
 * Users whose access has just ended or changed; undefined: possibly every user's. Their long-lived responses
 * are authorised again.
 */
export type AccessListener = (change: { readonly userId: number | undefined }) => void;

/**
 * How long a lookup is cached. What this process ends is dropped immediately; what another process ends, as
 * soon as the access feed reports it (`access-feed.ts`). Pages poll once a second: a lookup each time would
 * account for most of a poll's cost.
 */
const rememberMs = 5_000;
/** How often the time of last use is written. */
const touchMs = 60_000;
const maxRemembered = 10_000;

interface Remembered {
  readonly principal: Principal;
  /** On the monotonic clock. */
  readonly untilMs: number;
}

/** Identifies callers by the secret they present, and ends sessions and tokens with immediate effect. */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  readonly #remembered = new Map<string, Remembered>();
  readonly #lastTouch = new Map<string, number>();
  readonly #listeners = new Set<AccessListener>();
  #timesForgotten = 0;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /** Opens a session and returns the secret for its cookie. */
  async open(
    user: UserRecord,
    from: { ip: string; userAgent: string },
  ): Promise<{ id: string; secret: string }> {
    const secret = newSecret();
    const id = newPublicId();
    const nowMs = this.#options.clock.wallMs();
    // Sign-ins are rare enough to delete expired sessions here.
    await this.#options.sessions.removeUnseenSince(nowMs - this.#options.sessionMs);
    await this.#options.sessions.add({
      id,
      secretHash: hashSecret(secret),
      userId: user.id,
      createdMs: nowMs,
      lastSeenMs: nowMs,
      ip: from.ip,
      userAgent: from.userAgent.slice(0, 500),
    });
    await this.#options.sessions.noteProof(id, nowMs);
    await this.#options.users.touch(user.id, nowMs);
    return { id, secret };
  }

  /** The principal that holds this session secret; undefined when the secret is not valid or has expired. */
  bySession(secret: string, ip: string): Promise<Principal | undefined> {
    return this.#recall('session', hashSecret(secret), async (hash) => {
      const found = await this.#options.sessions.bySecretHash(hash);
      if (!found || found.user.isBlocked) return undefined;
      const { session, user } = found;
      const nowMs = this.#options.clock.wallMs();
      if (nowMs - session.lastSeenMs > this.#options.sessionMs) return undefined;
      this.#touch(hash, nowMs - session.lastSeenMs, async () => {
        await this.#options.sessions.touch(session.id, nowMs, ip);
        await this.#options.users.touch(user.id, nowMs);
      });
      return {
        principal: principalOf(user, { kind: 'session', id: session.id, provedMs: session.provedMs }),
        leftMs: rememberMs,
      };
    });
  }

  /** The principal that holds this API token; undefined when the token is not valid or has expired. */
  byToken(secret: string): Promise<Principal | undefined> {
    return this.#recall('token', hashSecret(secret), async (hash) => {
      const token = await this.#options.tokens.bySecretHash(hash);
      const nowMs = this.#options.clock.wallMs();
      if (!token || (token.expiresMs !== null && token.expiresMs <= nowMs)) return undefined;
      const user = await this.#options.users.byId(token.userId);
      if (!user || user.isBlocked) return undefined;
      this.#touch(hash, nowMs - (token.lastUsedMs ?? 0), () => this.#options.tokens.touch(token.id, nowMs));
      const leftMs = Math.min(rememberMs, (token.expiresMs ?? Infinity) - nowMs);
      return { principal: principalOf(user, { kind: 'token', id: token.id }), leftMs };
    });
  }

  /**
   * Ends all other access to an account, after its password has changed or at its owner's request: other
   * sessions, and API tokens unless they are to be kept. The caller's own credential stays valid: a token
   * unchanged, a session under a new secret, which is returned for its cookie.
   */
  async endOthers(
    userId: number,
    by: Principal['by'] | undefined,
    keepTokens: boolean,
  ): Promise<string | undefined> {
    const { sessions, tokens } = this.#options;
    const secret = by?.kind === 'session' ? newSecret() : undefined;
    if (by?.kind === 'session' && secret !== undefined)
      await sessions.replaceSecret(by.id, hashSecret(secret));
    await sessions.removeOfUser(userId, by?.kind === 'session' ? by.id : undefined);
    if (!keepTokens) await tokens.removeOfUser(userId, by?.kind === 'token' ? by.id : undefined);
    this.forget(userId);
    return secret;
  }

  /**
   * Reports that a user changed, was blocked, or lost a session, token or right: all cached lookups are
   * dropped.
   */
  forget(userId: number): void {
    this.#timesForgotten++;
    for (const [key, { principal }] of this.#remembered) {
      if (principal.user.id === userId) this.#remembered.delete(key);
    }
    for (const listener of this.#listeners) listener({ userId });
  }

  /** The same for all users, when it is unknown what changed. */
  forgetAll(): void {
    this.#timesForgotten++;
    this.#remembered.clear();
    for (const listener of this.#listeners) listener({ userId: undefined });
  }

  /**
   * Until when a principal that was authenticated earlier stays valid if nothing changes, ms since the epoch,
   * Infinity for a token that does not expire; undefined when it is no longer valid.
   */
  async validUntilMs({ user: { id: userId }, by }: Principal): Promise<number | undefined> {
    const { users, sessions, tokens, clock, sessionMs } = this.#options;
    const user = await users.byId(userId);
    if (!user || user.isBlocked) return undefined;
    let untilMs: number | undefined;
    if (by.kind === 'session') {
      const session = (await sessions.ofUser(userId)).find(({ id }) => id === by.id);
      untilMs = session && session.lastSeenMs + sessionMs;
    } else {
      const token = (await tokens.ofUser(userId)).find(({ id }) => id === by.id);
      untilMs = token && (token.expiresMs ?? Infinity);
    }
    return untilMs !== undefined && untilMs > clock.wallMs() ? untilMs : undefined;
  }

  onAccessChange(listener: AccessListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** `load` returns how long its result may be cached. */
  async #recall(
    kind: Principal['by']['kind'],
    hash: string,
    load: (hash: string) => Promise<{ principal: Principal; leftMs: number } | undefined>,
  ): Promise<Principal | undefined> {
    const nowMs = this.#options.clock.monotonicMs();
    // A token's secret is not accepted in a cookie, and vice versa.
    const key = `${kind} ${hash}`;
    const known = this.#remembered.get(key);
    if (known && nowMs < known.untilMs) return known.principal;
    this.#remembered.delete(key);
    const timesForgotten = this.#timesForgotten;
    const loaded = await load(hash);
    // A result read before a user was blocked must not be cached afterwards.
    if (!loaded || timesForgotten !== this.#timesForgotten) return loaded?.principal;
    this.#remembered.set(key, { principal: loaded.principal, untilMs: nowMs + loaded.leftMs });
    dropOldest(this.#remembered);
    return loaded.principal;
  }

  /** The time of last use is written in the background: the response does not wait for the disk. */
  #touch(hash: string, unseenMs: number, write: () => Promise<void>): void {
    const nowMs = this.#options.clock.monotonicMs();
    const lastMs = this.#lastTouch.get(hash);
    if (unseenMs < touchMs || (lastMs !== undefined && nowMs - lastMs < touchMs)) return;
    this.#lastTouch.delete(hash);
    this.#lastTouch.set(hash, nowMs);
    dropOldest(this.#lastTouch);
    write().catch((error: unknown) =>
      this.#options.log.warn({ error }, 'A time of last use could not be written'),
    );
  }
}

function dropOldest(map: Map<string, unknown>): void {
  if (map.size <= maxRemembered) return;
  const oldest = map.keys().next().value;
  if (oldest !== undefined) map.delete(oldest);
}
