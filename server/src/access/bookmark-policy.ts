import { Fault } from '../base/fault.ts';
import type { Principal } from './principal.ts';

/**
 * Bookmarks. Whoever may watch the archive of a stream sees its bookmarks and makes new ones;
 * only who made one, or an administrator, changes or deletes it.
 */
export function requireBookmarkOwner(principal: Principal, bookmark: { user_id: number | null }): void {
  if (principal.isAdmin || bookmark.user_id === principal.user.id) return;
  throw new Fault('Forbidden', "Somebody else's bookmark.");
}
