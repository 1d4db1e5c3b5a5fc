import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import type { Client } from '@vidette/contract/client';
import { addressOf, routes, type CallName } from '@vidette/contract/routes';
import { administratorOf, clientOf } from './api.ts';
import { signIn, startServer, type TestServer } from './server.ts';

const password = 'blue kettle 42 lamp';

let server: TestServer;
let admin: Client;
/** Cookie of a user without any right on the administrator's objects. */
let stranger: string;

/** Ids of the administrator's objects, and of objects that do not exist. */
const there = { uid: '', bookmark: '', mosaic: '', token: '', session: '' };
const nowhere = {
  uid: 'nosuchstream',
  bookmark: '987654',
  mosaic: '987654',
  token: '987654',
  session: 'nosuchsession',
};

before(async () => {
  server = await startServer();
  ({ client: admin } = await administratorOf(server));
  ({ uid: there.uid } = await admin.addStream({ body: { name: 'Gate', streamSource: 'demo:' } }));
  await admin.pauseStream({ body: { uid: there.uid } });
  const bookmark = await admin.addBookmark({ body: { stream: there.uid, startTime: 1 } });
  const cell = { x: 0, y: 0, width: 1, height: 1, stream: there.uid };
  const mosaic = await admin.addMosaic({
    body: { name: 'Wall', layout: { columns: 1, rows: 1, cells: [cell] } },
  });
  const token = await admin.addToken({ body: { name: 't' } });
  const sessions = await admin.listSessions();
  there.bookmark = String(bookmark.id);
  there.mosaic = String(mosaic.id);
  there.token = String(token.id);
  there.session = sessions.items[0]?.id ?? '';
  await admin.addUser({ body: { name: 'stranger', password, maxStreamCreation: 5 } });
  stranger = await signIn(server, 'stranger', password);
});

after(() => server?.stop());

type Things = typeof there;

/** A request that names an object in its path, its query or its body; undefined for calls that name none. */
function requestOf(name: CallName, things: Things): { address: string; body?: unknown } | undefined {
  const { uid } = things;
  const span = { start_time: 1_000, end_time: 2_000 };
  const times = { from: 1_000, to: 2_000 };
  if (name === 'listAnnotations') return { address: addressOf(name, {}, { streamId: uid, ...times }) };
  if (name === 'listBookmarks') return { address: addressOf(name, {}, { stream: uid }) };
  if (name === 'probeStream' || name === 'previewStream') {
    return { address: addressOf(name, {}, { url: 'rtsp://10.255.255.1/', stream_id: uid }) };
  }
  if (name === 'pauseStream' || name === 'resumeStream') return { address: addressOf(name), body: { uid } };
  if (name === 'addBookmark') return { address: addressOf(name), body: { stream: uid, startTime: 1 } };
  if (name === 'addAnnotation') return { address: addressOf(name), body: { streamId: uid, time: 1 } };
  const { path, method } = routes[name];
  const body = method === 'GET' || method === 'DELETE' ? undefined : {};
  const query = path.includes('/archive/') ? { ...span, time: 1_000 } : {};
  if (path.includes('{uid}')) {
    const known =
      name.startsWith('getArchive') || name === 'downloadArchive' || name === 'searchArchiveChanges'
        ? query
        : {};
    return { address: addressOf(name, { uid, file: '1.mp4', id: '1' }, known), body };
  }
  const id = ({ Bookmark: things.bookmark, Mosaic: things.mosaic, Token: things.token } as const)[
    /(Bookmark|Mosaic|Token)$/.exec(name)?.[0] ?? ''
  ];
  if (path.includes('{id}') && id !== undefined) return { address: addressOf(name, { id }), body };
  if (name === 'deleteSession') return { address: addressOf(name, { id: things.session }) };
  return undefined;
}

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

async function ask(name: CallName, { address, body }: { address: string; body?: unknown }): Promise<Answer> {
  const reply = await fetch(server.url + address, {
    method: routes[name].method,
    headers: { cookie: stranger, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: reply.status, body: await reply.text() };
}

/** Requests a WebSocket; returns the answer received instead. */
async function askForSocket(address: string): Promise<Answer> {
  const socket = new WebSocket(server.url.replace('http', 'ws') + address, {
    headers: { cookie: stranger, origin: server.url },
  });
  const [, reply] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
  assert.equal(reply.headers.connection, 'close');
  return { status: reply.statusCode, body: await text(reply) };
}

test('[R6.5] objects that a user may not see are answered as missing by every call that can name them', async () => {
  const compared: CallName[] = [];
  for (const name of Object.keys(routes) as CallName[]) {
    const [real, unreal] = [requestOf(name, there), requestOf(name, nowhere)];
    if (!real || !unreal) continue;
    compared.push(name);
    const answer = await ask(name, real);
    assert.deepEqual(answer, await ask(name, unreal), name);
    const givesNothing = answer.status === 403 || answer.status === 404 || /"items":\[\]/.test(answer.body);
    assert.ok(givesNothing, `${name}: ${answer.status} ${answer.body}`);
  }
  assert.ok(compared.length > 30, compared.join());
});

test('[R6.5] [R7.12] live video is refused before the upgrade, with identical answers', async () => {
  const answer = await askForSocket(addressOf('watchStream', { uid: there.uid }));
  assert.equal(answer.status, 403);
  assert.deepEqual(answer, await askForSocket(addressOf('watchStream', { uid: nowhere.uid })));
});

test('[R6.5] objects that a user may not see are in no list, search or mosaic, and none of them was changed', async () => {
  const client = clientOf(server, stranger);
  assert.equal((await client.listStreams()).total, 0);
  assert.deepEqual((await client.listStreamStatuses()).items, []);
  assert.deepEqual((await client.listStreamTags()).items, []);
  assert.deepEqual((await client.search({ query: { query: 'Gate' } })).items, []);
  assert.equal((await client.listMosaics()).total, 0);
  assert.equal((await client.listBookmarks()).total, 0);
  assert.equal((await admin.getStream({ params: { uid: there.uid } })).status, 'paused');
  assert.equal((await admin.listBookmarks()).total, 1);
  assert.equal((await admin.listMosaics()).total, 1);
  assert.equal((await admin.listTokens()).total, 1);
});
