import type { Session } from '@vidette/contract/entities';
import type { Authenticator } from '../access/authenticator.ts';
import type { Principal } from '../access/principal.ts';
import { requireUser } from '../access/user-policy.ts';
import { Fault } from '../base/fault.ts';
import type { Store } from '../store/store.ts';
import { sessionView } from './user-view.ts';

export interface SessionServiceOptions {
  readonly store: Pick<Store, 'sessions' | 'users'>;
  readonly authenticator: Pick<Authenticator, 'endOthers' | 'forget'>;
}

/** The browsers in which users are signed in. Users and administrators can list and end these sessions. */
export class SessionService {
  readonly #options: SessionServiceOptions;

  constructor(options: SessionServiceOptions) {
    this.#options = options;
  }

  /** The caller's sessions. */
  list(principal: Principal): Promise<Session[]> {
    return this.#ofUser(principal, principal.user.id);
  }

  /** Another user's sessions. @throws Fault NotFound */
  async listOf(principal: Principal, login: string): Promise<Session[]> {
    return this.#ofUser(principal, (await requireUser(this.#options.store.users, login)).id);
  }

  /** Ends the session with which the call was made, if any. */
  async signOut(principal: Principal | undefined): Promise<void> {
    if (principal?.by.kind !== 'session') return;
    const { store, authenticator } = this.#options;
    await store.sessions.remove(principal.user.id, principal.by.id);
    authenticator.forget(principal.user.id);
  }

  /**
   * Ends the caller's other sessions, and API tokens unless they are to be kept; with `includeCurrent` all of
   * them.
   * @returns the new secret of the caller's session, for its cookie; undefined: the call was made without
   * one, or it has ended
   */
  endOthers(
    principal: Principal,
    { keepTokens, includeCurrent }: { keepTokens: boolean; includeCurrent: boolean },
  ): Promise<string | undefined> {
    const by = includeCurrent ? undefined : principal.by;
    return this.#options.authenticator.endOthers(principal.user.id, by, keepTokens);
  }

  /**
   * Ends one of the caller's sessions. Returns whether it is the one with which the call was made. @throws
   * Fault NotFound
   */
  async end(principal: Principal, id: string): Promise<boolean> {
    return (await this.#end(principal.user.id, id)) === sessionIdOf(principal);
  }

  /** Ends one of another user's sessions. @throws Fault NotFound */
  async endOf(login: string, id: string): Promise<void> {
    const user = await requireUser(this.#options.store.users, login);
    await this.#end(user.id, id);
  }

  async #ofUser(principal: Principal, userId: number): Promise<Session[]> {
    const sessions = await this.#options.store.sessions.ofUser(userId);
    return sessions.map((session) => sessionView(session, sessionIdOf(principal)));
  }

  async #end(userId: number, id: string): Promise<string> {
    const { store, authenticator } = this.#options;
    const removed = await store.sessions.remove(userId, id);
    if (removed === undefined) throw new Fault('NotFound', 'There is no such session.');
    authenticator.forget(userId);
    return removed;
  }
}

function sessionIdOf({ by }: Principal): string | undefined {
  return by.kind === 'session' ? by.id : undefined;
}
