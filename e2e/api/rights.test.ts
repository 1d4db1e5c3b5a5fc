import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApiError, createClient, type Client } from '@vidette/contract/client';
import { administratorOf, clientOf } from '../api.ts';
import { signIn, startServer, type TestServer } from '../server.ts';
import { inStore } from '../stored.ts';

const password = 'three yellow boats';

let server: TestServer;
let admin: Client;
let anna: Client;
let boris: Client;
/** The clients of anna and the administrator. */
let gate: string;
let yard: string;

before(async () => {
  server = await startServer();
  ({ client: admin } = await administratorOf(server));
  for (const name of ['anna', 'boris']) {
    await admin.addUser({ body: { name, password, maxStreamCreation: 5, fullName: `Full ${name}` } });
  }
  anna = clientOf(server, await signIn(server, 'anna', password));
  boris = clientOf(server, await signIn(server, 'boris', password));
  ({ uid: gate } = await anna.addStream(idle('Gate', ['Entrance'])));
  ({ uid: yard } = await admin.addStream(idle('Yard', ['Entrance', 'Outside'])));
});

after(() => server?.stop());

/** A stream that fetches nothing until it has a viewer. */
function idle(name: string, tags: string[]) {
  const archive = { isEnable: false };
  return { body: { name, tags, streamSource: 'udp://:9', live: { onDemand: true }, archive } };
}

function code(expected: string, path?: string) {
  return (error: unknown) => {
    assert.ok(error instanceof ApiError, String(error));
    assert.deepEqual([error.code, error.fields[0]?.path], [expected, path]);
    return true;
  };
}

const allow = (rights: Partial<Record<'view' | 'archive' | 'share' | 'edit', boolean>>, user = 'boris') =>
  anna.saveStreamPermissions({ params: { uid: gate }, body: { items: [{ user, ...rights }] } });

test('[R7.10, R3.5] the list of a stream: its creator may edit it, any right includes viewing, the last row of a user counts', async () => {
  assert.deepEqual((await anna.getStreamPermissions({ params: { uid: gate } })).items, []);
  const none = { view: false, archive: false, share: false, edit: false };
  const { items } = await anna.saveStreamPermissions({
    params: { uid: gate },
    body: { items: [{ user: 'boris', edit: true }, { user: 'BORIS', share: true }, { user: 'admin' }] },
  });
  assert.deepEqual(items, [{ user: 'boris', ...none, view: true, share: true }]);
  await assert.rejects(boris.getStreamPermissions({ params: { uid: gate } }), code('Forbidden'));
  const unknown = [{ user: 'nosuch', view: true }];
  const byAdmin = admin.saveStreamPermissions({ params: { uid: gate }, body: { items: unknown } });
  await assert.rejects(byAdmin, code('NotFound', 'items.0.user'));
  await assert.rejects(allow({ view: true }, 'бorис'), code('ValidationError', 'items.0.user'));
  assert.deepEqual((await anna.getStreamPermissions({ params: { uid: gate } })).items, items);
});

test('[R6.5, R7.10] an editor grants rights that they have, sees those that they granted, and can’t find out who has an account', async () => {
  const params = { uid: yard };
  await admin.addUser({ body: { name: 'Carl', password } });
  await admin.addUser({ body: { name: 'dora', password } });
  const doraMay = async () => (await admin.getUserPermissions({ params: { login: 'dora' } })).items;
  await admin.saveStreamPermissions({
    params,
    body: {
      items: [
        { user: 'boris', edit: true },
        { user: 'dora', view: true },
      ],
    },
  });
  const save = (
    items: { user: string; archive?: boolean; share?: boolean; edit?: boolean; view?: boolean }[],
  ) => boris.saveStreamPermissions({ params, body: { items } });
  assert.deepEqual((await boris.getStreamPermissions({ params })).items, [], 'what others gave');
  // Neither to themselves nor to an accomplice, nor to an unknown user.
  for (const user of ['boris', 'anna', 'nosuch']) {
    await assert.rejects(save([{ user, archive: true }]), code('Forbidden', 'items.0.archive'));
    await assert.rejects(save([{ user, edit: true, share: true }]), code('Forbidden', 'items.0.share'));
  }
  assert.equal((await boris.getStream({ params })).canArchive, false);
  const row = (user: string) => ({ user, view: true, archive: false, share: false, edit: true });
  const items = [row('carl'), row('dora'), row('nosuch')];
  const { items: answered } = await save([
    { user: 'NoSuch', edit: true },
    { user: 'CARL', edit: true },
    { user: 'dora', edit: true },
  ]);
  assert.deepEqual(answered, items, 'a login that is there looks like one that is not');
  assert.deepEqual((await boris.getStreamPermissions({ params })).items, items);
  assert.equal((await doraMay())[0]?.edit, true);
  // Rights granted by others can be revoked only by them.
  assert.deepEqual((await save([])).items, []);
  assert.deepEqual(
    (await doraMay()).map(({ view, edit }) => [view, edit]),
    [[true, false]],
  );
  // An editor with the right to the archive may grant it; without it, existing grants stay as they are.
  const give = async (archive: boolean) =>
    admin.saveStreamPermissions({
      params,
      body: {
        items: [
          { user: 'boris', edit: true, archive },
          ...(archive ? [] : [{ user: 'Carl', archive: true }]),
        ],
      },
    });
  await give(true);
  await save([{ user: 'carl', archive: true }]);
  await give(false);
  await save([{ user: 'carl', archive: true }]);
  await assert.rejects(save([{ user: 'anna', archive: true }]), code('Forbidden', 'items.0.archive'));
  // An owner sees the viewers, but learns no more about accounts than an editor.
  await allow({ view: true }, 'nosuch');
  assert.deepEqual(
    (await anna.getStreamPermissions({ params: { uid: gate } })).items.map(({ user }) => user),
    ['nosuch'],
  );
  await allow({ view: true }, 'DORA');
  assert.deepEqual(
    (await anna.getStreamPermissions({ params: { uid: gate } })).items.map(({ user }) => user),
    ['dora'],
  );
  await allow({ share: true });
  for (const login of ['Carl', 'dora']) await admin.deleteUser({ params: { login } });
  await admin.saveStreamPermissions({ params, body: { items: [] } });
});

