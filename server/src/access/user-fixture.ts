import { newUser } from '../store/user-fixture.ts';
import type { NewUser } from '../store/users.ts';
import type { Store } from '../store/store.ts';
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
