import type { Call } from '@vidette/contract/call';
import { Fault } from '../base/fault.ts';
import type { Principal } from './principal.ts';

/**
 * Who may make a call at all, before any object is looked up. The contract declares it as `who`.
 *
 *             anonymous  read-only  user  administrator
 *   anyone    yes        yes        yes   yes
 *   user      no         yes        yes   yes
 *   creator   no         no         yes   yes
 *   admin     no         no         no    yes
 *
 * A user who must change the password may make only calls marked `whilePasswordDue`, and those open to
 * anyone.
 */
export function requireAudience(call: Call, principal: Principal | undefined): void {
  if (call.who === 'anyone') return;
  if (!principal) throw new Fault('AuthorizationRequired', 'The request is not signed in.');
  if (principal.user.mustChangePassword && !call.whilePasswordDue) {
    throw new Fault('Forbidden', 'The password must be changed first.');
  }
  if (call.who === 'admin' && !principal.isAdmin) throw new Fault('Forbidden', 'Administrators only.');
  if (call.who === 'creator' && principal.isReadOnly) throw new Fault('Forbidden', 'A read-only user.');
}
