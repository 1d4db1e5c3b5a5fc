import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isUniqueViolation } from './constraint.ts';
import { openTestStore } from './store-fixture.ts';
import type { Store } from './store.ts';
import { newStream } from './stream-fixture.ts';
import type { ListViewer, StreamQuery, StreamSort } from './stream-list.ts';
import { newUser } from './user-fixture.ts';

let folder: string;
let store: Store;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidette-store-'));
  store = await openTestStore(folder);
});

after(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const userOf = (login: string) => newUser(login, { email: `${login}@Example.org`, maxStreamCreation: -1 });

const plain: StreamQuery = {
  page: 1,
  pageSize: 100,
  sort: 'name',
  descending: false,
  byTag: false,
  onlyAvailable: false,
  words: [],
};
const admin: ListViewer = { userId: 0, isAdmin: true };

test('a login is unique regardless of case', async () => {
  const user = await store.users.add(userOf('Anna'));
  assert.equal((await store.users.byLogin('aNNa'))?.id, user.id);
  assert.equal((await store.users.byEmail('anna@example.ORG'))?.id, user.id);
  await assert.rejects(store.users.add(userOf('ANNA')), isUniqueViolation);
});

test('[R5.4] search is by substring in name, source, tags and location, regardless of case; all words must match', async () => {
  await store.streams.add(
    newStream('search1', { name: 'Двор ЮГ', tags: ['Въезд', 'day_1'], location: { name: 'Kraków' } }),
  );
  await store.streams.add(newStream('search2', { name: 'Двор', source: 'rtsp://user:secret@10.0.0.7/yard' }));
  const found = async (...words: string[]) => {
    const { items } = await store.streamList.page(admin, { ...plain, words });
    return items.map((item) => item.stream.uid).filter((uid) => uid.startsWith('search'));
  };
  assert.deepEqual(await found('дВОР'), ['search2', 'search1']);
  assert.deepEqual(await found('двор', 'юг'), ['search1']);
  assert.deepEqual(await found('въезд', 'KRAKÓW'), ['search1']);
  assert.deepEqual(await found('10.0.0.7/YARD'), ['search2']);
  assert.deepEqual(await found('secret'), []);
  assert.deepEqual(await found('day_1'), ['search1']);
  assert.deepEqual(await found('day%'), []);
  assert.deepEqual(await found('dayx1'), []);
});

test('[R6.5] lists contain only streams that the user may view: their own and permitted ones', async () => {
  const owner = await store.users.add(userOf('owner'));
  const guest = await store.users.add(userOf('guest'));
  const stream = await store.streams.add(newStream('rights', { createdBy: owner.id }));
  const viewer = (userId: number): ListViewer => ({ userId, isAdmin: false });
  const uids = async (userId: number) =>
    (await store.streamList.page(viewer(userId), plain)).items.map((item) => item.stream.uid);
  assert.deepEqual(await uids(owner.id), ['rights']);
  assert.deepEqual(await uids(guest.id), []);
  const rights = { view: true, archive: true, share: false, edit: false };
  await store.permissions.replaceOfStream(stream.id, [{ userId: guest.id, rights }]);
  assert.deepEqual(await uids(guest.id), ['rights']);
  assert.deepEqual((await store.streamList.find(viewer(guest.id), 'rights'))?.rights, rights);
  assert.deepEqual(await store.permissions.ofUser(guest.id), [
    { stream: 'rights', streamName: 'rights', rights },
  ]);
  await store.permissions.replaceOfUser(guest.id, []);
  assert.deepEqual(await store.permissions.ofStream(stream.id), []);
  assert.deepEqual([...((await store.streamList.viewableUids(viewer(guest.id))) ?? ['all'])], []);
});

test('a grouped list has a stream under each of its tags, and untagged streams last', async () => {
  await store.streams.add(newStream('group1', { name: 'g1', tags: ['grpB', 'grpA'] }));
  await store.streams.add(newStream('group2', { name: 'g2', tags: ['grpa'] }));
  await store.streams.add(newStream('group3', { name: 'g3', tags: [] }));
  const page = await store.streamList.page(admin, { ...plain, byTag: true });
  const rows = page.items.filter((item) => item.group?.toLowerCase().startsWith('grp'));
  assert.deepEqual(
    rows.map((row) => [row.group, row.stream.uid]),
    [
      ['grpA', 'group1'],
      ['grpa', 'group2'],
      ['grpB', 'group1'],
    ],
  );
  assert.equal(page.groups.at(-1)?.name, null);
  assert.equal(page.total, page.items.length);
});

test('a grouped list read page by page is complete, whatever the page size', async () => {
  for (let index = 0; index < 7; index++) {
    const tags = ['PagedA', 'PagedB', 'PagedC'].filter((_, place) => (index + 1) & (1 << place));
    await store.streams.add(newStream(`paged${index}`, { tags: index === 6 ? [] : tags }));
  }
  const query = { ...plain, byTag: true, words: ['paged'] };
  const idsOf = (page: Awaited<ReturnType<typeof store.streamList.page>>) =>
    page.items.map((item) => `${item.group} ${item.stream.uid}`);
  const whole = await store.streamList.page(admin, query);
  assert.deepEqual(
    whole.groups.map((group) => group.total),
    [3, 3, 3, 1],
  );
  for (const pageSize of [1, 2, 3, 4, 9, 10]) {
    const rows: string[] = [];
    for (let page = 1; page <= Math.ceil(whole.total / pageSize) + 1; page++) {
      rows.push(...idsOf(await store.streamList.page(admin, { ...query, page, pageSize })));
    }
    assert.deepEqual(rows, idsOf(whole), `pages of ${pageSize}`);
  }
});

test('[R2.26] a list is sorted by any column, streams without a value last in both directions', async () => {
  const reader = await store.users.add(userOf('sorter'));
  const archive = { view: true, archive: true, share: false, edit: false };
  const [first, second, third] = await Promise.all(
    (
      [
        ['sorted1', { name: 'sorted c', archive: { isEnable: true, depthHours: -1 }, tags: ['t2', 't1'] }],
        ['sorted2', { name: 'sorted b', archive: { isEnable: true, depthHours: 24 }, tags: ['t3'] }],
        ['sorted3', { name: 'sorted a', archive: { isEnable: false, depthHours: 48 } }],
      ] as const
    ).map(([uid, members]) => store.streams.add(newStream(uid, members))),
  );
  assert.ok(first && second && third);
  await store.permissions.replaceOfUser(reader.id, [
    { streamId: first.id, rights: archive },
    { streamId: second.id, rights: { ...archive, archive: false } },
    { streamId: third.id, rights: archive },
  ]);
  const figures = new Map([
    ['sorted1', 5],
    ['sorted2', 0.25],
    ['elsewhere', 1],
  ]);
  const viewer: ListViewer = { userId: reader.id, isAdmin: false };
  const sorted = async (sort: StreamSort, who = viewer, query: Partial<StreamQuery> = {}) => {
    const asked = { ...plain, sort, figures, words: ['sorted'], ...query };
    const both = await Promise.all(
      [false, true].map(async (descending) => store.streamList.page(who, { ...asked, descending })),
    );
    return both.map(({ items }) => items.map(({ stream }) => stream.uid.at(-1)).join(''));
  };
  assert.deepEqual(await sorted('viewers'), ['213', '123']);
  assert.deepEqual(await sorted('share', admin), ['213', '123']);
  assert.deepEqual(
    await sorted('share'),
    ['132', '132'],
    'a figure of an archive that the viewer may not see',
  );
  assert.deepEqual(await sorted('depth'), ['213', '123']);
  assert.deepEqual(await sorted('tags'), ['123', '213']);
  assert.deepEqual(await sorted('bitrate', admin, { byTag: true }), ['1123', '1123']);
  const pages = [1, 2, 3].map((page) => sorted('viewers', viewer, { page, pageSize: 1 }));
  assert.deepEqual(await Promise.all(pages), [
    ['2', '1'],
    ['1', '2'],
    ['3', '3'],
  ]);
});

test('a save at an old revision is refused', async () => {
  const stream = await store.streams.add(newStream('revised', { tags: ['a'] }));
  const {
    uid: _,
    createdBy: _by,
    createdMs: _ms,
    status: _s,
    shareKey: _k,
    ...changes
  } = newStream('revised');
  const saved = await store.streams.save(stream.id, 1, { ...changes, name: 'new', tags: ['b', 'c'] });
  assert.equal(saved?.revision, 2);
  assert.equal(await store.streams.save(stream.id, 1, { ...changes, name: 'late' }), undefined);
  assert.deepEqual((await store.streams.byUid('revised'))?.tags, ['b', 'c']);
});

test('only available means pending or running', async () => {
  await store.streams.add(newStream('avail1'));
  await store.streams.add(newStream('avail2'));
  await store.streams.saveStatuses(
    new Map([
      ['avail1', { status: 'failed', code: 'UNREACHABLE_ERR', reason: 'No answer.' }],
      ['avail2', { status: 'running', code: null, reason: null }],
    ]),
  );
  const { items } = await store.streamList.page(admin, { ...plain, onlyAvailable: true, words: ['avail'] });
  assert.deepEqual(
    items.map((item) => item.stream.uid),
    ['avail2'],
  );
  assert.equal((await store.streams.byUid('avail1'))?.failureCode, 'UNREACHABLE_ERR');
});

test('a failed transaction leaves nothing behind, and others wait for it', async () => {
  const before = await store.streams.count();
  const results = await Promise.allSettled([
    store.streams.add(newStream('twice', { tags: ['x'] })),
    store.streams.add(newStream('twice', { tags: ['y'] })),
    store.streams.add(newStream('once')),
  ]);
  // PostgreSQL may take the second of the two first.
  const [first, second, other] = results.map((result) => result.status);
  assert.deepEqual(new Set([first, second]), new Set(['fulfilled', 'rejected']));
  assert.equal(other, 'fulfilled');
  assert.equal(await store.streams.count(), before + 2);
});

test('deleting a user ends their sessions and keeps their streams', async () => {
  const user = await store.users.add(userOf('leaver'));
  await store.streams.add(newStream('orphan', { createdBy: user.id }));
  await store.sessions.add({
    id: 's1',
    secretHash: 'h',
    userId: user.id,
    createdMs: 1,
    lastSeenMs: 1,
    ip: '',
    userAgent: '',
  });
  await store.users.remove(user.id);
  assert.equal(await store.sessions.bySecretHash('h'), undefined);
  assert.equal((await store.streams.byUid('orphan'))?.createdBy, null);
});

const auditRow = {
  ip: '',
  targetName: null,
  outcome: 'ok',
  details: {},
  isMachine: false,
  isOfStream: false,
};

test('values, codes and audit rows are stored', async () => {
  await store.settings.set('k', { a: 1 });
  await store.settings.set('k', { a: 2 });
  assert.deepEqual(await store.settings.get('k'), { a: 2 });
  const user = await store.users.add(userOf('coded'));
  await store.resetCodes.set({ userId: user.id, codeHash: 'x', expiresMs: 5, tries: 3 });
  await store.resetCodes.set({ userId: user.id, codeHash: 'y', expiresMs: 6, tries: 0 });
  assert.equal(await store.resetCodes.addTry(user.id), 1);
  assert.equal((await store.resetCodes.ofUser(user.id))?.codeHash, 'y');
  const entry = { ...auditRow, timeMs: 1, login: 'l', target: null };
  await store.audit.addAll([
    { ...entry, action: 'one' },
    { ...entry, action: 'two' },
  ]);
  const rows = await store.audit.list({ limit: 10, login: 'l' });
  assert.deepEqual(
    rows.map((row) => row.action),
    ['two', 'one'],
  );
});

test('[R7.47] an audit entry keeps the name that its stream had then; what programs did can be left out', async () => {
  const stream = await store.streams.add(newStream('named', { name: 'Gate 2' }));
  const entry = { ...auditRow, timeMs: 1, login: 'namer', target: 'named', isOfStream: true };
  await store.audit.addAll([
    { ...entry, action: 'watchStream' },
    { ...entry, action: 'watchStills', isMachine: true },
  ]);
  await store.streams.save(stream.id, stream.revision, { ...stream, name: 'Gate 3' });
  await store.audit.add({ ...entry, timeMs: 2, action: 'saveStream', targetName: 'Gate 2' });
  await store.audit.add({ ...entry, timeMs: 3, action: 'watchStream' });
  await store.audit.add({ ...entry, timeMs: 4, action: 'addUser', isOfStream: false });
  const seen = async (onlyPeople: boolean) =>
    (await store.audit.list({ limit: 9, login: 'namer', onlyPeople })).map(({ action, targetName }) => [
      action,
      targetName,
    ]);
  const people = [
    ['addUser', null],
    ['watchStream', 'Gate 3'],
    ['saveStream', 'Gate 2'],
  ];
  assert.deepEqual(await seen(true), [...people, ['watchStream', 'Gate 2']]);
  assert.deepEqual(await seen(false), [...people, ['watchStills', 'Gate 2'], ['watchStream', 'Gate 2']]);
  const named = await store.audit.list({ limit: 9, target: 'Gate 2' });
  assert.deepEqual(
    named.map(({ action }) => action),
    ['saveStream', 'watchStills', 'watchStream'],
  );
});

test('[R7.47] the audit log is in chronological order, page by page, even if the clock was set back', async () => {
  const times = [1_000, 2_000, 9_000, 9_000, 3_000, 4_000];
  await store.audit.addAll(
    times.map((timeMs, index) => ({
      ...auditRow,
      timeMs,
      login: index % 2 === 0 ? 'even' : 'odd',
      action: 'signIn',
      target: 'clock',
    })),
  );
  const seen: number[] = [];
  for (let before: number | undefined; ;) {
    const page = await store.audit.list({ limit: 2, before, target: 'clock' });
    seen.push(...page.map(({ timeMs }) => timeMs));
    before = page.at(-1)?.id;
    if (before === undefined) break;
  }
  assert.deepEqual(seen, [9_000, 9_000, 4_000, 3_000, 2_000, 1_000]);
  const odd = await store.audit.list({
    limit: 9,
    login: 'odd',
    action: 'signIn',
    fromMs: 2_000,
    toMs: 9_000,
  });
  assert.deepEqual(
    odd.map(({ timeMs }) => timeMs),
    [4_000, 2_000],
  );
});

test('users sort by when they were last seen, those never seen at the end; names sort by code point', async () => {
  for (const [login, lastSeenMs] of [
    ['seen-b', 20],
    ['seen-c', null],
    ['seen-a', 30],
    ['seen_d', 10],
  ] as const) {
    await store.users.add({ ...userOf(login), lastSeenMs });
  }
  const logins = async (sort: 'lastSeenMs' | 'login', descending: boolean) => {
    const page = { page: 1, pageSize: 10, words: ['seen'] };
    return (await store.users.list({ ...page, sort, descending })).items.map(({ login }) => login);
  };
  assert.deepEqual(await logins('lastSeenMs', true), ['seen-a', 'seen-b', 'seen_d', 'seen-c']);
  assert.deepEqual(await logins('lastSeenMs', false), ['seen-c', 'seen_d', 'seen-b', 'seen-a']);
  assert.deepEqual(await logins('login', false), ['seen-a', 'seen-b', 'seen-c', 'seen_d']);
});

test('impossible values are not found: NUL in a text, an id beyond every other', async () => {
  assert.equal(await store.users.byLogin('a\0b'), undefined);
  assert.equal(await store.users.byId(Number.MAX_SAFE_INTEGER), undefined);
  assert.deepEqual((await store.streamList.page(admin, { ...plain, words: ['\0'] })).items, []);
});
