import type { Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';

/**
 * A rule or a target of the caller: that of another user does not exist for them.
 * @throws Fault NotFound
 */
export function requireOwn<Row extends { readonly userId: number }>(
  { user }: Principal,
  row: Row | undefined,
): Row {
  if (row?.userId === user.id) return row;
  throw new Fault('NotFound', 'The caller has none with this id.');
}