test('[R7.10, R7.25, R7.26, R7.27] changing rights requires a recently entered password; with an API token it works as before', async () => {
  // A separate user: the session of the other tests stays fresh.
  await admin.addUser({ body: { name: 'olga', password, isAdmin: true } });
  await admin.addUser({ body: { name: 'temp', password } });
  const olga = clientOf(server, await signIn(server, 'olga', password));
  const { secret } = await olga.addToken({ body: { name: 'provisioning' } });
  const script = createClient({
    baseUrl: server.url,
    headers: () => ({ authorization: `Bearer ${secret}` }),
  });
  const changesBy = (by: Client, name: string) => [
    () => by.addUser({ body: { name, password } }),
    () =>
      by.saveStreamPermissions({ params: { uid: yard }, body: { items: [{ user: 'temp', view: true }] } }),
    () =>
      by.saveUserPermissions({ params: { login: 'temp' }, body: { items: [{ stream: yard, edit: true }] } }),
    () => by.saveUser({ params: { login: 'temp' }, body: { maxStreamCreation: name.length } }),
    () => by.saveUser({ params: { login: 'temp' }, body: { canConvert: name === 'late' } }),
    () => by.unblockUser({ params: { login: 'temp' } }),
  ];
  const current = (await olga.listSessions()).items.find(({ isCurrent }) => isCurrent)?.id ?? '';
  await inStore(
    server,
    'UPDATE session_proofs SET proved_ms = proved_ms - 3600000 WHERE session_id = ?',
    current,
  );
  await olga.saveProfile({ body: { fullName: 'Olga' } });
  for (const change of [...changesBy(olga, 'early'), () => olga.deleteUser({ params: { login: 'temp' } })]) {
    await assert.rejects(change, code('PasswordRequired'));
  }
  assert.equal((await admin.getUser({ params: { login: 'temp' } })).maxStreamCreation, 0);
  assert.deepEqual((await admin.getUserPermissions({ params: { login: 'temp' } })).items, []);
  // Urgent restrictions need no password, nor do changes without effect on rights.
  await olga.saveUser({ params: { login: 'temp' }, body: { fullName: 'T', maxStreamCreation: 0 } });
  await olga.blockUser({ params: { login: 'temp' } });
  for (const change of changesBy(script, 'script')) await change();
  await assert.rejects(
    script.addUser({ body: { name: 'accomplice', password, isAdmin: true } }),
    code('Forbidden'),
  );
  // A caller without a right to the list gets that error, and is not asked for a password first.
  await inStore(server, 'DELETE FROM session_proofs WHERE session_id = ?', current);
  await admin.saveUser({ params: { login: 'olga' }, body: { isAdmin: false } });
  await assert.rejects(changesBy(olga, 'late')[1] ?? assert.fail, code('Forbidden'));
  await admin.saveUser({ params: { login: 'olga' }, body: { isAdmin: true } });
  await olga.confirmPassword({ body: { password } });
  for (const change of changesBy(olga, 'late')) await change();
  for (const login of ['olga', 'temp', 'late', 'script']) await admin.deleteUser({ params: { login } });
});

