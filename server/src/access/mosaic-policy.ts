import { Fault } from '../base/fault.ts';
import type { Principal } from './principal.ts';

interface OwnedMosaic {
  readonly createdBy: number | null;
  readonly isShared: boolean;
}

/**
 * Mosaics. The author and administrators may administer a mosaic; other users see it when it is shared. Each
 * cell's stream is authorised separately, so that a shared mosaic gives no access to video.
 */
export function canAdminMosaic(principal: Principal, mosaic: OwnedMosaic): boolean {
  return principal.isAdmin || mosaic.createdBy === principal.user.id;
}

/** A mosaic the user may not see looks like one that does not exist. @throws Fault Forbidden, NotFound */
export function requireMosaicView<Mosaic extends OwnedMosaic>(
  principal: Principal,
  mosaic: Mosaic | undefined,
): Mosaic {
  if (!mosaic && principal.isAdmin) throw new Fault('NotFound', 'There is no such mosaic.');
  if (!mosaic || !(mosaic.isShared || canAdminMosaic(principal, mosaic))) {
    throw new Fault('Forbidden', 'The mosaic may not be seen.');
  }
  return mosaic;
}

/** @throws Fault Forbidden */
export function requireMosaicAdmin(principal: Principal, mosaic: OwnedMosaic): void {
  if (!canAdminMosaic(principal, mosaic))
    throw new Fault('Forbidden', 'This mosaic belongs to another user.');
}
