import { Fault } from '../base/fault.ts';
import type { Principal } from './principal.ts';

/**
 * Bookmarks. A user who may watch the archive of a stream sees its bookmarks and adds new ones; only the author
 * or an administrator changes or deletes one.
 */
export function requireBookmarkOwner(principal: Principal, bookmark: { userId: number | null }): void {
  if (principal.isAdmin || bookmark.userId === principal.user.id) return;
  throw new Fault('Forbidden', 'This bookmark belongs to another user.');
}