test('[R7.27, R6.5] the list of a user contains the same rights, edited by administrators', async () => {
  const params = { login: 'boris' };
  const row = { stream: yard, view: true, archive: true, share: false, edit: false };
  const { items } = await admin.saveUserPermissions({
    params,
    body: { items: [{ stream: yard, archive: true }] },
  });
  assert.deepEqual(items, [{ ...row, streamName: 'Yard' }]);
  assert.deepEqual((await admin.getStreamPermissions({ params: { uid: gate } })).items, []);
  const [ofYard] = (await admin.getStreamPermissions({ params: { uid: yard } })).items;
  assert.equal(ofYard?.user, 'boris');
  const body = { items: [{ stream: 'nosuch', view: true }] };
  await assert.rejects(admin.saveUserPermissions({ params, body }), code('NotFound', 'items.0.stream'));
  await assert.rejects(admin.getUserPermissions({ params: { login: 'nosuch' } }), code('NotFound'));
  await assert.rejects(boris.getUserPermissions({ params }), code('Forbidden'));
  await admin.deleteUser({
    params: { login: (await admin.addUser({ body: { name: 'carl', password } })).name },
  });
  await admin.saveUserPermissions({ params, body: { items: [] } });
  assert.equal((await boris.listStreams()).total, 0);
});

test('[R6.5, R7.31, R7.1] streams that may not be viewed are in no list, count, tag or search', async () => {
  const seen = async (client: Client) => ({
    streams: (await client.listStreams()).items.map((item) => item.name),
    groups: (await client.listStreams({ query: { groupType: 'tag' } })).groups,
    tags: (await client.listStreamTags()).items,
    statuses: (await client.listStreamStatuses()).items.length,
    found: (await client.search({ query: { query: 'a' } })).items.map((item) => `${item.kind} ${item.name}`),
  });
  assert.deepEqual(await seen(boris), { streams: [], groups: [], tags: [], statuses: 0, found: [] });
  const entrance = { name: 'Entrance', total: 1 };
  assert.deepEqual(await seen(anna), {
    streams: ['Gate'],
    groups: [entrance],
    tags: [entrance],
    statuses: 1,
    found: ['stream Gate'],
  });
  const all = await seen(admin);
  assert.deepEqual(all.streams, ['Gate', 'Yard']);
  assert.deepEqual(all.tags, [
    { name: 'Entrance', total: 2 },
    { name: 'Outside', total: 1 },
  ]);
  // Only administrators find users.
  assert.deepEqual(all.found, ['stream Gate', 'stream Yard', 'user admin', 'user anna']);
});

test('[R7.40, R7.41, R6.6, R6.5] a shared mosaic shows its layout to everyone, and each user only the streams they may view', async () => {
  const cell = { x: 0, y: 0, width: 1, height: 1, stream: gate };
  const layout = { columns: 2, rows: 1, cells: [cell, { ...cell, x: 1, stream: yard }] };
  await assert.rejects(anna.addMosaic({ body: { name: 'Wall', layout } }), code('Forbidden'));
  const { id } = await admin.addMosaic({ body: { name: 'Wall', layout, rotationSeconds: 30 } });
  await assert.rejects(anna.getMosaic({ params: { id } }), code('Forbidden'));
  await admin.saveMosaic({ params: { id }, body: { isShared: true } });
  const streamsOf = ({ layout: { cells } }: Pick<Awaited<ReturnType<Client['getMosaic']>>, 'layout'>) =>
    cells.map(({ stream }) => stream);
  const forAnna = await anna.getMosaic({ params: { id } });
  assert.deepEqual(streamsOf(forAnna), [gate, null]);
  assert.deepEqual([forAnna.meta.canAdmin, forAnna.rotationSeconds, forAnna.createdBy], [false, 30, 'admin']);
  assert.deepEqual(streamsOf(await boris.getMosaic({ params: { id } })), [null, null]);
  assert.deepEqual((await boris.listMosaics()).items.map(streamsOf), [[null, null]]);
  await assert.rejects(anna.saveMosaic({ params: { id }, body: { name: 'Mine' } }), code('Forbidden'));
  await assert.rejects(anna.deleteMosaic({ params: { id } }), code('Forbidden'));
  const own = await anna.addMosaic({ body: { name: 'Own', layout: { columns: 1, rows: 1, cells: [cell] } } });
  assert.equal(own.meta.canAdmin, true);
  assert.equal((await admin.getMosaic({ params: { id: own.id } })).meta.canAdmin, true);
  assert.deepEqual(
    (await anna.listMosaics()).items.map((item) => item.name),
    ['Own', 'Wall'],
  );
  assert.equal((await boris.listMosaics()).total, 1);
});

