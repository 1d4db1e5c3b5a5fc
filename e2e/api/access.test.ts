import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ApiError, createClient, type Client } from '@vidette/contract/client';
import { addressOf, routes, type CallName } from '@vidette/contract/routes';
import { administratorOf, textOf } from '../api.ts';
import { patterns, people, table, type Person } from './access-table.ts';
import { signIn, startServer, type TestServer } from '../server.ts';
import { inStore } from '../stored.ts';

const password = 'ведро и труба';
const secrets = new Map<Person | 'due', string>();
let server: TestServer;
let admin: Client;
let uid: string;
let mosaic: number;
let bookmark: number;

before(async () => {
  server = await startServer();
  const { client } = await administratorOf(server);
  secrets.set('admin', (await client.addToken({ body: { name: 't' } })).secret);
  admin = clientAs('admin');
  for (const person of [...people.slice(1, -1), 'due'] as (Person | 'due')[]) {
    const maxStreamCreation = person === 'readOnly' ? 0 : 5;
    await admin.addUser({ body: { name: person, password, maxStreamCreation } });
    const cookie = await signIn(server, person, password);
    const client = createClient({ baseUrl: server.url, headers: () => ({ cookie }) });
    secrets.set(person, (await client.addToken({ body: { name: 't' } })).secret);
  }
  await admin.blockUser({ params: { login: 'blocked' } });
  await manageElsewhere('managed');
  await admin.saveUser({ params: { login: 'due' }, body: { mustChangePassword: true } });
  const owner = clientAs('owner');
  ({ uid } = await owner.addStream({ body: { name: 'Gate', streamSource: 'rtsp://10.255.255.1/gate' } }));
  await admin.pauseStream({ body: { uid } });
  await admin.saveStreamPermissions({
    params: { uid },
    body: {
      items: [
        { user: 'viewer', view: true },
        { user: 'archivist', archive: true },
        { user: 'sharer', share: true },
        { user: 'editor', edit: true },
      ],
    },
  });
});

after(() => server?.stop());

/**
 * Objects that only their author and administrators may change: created again for each user, because a user who
 * may delete them does.
 */
async function makeOwned(): Promise<void> {
  const owner = clientAs('owner');
  const layout = { columns: 1, rows: 1, cells: [{ x: 0, y: 0, width: 1, height: 1, stream: uid }] };
  ({ id: mosaic } = await owner.addMosaic({ body: { name: 'Wall', layout } }));
  ({ id: bookmark } = await owner.addBookmark({ body: { stream: uid, startTime: 1 } }));
}

/** Managed users come from single sign-on or a directory, which no call of this server can simulate. */
async function manageElsewhere(login: string): Promise<void> {
  await inStore(server, 'UPDATE users SET is_managed = 1 WHERE login = ?', login);
}

function headersOf(person: Person | 'due'): Record<string, string> {
  const secret = secrets.get(person);
  return secret === undefined ? {} : { authorization: `Bearer ${secret}` };
}

function clientAs(person: Person | 'due'): Client {
  return createClient({ baseUrl: server.url, headers: () => headersOf(person) });
}

/**
 * Requests that are harmless even when admitted: they name existing objects, and mostly request something
 * impossible.
 */
function requestOf(name: CallName): { path: string; body: unknown } {
  const params = { uid, login: 'nosuch', id: '999', key: 'k'.repeat(43), file: '1.mp4' };
  const id = name.endsWith('Mosaic') ? mosaic : name.endsWith('Bookmark') ? bookmark : params.id;
  const queries: Partial<Record<CallName, Record<string, unknown>>> = {
    deleteStream: { purge: 'maybe' },
    probeStream: { url: 'file:///etc/passwd' },
    previewStream: { url: 'file:///etc/passwd' },
    listAnnotations: { streamId: uid, from: 1, to: 2 },
    search: { query: 'x' },
  };
  const bodies: Partial<Record<CallName, unknown>> = {
    pauseStream: { uid },
    resumeStream: { uid },
    addAnnotation: { streamId: uid, time: 5, timeEnd: 1 },
    addBookmark: { stream: uid, startTime: 5, endTime: 1 },
    reviewJournal: { ids: [] },
  };
  return { path: addressOf(name, { ...params, id }, queries[name]), body: bodies[name] };
}

/** The answer of a call: 'ok' or the code. */
async function answerOf(name: CallName, person: Person | 'due'): Promise<string> {
  const { path, body } = requestOf(name);
  const { method } = routes[name];
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const response = await fetch(server.url + path, {
    method,
    headers: { ...headersOf(person), ...(hasBody ? { 'content-type': 'application/json' } : {}) },
    ...(hasBody ? { body: JSON.stringify(body ?? {}) } : {}),
  });
  const text = await textOf(response);
  if (response.ok) return 'ok';
  const { code } = JSON.parse(text) as { code: string };
  assert.ok(!code.startsWith('Internal') && !code.startsWith('Response'), `${name} as ${person}: ${text}`);
  return code;
}

const refusals = new Set(['AuthorizationRequired', 'Forbidden']);

for (const [index, person] of people.entries()) {
  test(`[R6.1, R6.2, R6.5, R1.3] every call as ${person}, according to the table`, async () => {
    await makeOwned();
    const isKnown = person !== 'anonymous' && person !== 'blocked';
    const refusal = isKnown ? 'Forbidden' : 'AuthorizationRequired';
    for (const name of Object.keys(routes) as CallName[]) {
      const [who, answer] = table[name];
      const isLetIn = patterns[who].replaceAll(' ', '')[index] === '+';
      const expected = isLetIn ? answer : refusal;
      assert.equal(await answerOf(name, person), expected, name);
      assert.ok(!isLetIn || !refusals.has(answer), `${name}: the request of the test proves nothing`);
    }
  });
}

