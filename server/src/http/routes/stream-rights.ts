import { fieldFault } from '../field-errors.ts';
import type { Registrar } from '../registrar.ts';
import type { Services } from '../services.ts';
import type { StreamDesk } from '../stream-desk.ts';
import { wholeList } from '../user-view.ts';
import type { Watchers } from '../watchers.ts';
import { keyOf } from '../../store/database.ts';
import type { Rights } from '../../store/permissions.ts';
import { Fault } from '../../base/fault.ts';

/** Who may do what with streams: from the stream's side and from the user's. */
export function registerStreamRights(
  registrar: Registrar,
  services: Services,
  { watchers, desk }: { readonly watchers: Watchers; readonly desk: StreamDesk },
): void {
  const { store, doorkeeper } = services;

  const ofStream = async (streamId: number) => {
    const rows = await store.permissions.ofStream(streamId);
    return wholeList(rows.map(({ user, rights }) => ({ user, ...rights })));
  };

  registrar.handle('getStreamPermissions', ({ stream }) => ofStream(stream.stream.id));

  registrar.handle('saveStreamPermissions', async ({ stream, body }) => {
    const items = [...distinctBy(body.items, (row) => keyOf(row.user))];
    const ids = await store.users.idsByLoginKey(items.map(([, row]) => row.user));
    const rows = [];
    for (const [index, { user: login, ...rights }] of items) {
      const userId = ids.get(keyOf(login));
      if (userId === undefined) throw fieldFault('NotFound', `items.${index}.user`, 'There is no such user.');
      if (hasAny(rights)) rows.push({ userId, rights: withView(rights) });
    }
    await store.permissions.replaceOfStream(stream.stream.id, rows);
    watchers.reviewStream(stream.stream.uid);
    desk.noteRights([stream.stream.uid]);
    return ofStream(stream.stream.id);
  });

  const ofUser = async (userId: number) => {
    const rows = await store.permissions.ofUser(userId);
    return wholeList(rows.map(({ stream, streamName, rights }) => ({ stream, streamName, ...rights })));
  };

  registrar.handle('getUserPermissions', async ({ params }) => {
    return ofUser((await requireUser(services, params.login)).id);
  });

  registrar.handle('saveUserPermissions', async ({ params, body }) => {
    const user = await requireUser(services, params.login);
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
    doorkeeper.forget(user.id);
    desk.noteRights(new Set([...ids.keys(), ...before.items.map(({ stream }) => stream)]));
    return ofUser(user.id);
  });
}

/** @throws Fault NotFound */
export async function requireUser(services: Services, login: string) {
  const user = await services.store.users.byLogin(login);
  if (!user) throw new Fault('NotFound', 'There is no such user.');
  return user;
}

function hasAny(rights: Rights): boolean {
  return rights.view || rights.archive || rights.share || rights.edit;
}

/** Any right includes viewing. */
function withView(rights: Rights): Rights {
  return { ...rights, view: true };
}

/** Of rows with the same key the last counts; each with its place in the list. */
function distinctBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Iterable<[number, Row]> {
  return new Map(rows.map((row, index): [string, [number, Row]] => [keyOf(row), [index, row]])).values();
}
