import { Fault } from '../base/fault.ts';
import type { Principal } from './principal.ts';

/**
 * Exports. Each user has their own; no other user, not even an administrator, can see them. Reading the
 * footage in them requires the right `archive` on each of their streams: on request, while the package is
 * written, and on every download.
 */
export function requireExportOwner<Row extends { userId: number }>(
  principal: Principal,
  found: Row | undefined,
): Row {
  if (found?.userId === principal.user.id) return found;
  throw new Fault('NotFound', 'There is no such export.');
}