test('[R3.2] a user who must change the password can do nothing but change it', async () => {
  for (const name of Object.keys(routes) as CallName[]) {
    const answer = await answerOf(name, 'due');
    const mayCall = table[name][0] === 'anyone' || name === 'getProfile' || name === 'saveProfile';
    assert.equal(answer !== 'Forbidden', mayCall, `${name}: ${answer}`);
  }
  const due = clientAs('due');
  await due.saveProfile({ body: { password: 'другое ведро', oldPassword: password } });
  assert.equal((await due.listStreams()).total, 0);
});

test('[R6.4] the name, e-mail and password of a managed user can’t be changed here, not even by an administrator', async () => {
  const changes = [
    { name: 'other' },
    { email: 'other@example.org' },
    { fullName: 'Other' },
    { password: 'quite another', oldPassword: password },
  ];
  const before = await admin.getUser({ params: { login: 'managed' } });
  assert.equal(before.isManaged, true);
  for (const body of changes) {
    await assert.rejects(clientAs('managed').saveProfile({ body }), { code: 'ActionNotAcceptable' });
    const { oldPassword: _old, ...byAdmin } = { oldPassword: '', ...body };
    const [path] = Object.keys(body);
    await assert.rejects(admin.saveUser({ params: { login: 'managed' }, body: byAdmin }), (error) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, 'ActionNotAcceptable');
      assert.deepEqual(
        error.fields.map((field) => [field.path, field.code]),
        [[path, 'ActionNotAcceptable']],
      );
      return true;
    });
  }
  const demanded = { mustChangePassword: true };
  await assert.rejects(admin.saveUser({ params: { login: 'managed' }, body: demanded }), {
    code: 'ActionNotAcceptable',
  });
  const { preferences: _, ...after } = await clientAs('managed').saveProfile({ body: { language: 'ru' } });
  assert.deepEqual({ ...after, lastSeenTime: null }, { ...before, language: 'ru', lastSeenTime: null });
  const raised = await admin.saveUser({ params: { login: 'managed' }, body: { maxStreamCreation: 9 } });
  assert.equal(raised.maxStreamCreation, 9);
});

test('[R6.5] a stream that a user may not view can’t be distinguished from a missing one', async () => {
  const ask = async (of: string) => {
    const response = await fetch(`${server.url}/v1/stream/${of}`, { headers: headersOf('stranger') });
    return { status: response.status, body: await response.text() };
  };
  assert.deepEqual(await ask(uid), await ask('nosuchstream'));
});

test('[R6.5] rights are the same from both sides: those granted on a stream are shown for the user, and revoked there', async () => {
  const { items } = await admin.getUserPermissions({ params: { login: 'archivist' } });
  assert.deepEqual(items, [
    { stream: uid, streamName: 'Gate', view: true, archive: true, share: false, edit: false },
  ]);
  await admin.saveUserPermissions({ params: { login: 'archivist' }, body: { items: [] } });
  const { items: rest } = await admin.getStreamPermissions({ params: { uid } });
  assert.deepEqual(
    rest.map((row) => row.user),
    ['editor', 'sharer', 'viewer'],
  );
  await assert.rejects(clientAs('archivist').getStream({ params: { uid } }), { code: 'Forbidden' });
  assert.equal((await clientAs('archivist').listStreams()).total, 0);
});

test('[R3.1] a user who may not edit a stream does not see the login in its address', async () => {
  const { uid: secret } = await admin.addStream({
    body: { name: 'S', streamSource: 'rtsp://root:hunter2@10.255.255.1/s', archive: { isEnable: false } },
  });
  await admin.pauseStream({ body: { uid: secret } });
  await admin.saveStreamPermissions({
    params: { uid: secret },
    body: { items: [{ user: 'viewer', view: true }] },
  });
  const seen = await clientAs('viewer').getStream({ params: { uid: secret } });
  assert.equal(seen.streamSource, 'rtsp://10.255.255.1');
  assert.equal(seen.canEdit, false);
  const edited = await admin.getStream({ params: { uid: secret } });
  assert.equal(edited.streamSource, 'rtsp://root:hunter2@10.255.255.1/s');
  const found = await clientAs('viewer').listStreams({ query: { searchingValues: ['hunter2'] } });
  assert.equal(found.total, 0);
  assert.doesNotMatch(server.output, /hunter2/);
});

test('[R6.3] a user at the limit of streams gets QuotaReached', async () => {
  await admin.saveUser({ params: { login: 'stranger' }, body: { maxStreamCreation: 1 } });
  const body = { name: 'n', streamSource: 'demo:', live: { onDemand: true }, archive: { isEnable: false } };
  const results = await Promise.allSettled([
    clientAs('stranger').addStream({ body }),
    clientAs('stranger').addStream({ body }),
  ]);
  const codes = results.map((result) =>
    result.status === 'rejected' ? (result.reason as { code?: string }).code : 'ok',
  );
  // The database determines which of the two comes first.
  assert.deepEqual(new Set(codes), new Set(['ok', 'QuotaReached']));
  assert.equal((await clientAs('stranger').listStreams()).total, 1);
});
