import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createClient, type Client } from '@vidette/contract/client';
import { addressOf, routes, type CallName } from '@vidette/contract/routes';
import { administratorOf } from '../api.ts';
import { signIn, startServer, type TestServer } from '../server.ts';

/** People, each with nothing but what their name says; the stream is the owner's. */
const people = [
  'nobody',
  'blocked',
  'readOnly',
  'stranger',
  'viewer',
  'archivist',
  'sharer',
  'editor',
  'owner',
  'admin',
] as const;
type Person = (typeof people)[number];

/**
 * A column for each of the people above: + is let in, - is refused. All come by token: one that opens nothing any
 * more is refused even where nobody would be asked for one.
 */
const patterns = {
  anyone: '+-++++++++',
  signedIn: '--++++++++',
  creators: '---+++++++',
  view: '----++++++',
  archive: '-----+--++',
  share: '------+-++',
  edit: '-------+++',
  own: '--------++',
  admin: '---------+',
} as const;

/** Who may make which call. A call without a row does not compile. */
const table: Record<CallName, keyof typeof patterns> = {
  listStreams: 'signedIn',
  listStreamStatuses: 'signedIn',
  listStreamTags: 'signedIn',
  addStream: 'creators',
  pauseStream: 'edit',
  resumeStream: 'edit',
  probeStream: 'creators',
  previewStream: 'creators',
  getStream: 'view',
  saveStream: 'edit',
  deleteStream: 'edit',
  getStreamPicture: 'view',
  getStreamShare: 'share',
  saveStreamShare: 'share',
  revokeStreamShare: 'share',
  getStreamPermissions: 'edit',
  saveStreamPermissions: 'edit',
  getStreamLogs: 'edit',
  getStreamStats: 'view',
  watchStream: 'view',
  getLiveFile: 'view',
  getArchiveRanges: 'archive',
  getArchiveStats: 'archive',
  getArchiveDays: 'archive',
  downloadArchive: 'archive',
  getArchivePlaylist: 'archive',
  getArchiveSegment: 'archive',
  getArchivePicture: 'archive',
  listAnnotations: 'archive',
  addAnnotation: 'edit',
  listBookmarks: 'signedIn',
  addBookmark: 'archive',
  saveBookmark: 'own',
  deleteBookmark: 'own',
  getShared: 'anyone',
  watchShared: 'anyone',
  signIn: 'anyone',
  signOut: 'anyone',
  sendPasswordReset: 'anyone',
  resetPassword: 'anyone',
  getProfile: 'signedIn',
  saveProfile: 'signedIn',
  listTokens: 'signedIn',
  addToken: 'signedIn',
  deleteToken: 'signedIn',
  listSessions: 'signedIn',
  terminateSessions: 'signedIn',
  deleteSession: 'signedIn',
  listUsers: 'admin',
  addUser: 'admin',
  getUser: 'admin',
  saveUser: 'admin',
  deleteUser: 'admin',
  blockUser: 'admin',
  unblockUser: 'admin',
  getUserPermissions: 'admin',
  saveUserPermissions: 'admin',
  listUserSessions: 'admin',
  deleteUserSession: 'admin',
  getHealth: 'signedIn',
  getSettings: 'anyone',
  search: 'signedIn',
  unlock: 'anyone',
  getSystemLogs: 'admin',
  getSystemStats: 'admin',
  getLicense: 'admin',
  saveLicense: 'admin',
  listClusterNodes: 'admin',
  listNodeChoices: 'signedIn',
  getClusterNode: 'admin',
  saveClusterNode: 'admin',
  deleteClusterNode: 'admin',
  drainClusterNode: 'admin',
  returnClusterNode: 'admin',
  listMosaics: 'signedIn',
  getMosaic: 'own',
  addMosaic: 'signedIn',
  saveMosaic: 'own',
  deleteMosaic: 'own',
  getAdminStats: 'admin',
  getConfiguration: 'admin',
  saveConfiguration: 'admin',
  listAuditLogs: 'admin',
  startTunnel: 'admin',
  stopTunnel: 'admin',
  getTunnelStatus: 'admin',
  checkVersion: 'admin',
  getOpenApi: 'admin',
};

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
  const layout = { columns: 1, rows: 1, cells: [{ x: 0, y: 0, width: 1, height: 1, stream: uid }] };
  ({ id: mosaic } = await owner.addMosaic({ body: { name: 'Wall', layout } }));
  ({ id: bookmark } = await owner.addBookmark({ body: { stream: uid, startTime: 1 } }));
});

after(() => server?.stop());

