import type { Clock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { newUser } from '../store/user-fixture.ts';
import type { NewUser } from '../store/users.ts';
import type { Store } from '../store/store.ts';
import { Authenticator } from './authenticator.ts';
import { principalOf, type Principal } from './principal.ts';

/** A stored user, as a caller in their only session. */
export async function addPrincipal(
  store: Pick<Store, 'users'>,
  login: string,
  members: Partial<NewUser> = {},
): Promise<Principal> {
  const user = await store.users.add(newUser(login, { maxStreamCreation: -1, ...members }));
  return principalOf(user, { kind: 'session', id: `session of ${login}`, provedMs: 0 });
}

/** A session of `newAuthenticator` expires after this long without use. */
export const sessionMs = 3_600_000;

/** Who may enter a store, on the clock of a test. */
export function newAuthenticator(
  { users, sessions, tokens }: Pick<Store, 'users' | 'sessions' | 'tokens'>,
  clock: Clock,
): Authenticator {
  return new Authenticator({ users, sessions, tokens, clock, log: silentLog, sessionMs });
}
