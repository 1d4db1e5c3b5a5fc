import type { Principal } from './principal.ts';
import type { UserRecord, Users } from '../store/users.ts';
import { Fault } from '../base/fault.ts';

/**
 * Users, all rules on one page. Only administrators reach these calls (see the contract); beyond that:
 * - administrators can't block, delete or demote themselves, so that no server loses its last one by accident;
 * - a managed user's login, e-mail, name and password are managed elsewhere and can't be changed or required
 *   here
 *   [R6.4].
 */
export function requireNotSelf(principal: Principal, user: UserRecord): void {
  if (principal.user.id === user.id) {
    throw new Fault('ActionNotAcceptable', 'This is only possible for another user.');
  }
}

const managedMembers = {
  name: 'login',
  email: 'email',
  fullName: 'fullName',
  password: null,
  mustChangePassword: 'mustChangePassword',
} as const satisfies Record<string, keyof UserRecord | null>;

/** @throws Fault ActionNotAcceptable, at the field, when a managed user's data would change. */
export function requireOwnData(user: UserRecord, changes: Readonly<Record<string, unknown>>): void {
  if (!user.isManaged) return;
  for (const [member, own] of Object.entries(managedMembers)) {
    const change = changes[member];
    if (change === undefined || (own !== null && change === user[own])) continue;
    throw new Fault('ActionNotAcceptable', `The ${member} of this user is managed elsewhere.`, {
      details: { fields: [{ path: member, code: 'ActionNotAcceptable' }] },
    });
  }
}

/** @throws Fault NotFound */
export async function requireUser(users: Pick<Users, 'byLogin'>, login: string): Promise<UserRecord> {
  const user = await users.byLogin(login);
  if (!user) throw new Fault('NotFound', 'There is no such user.');
  return user;
}
