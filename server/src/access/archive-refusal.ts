import type { ErrorCode } from '@vidette/contract/errors';
import type { Store } from '../store/store.ts';

/** Why a user may not read a stream's archive now; undefined when they may. */
export async function refusalOfArchive(
  store: Store,
  userId: number,
  uid: string,
): Promise<ErrorCode | undefined> {
  const user = await store.users.byId(userId);
  if (!user || user.isBlocked) return 'AuthorizationRequired';
  const seen = await store.streamList.find({ userId, isAdmin: user.isAdmin }, uid);
  return seen?.rights.view && seen.rights.archive ? undefined : 'Forbidden';
}

/** Whether a user may view a stream now. */
export async function mayView(store: Store, userId: number, uid: string): Promise<boolean> {
  const user = await store.users.byId(userId);
  if (!user || user.isBlocked) return false;
  const seen = await store.streamList.find({ userId, isAdmin: user.isAdmin }, uid);
  return seen?.rights.view === true;
}