function headersOf(person: Person | 'due'): Record<string, string> {
  const secret = secrets.get(person);
  return secret === undefined ? {} : { authorization: `Bearer ${secret}` };
}

function clientAs(person: Person | 'due'): Client {
  return createClient({ baseUrl: server.url, headers: () => headersOf(person) });
}

/** Requests that are let in without doing harm: they name what exists, and then ask for something impossible. */
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
  };
  return { path: addressOf(name, { ...params, id }, queries[name]), body: bodies[name] };
}

/** What a call answers: 'ok' or the code. */
async function answerOf(name: CallName, person: Person | 'due'): Promise<string> {
  const { path, body } = requestOf(name);
  const { method } = routes[name];
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const response = await fetch(server.url + path, {
    method,
    headers: { ...headersOf(person), ...(hasBody ? { 'content-type': 'application/json' } : {}) },
    ...(hasBody ? { body: JSON.stringify(body ?? {}) } : {}),
  });
  const text = await response.text();
  if (response.ok) return 'ok';
  const { code } = JSON.parse(text) as { code: string };
  assert.ok(!code.startsWith('Internal') && !code.startsWith('Response'), `${name} as ${person}: ${text}`);
  return code;
}

for (const [index, person] of people.entries()) {
  test(`[R6.1, R6.2, R6.5, R1.3] every call as ${person}, by the table`, async () => {
    for (const name of Object.keys(routes) as CallName[]) {
      const answer = await answerOf(name, person);
      const isRefused = answer === 'AuthorizationRequired' || answer === 'Forbidden';
      const expected = patterns[table[name]][index];
      assert.equal(isRefused ? '-' : '+', expected, `${name}: ${answer}`);
      if (expected === '-') {
        const isKnown = person !== 'nobody' && person !== 'blocked';
        assert.equal(answer, isKnown ? 'Forbidden' : 'AuthorizationRequired', name);
      }
    }
  });
}

test('[R3.2] somebody who must change the password can do nothing but change it', async () => {
  for (const name of Object.keys(routes) as CallName[]) {
    const answer = await answerOf(name, 'due');
    const mayCall = table[name] === 'anyone' || name === 'getProfile' || name === 'saveProfile';
    assert.equal(answer !== 'Forbidden', mayCall, `${name}: ${answer}`);
  }
  const due = clientAs('due');
  await due.saveProfile({ body: { password: 'другое ведро', oldPassword: password } });
  assert.equal((await due.listStreams()).total, 0);
});

test('[R6.5] a stream one may not view can’t be told from one that is not there', async () => {
  const ask = async (of: string) => {
    const response = await fetch(`${server.url}/v1/stream/${of}`, { headers: headersOf('stranger') });
    return { status: response.status, body: await response.text() };
  };
  assert.deepEqual(await ask(uid), await ask('nosuchstream'));
});

test('[R6.5] one truth from both sides: rights given to a stream are seen at the user, and taken there', async () => {
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

test('[R3.1] who may not edit a stream does not see the login in its address', async () => {
  const { uid: secret } = await admin.addStream({
    body: { name: 'S', streamSource: 'rtsp://root:hunter2@10.255.255.1/s', archive: { isEnable: false } },
  });
  await admin.pauseStream({ body: { uid: secret } });
  await admin.saveStreamPermissions({
    params: { uid: secret },
    body: { items: [{ user: 'viewer', view: true }] },
  });
  const seen = await clientAs('viewer').getStream({ params: { uid: secret } });
  assert.equal(seen.streamSource, 'rtsp://10.255.255.1/s');
  assert.equal(seen.canEdit, false);
  const edited = await admin.getStream({ params: { uid: secret } });
  assert.equal(edited.streamSource, 'rtsp://root:hunter2@10.255.255.1/s');
  const found = await clientAs('viewer').listStreams({ query: { searchingValues: ['hunter2'] } });
  assert.equal(found.total, 0);
  assert.doesNotMatch(server.output, /hunter2/);
});

test('[R6.3] whoever reached their number of streams gets QuotaReached', async () => {
  await admin.saveUser({ params: { login: 'stranger' }, body: { maxStreamCreation: 1 } });
  const body = { name: 'n', streamSource: 'demo:', live: { onDemand: true }, archive: { isEnable: false } };
  const results = await Promise.allSettled([
    clientAs('stranger').addStream({ body }),
    clientAs('stranger').addStream({ body }),
  ]);
  const codes = results.map((result) =>
    result.status === 'rejected' ? (result.reason as { code?: string }).code : 'ok',
  );
  assert.deepEqual(codes, ['ok', 'QuotaReached']);
  assert.equal((await clientAs('stranger').listStreams()).total, 1);
});
