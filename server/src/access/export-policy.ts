import { Fault } from '../base/fault.ts';
import type { Principal } from './principal.ts';

/**
 * Exports. Each person has their own; nobody else, an administrator included, is told of them. The footage in them takes
 * the right `archive` on each of their streams: when it is asked for, while it is written, and whenever it is fetched.
 */
export function requireExportOwner<Row extends { user_id: number }>(
  principal: Principal,
  found: Row | undefined,
): Row {
  if (found?.user_id === principal.user.id) return found;
  throw new Fault('NotFound', 'There is no such export.');
}