test('[R4.13, R7.42, R7.43] an invalid mosaic id, and cells that overlap, leave the grid or show missing streams', async () => {
  for (const id of ['abc', '0', '-1', '1.5', '99999999999999999999']) {
    const response = await fetch(`${server.url}/v1/mosaic/${id}`, { headers: await headersOf('anna') });
    assert.equal(((await response.json()) as { code: string }).code, 'ValidationError', id);
  }
  const cell = { x: 0, y: 0, width: 1, height: 1, stream: null };
  const add = (columns: number, rows: number, cells: object[]) =>
    anna.addMosaic({ body: { name: 'x', layout: { columns, rows, cells } as never } });
  await assert.rejects(add(1, 1, [cell, cell]), code('ValidationError', 'layout.cells.1'));
  await assert.rejects(add(1, 1, [{ ...cell, width: 2 }]), code('ValidationError', 'layout.cells.0'));
  await assert.rejects(add(0, 1, []), code('ValidationError', 'layout.columns'));
  await assert.rejects(add(33, 1, []), code('ValidationError', 'layout.columns'));
  await assert.rejects(add(1, 1, [{ ...cell, stream: 'nosuch' }]), code('Forbidden'));
  await assert.rejects(
    admin.addMosaic({
      body: { name: 'x', layout: { columns: 1, rows: 1, cells: [{ ...cell, stream: 'nosuch' }] } },
    }),
    code('NotFound'),
  );
});

test('[R10.6, R7.18, R6.5] users who may view the archive see bookmarks, and authors may change their own', async () => {
  const { id } = await anna.addBookmark({ body: { stream: gate, startTime: 5_000, note: 'Red car' } });
  await allow({ view: true });
  assert.equal((await boris.listBookmarks()).total, 0);
  await assert.rejects(boris.addBookmark({ body: { stream: gate, startTime: 1 } }), code('Forbidden'));
  await assert.rejects(
    boris.listAnnotations({ query: { streamId: gate, from: 0, to: 1 } }),
    code('Forbidden'),
  );
  await allow({ archive: true });
  const [seen] = (await boris.listBookmarks({ query: { stream: gate } })).items;
  assert.deepEqual([seen?.note, seen?.createdBy, seen?.endTime], ['Red car', 'anna', null]);
  await assert.rejects(boris.saveBookmark({ params: { id }, body: { note: 'x' } }), code('Forbidden'));
  await assert.rejects(boris.deleteBookmark({ params: { id } }), code('Forbidden'));
  await boris.addBookmark({ body: { stream: gate, startTime: 9_000, endTime: 9_000, note: 'blue CAR' } });
  const found = await anna.listBookmarks({ query: { searchingValues: ['car'] } });
  assert.deepEqual(
    found.items.map((item) => item.note),
    ['blue CAR', 'Red car'],
  );
  const backwards = { stream: gate, startTime: 5, endTime: 4 };
  await assert.rejects(anna.addBookmark({ body: backwards }), code('ValidationError', 'endTime'));
  await assert.rejects(
    anna.saveBookmark({ params: { id }, body: { endTime: 1 } }),
    code('ValidationError', 'endTime'),
  );
  assert.ok((await boris.search({ query: { query: 'red' } })).items.some((item) => item.kind === 'bookmark'));
  await allow({});
  assert.equal((await boris.listBookmarks()).total, 0);
  assert.deepEqual((await boris.search({ query: { query: 'red' } })).items, []);
  // Detectors are not viewers: adding annotations requires the right to edit.
  await allow({ archive: true });
  const annotation = { streamId: gate, time: 1_000, timeEnd: 2_000 };
  await assert.rejects(boris.addAnnotation({ body: annotation }), code('Forbidden'));
  await anna.addAnnotation({ body: annotation });
  assert.equal(
    (await boris.listAnnotations({ query: { streamId: gate, from: 0, to: 5_000 } })).items.length,
    1,
  );
  const tooLong = { streamId: gate, from: 0, to: 8 * 86_400_000 };
  await assert.rejects(boris.listAnnotations({ query: tooLong }), code('TimeRangeIsTooLong'));
});

test('[R7.9, R6.5] the link of a stream is created once for all users who may share it, and revoked', async () => {
  const params = { uid: gate };
  await assert.rejects(boris.getStreamShare({ params }), code('Forbidden'));
  const { url } = await anna.getStreamShare({ params });
  assert.match(url, /\/ui\/share\/[\w-]{43}$/);
  assert.equal((await anna.getStreamShare({ params })).url, url);
  await allow({ share: true });
  assert.equal((await boris.getStreamShare({ params })).url, url);
  await boris.revokeStreamShare({ params });
  assert.notEqual((await anna.getStreamShare({ params })).url, url);
});

test('[R7.25] deleting a user keeps their streams, which then belong to the administrators', async () => {
  await admin.deleteUser({ params: { login: 'anna' } });
  await assert.rejects(anna.getProfile(), code('AuthorizationRequired'));
  assert.equal((await admin.getStream({ params: { uid: gate } })).createdBy, null);
});

async function headersOf(name: string): Promise<Record<string, string>> {
  return { cookie: await signIn(server, name, password) };
}
