import { byKey, changesBetween } from '../../system/audit-changes.ts';
import { fieldFault } from '../../base/field-fault.ts';
import type { Registrar } from '../registrar.ts';
import type { Store } from '../../store/store.ts';
import type { Authenticator } from '../../access/authenticator.ts';
import type { LiveSessions } from '../../streams/live-sessions.ts';
import type { StreamService } from '../../streams/stream-service.ts';
import { wholeList } from '../whole-list.ts';
import { keyOf } from '../../base/search-key.ts';
import type { StreamRights } from '../../store/permissions.ts';
import type { StreamRecord } from '../../store/stream-row.ts';
import type { Principal } from '../../access/principal.ts';
import { requireUser } from '../../access/user-policy.ts';

/** What rights on streams need. */
export interface StreamRightsServices {
  readonly store: Pick<Store, 'permissions' | 'streams' | 'users'>;
  readonly authenticator: Pick<Authenticator, 'forget'>;
  readonly liveSessions: Pick<LiveSessions, 'reviewStream'>;
  readonly streamService: Pick<StreamService, 'noteRights'>;
}

/** Rights on streams: from the stream's side and from the user's. */
export function registerStreamRights(registrar: Registrar, services: StreamRightsServices): void {
  const { store, authenticator, liveSessions, streamService } = services;

  /** As the caller may see it: names that they typed are shown as typed, whether or not such users exist. */
  const ofStream = async (principal: Principal, { id, createdBy }: StreamRecord) => {
    const { permissions } = store;
    const side = sideOf(principal, createdBy);
    const own = side === 'administrator' ? [] : await permissions.grantsOf(id, principal.user.id);
    if (side === 'editor')
      return wholeList(own.map(({ loginKey, rights }) => ({ user: loginKey, ...rights })));
    const typed = new Map(own.map(({ userId, loginKey }) => [userId, loginKey]));
    const rows = (await permissions.ofStream(id)).map(({ user, userId, rights }) => ({
      user: typed.get(userId) ?? user,
      ...rights,
    }));
    const unknown = own.filter(({ userId }) => userId === null);
    for (const { loginKey, rights } of unknown) rows.push({ user: loginKey, ...rights });
    return wholeList(
      unknown.length === 0 ? rows : rows.toSorted((a, b) => compareKeys(keyOf(a.user), keyOf(b.user))),
    );
  };

  registrar.handle('getStreamPermissions', ({ principal, stream }) => ofStream(principal, stream.stream));

  registrar.handle('saveStreamPermissions', async ({ principal, stream, body, audit }) => {
    const { permissions, users } = store;
    const { id, uid, createdBy } = stream.stream;
    const side = sideOf(principal, createdBy);
    const items = [...distinctBy(body.items, (row) => keyOf(row.user))];
    const ids = await users.idsByLoginKey(items.map(([, row]) => row.user));
    const given = new Map(
      side === 'editor'
        ? (await permissions.grantsOf(id, principal.user.id)).map(({ loginKey, rights }) => [
            loginKey,
            rights,
          ])
        : [],
    );
    const rows = [];
    for (const [index, { user: login, ...rights }] of items) {
      const loginKey = keyOf(login);
      const userId = ids.get(loginKey) ?? null;
      if (side === 'administrator' && userId === null) {
        throw fieldFault('NotFound', `items.${index}.user`, 'There is no such user.');
      }
      if (!hasAny(rights)) continue;
      // The same for an unknown login.
      if (side === 'editor') requireHeld(stream.rights, given.get(loginKey), rights, `items.${index}`);
      rows.push({ userId, loginKey, rights: withView(rights) });
    }
    const before = await ofStream(principal, stream.stream);
    if (side === 'administrator') {
      await permissions.replaceOfStream(
        id,
        rows.map(({ userId, rights }) => ({ userId, rights })),
      );
    } else if (side === 'owner') await permissions.replaceOfStream(id, rows, principal.user.id);
    else await permissions.replaceGrants(id, principal.user.id, rows);
    liveSessions.reviewStream(uid);
    streamService.noteRights([uid]);
    const after = await ofStream(principal, stream.stream);
    const rowsOf = ({ items: rights }: typeof after) => byKey(rights, ({ user }) => user);
    audit.details = { changes: changesBetween(rowsOf(before), rowsOf(after)) };
    return after;
  });

  const ofUser = async (userId: number) => {
    const rows = await store.permissions.ofUser(userId);
    return wholeList(rows.map(({ stream, streamName, rights }) => ({ stream, streamName, ...rights })));
  };

  registrar.handle('getUserPermissions', async ({ params }) => {
    return ofUser((await requireUser(store.users, params.login)).id);
  });

  registrar.handle('saveUserPermissions', async ({ params, body, audit }) => {
    const user = await requireUser(store.users, params.login);
    const items = [...distinctBy(body.items, (row) => row.stream)];
    const ids = await store.streams.idsByUid(items.map(([, row]) => row.stream));
    const rows = [];
    for (const [index, { stream: uid, ...rights }] of items) {
      const streamId = ids.get(uid);
      if (streamId === undefined)
        throw fieldFault('NotFound', `items.${index}.stream`, 'There is no such stream.');
      if (hasAny(rights)) rows.push({ streamId, rights: withView(rights) });
    }
    const before = await ofUser(user.id);
    await store.permissions.replaceOfUser(user.id, rows);
    authenticator.forget(user.id);
    streamService.noteRights(new Set([...ids.keys(), ...before.items.map(({ stream }) => stream)]));
    const after = await ofUser(user.id);
    const rowsOf = ({ items: rights }: typeof after) => byKey(rights, ({ stream }) => stream);
    audit.details = { changes: changesBetween(rowsOf(before), rowsOf(after)) };
    return after;
  });
}

/** Administrators and the stream's creator manage its whole list; other editors only what they granted. */
function sideOf(principal: Principal, createdBy: number | null): 'administrator' | 'owner' | 'editor' {
  if (principal.isAdmin) return 'administrator';
  return createdBy === principal.user.id ? 'owner' : 'editor';
}

/** A right can be granted only by its holders. Earlier grants stay. @throws Fault Forbidden at the right */
function requireHeld(
  held: StreamRights,
  before: StreamRights | undefined,
  wanted: StreamRights,
  path: string,
): void {
  for (const right of ['archive', 'share', 'edit'] as const) {
    if (!wanted[right] || held[right] || before?.[right]) continue;
    throw fieldFault('Forbidden', `${path}.${right}`, `You don't have the right "${right}" yourself.`);
  }
}

function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function hasAny(rights: StreamRights): boolean {
  return rights.view || rights.archive || rights.share || rights.edit;
}

/** Any right includes viewing. */
function withView(rights: StreamRights): StreamRights {
  return { ...rights, view: true };
}

/** Of rows with the same key the last counts; each with its index in the list. */
function distinctBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Iterable<[number, Row]> {
  return new Map(rows.map((row, index): [string, [number, Row]] => [keyOf(row), [index, row]])).values();
}
