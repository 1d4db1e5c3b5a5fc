import type { StreamRight } from '@vidette/contract/call';
import { Fault } from '../base/fault.ts';
import type { ListViewer, SeenStream, StreamListing } from '../store/stream-list.ts';
import type { Principal } from './principal.ts';

/**
 * Streams, all rules on one page.
 *
 *                       administrator  creator  permitted      stranger
 *   in lists, by uid    yes            yes      with `view`    no
 *   archive             yes            yes      with `archive` no
 *   share               yes            yes      with `share`   no
 *   edit, pause, delete yes            yes      with `edit`    no
 *   add                 yes            while `maxStreamCreation` is not reached; never with 0
 *
 * A right holds only together with `view`. A user who may not view a stream can't distinguish it from one that
 * does not exist: both are Forbidden to them. Only administrators, who see all streams, get NotFound.
 */
export function requireStreamRight(
  principal: Principal,
  seen: SeenStream | undefined,
  right: StreamRight,
): SeenStream {
  if (!seen) {
    if (principal.isAdmin) throw new Fault('NotFound', 'There is no such stream.');
    throw new Fault('Forbidden', 'The stream may not be viewed.');
  }
  if (!seen.rights.view || !seen.rights[right]) {
    throw new Fault('Forbidden', `The right "${right}" is missing.`);
  }
  return seen;
}

/** The stream with this uid, if the caller has the right on it. @throws Fault NotFound, Forbidden */
export async function requireStream(
  streams: Pick<StreamListing, 'find'>,
  principal: Principal,
  uid: string,
  right: StreamRight,
): Promise<SeenStream> {
  return requireStreamRight(principal, await streams.find(viewerOf(principal), uid), right);
}

/** The caller, as the store's lists filter by it. */
export function viewerOf(principal: Principal): ListViewer {
  return { userId: principal.user.id, isAdmin: principal.isAdmin };
}

/** Sources on this machine reach its own services, so only administrators may add them. */
export function mayUseLoopback(principal: Principal): boolean {
  return principal.isAdmin;
}

/** @throws Fault Forbidden for read-only users, QuotaReached when the user's stream quota is used up. */
export function requireStreamCreation(principal: Principal, createdSoFar: number): void {
  if (principal.isAdmin) return;
  if (principal.isReadOnly) throw new Fault('Forbidden', 'A read-only user may not add streams.');
  const { maxStreamCreation: most } = principal.user;
  if (most >= 0 && createdSoFar >= most) throw new Fault('QuotaReached', 'No more streams may be added.');
}
