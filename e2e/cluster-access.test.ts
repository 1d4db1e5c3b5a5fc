import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { after, before, beforeEach, test } from 'node:test';
import { WebSocket } from 'ws';
import { createClient } from '@vidette/contract/client';
import { addressOf } from '@vidette/contract/routes';
import type { LiveMessage } from '@vidette/contract/live';
import type { WebhookNotification } from '@vidette/contract/notifications';
import { until } from './api.ts';
import { followEvents, type EventFollower } from './event-follower.ts';
import { Nodes } from './nodes.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';
import { signIn, type TestServer } from './server.ts';
import { TcpProxy } from './tcp-proxy.ts';

// Two servers: rights are revoked on north while their holders watch on south; at the end south itself is
// removed.

const WAIT_MS = 60_000;
/**
 * One second is guaranteed; a busy machine may take longer. The review without a notification takes a minute.
 */
const CUT_MS = 15_000;
const password = 'correct horse 8 battery';

let postgres: TestPostgres;
/** The connection between south and the database. */
let proxy: TcpProxy;
let nodes: Nodes;
let uid: string;
let people = 0;

const north = () => nodes.client('north');

before(async () => {
  postgres = await startPostgres();
  const database = await postgres.create('access');
  proxy = new TcpProxy(postgres.socket);
  await proxy.mend();
  const byWay = { VIDETTE_DATABASE: postgres.urlBy(proxy.port, 'access') };
  nodes = await Nodes.start(database, ['north', 'south'], { south: { env: byWay } });
  // A drained node runs no streams, and shows those of the others.
  await north().drainClusterNode({ params: { id: 'south' } });
  ({ uid } = await north().addStream({ body: { name: 'Gate', streamSource: 'demo:' } }));
  await until(
    () =>
      nodes
        .client('south')
        .getStream({ params: { uid } })
        .catch(() => undefined),
    (stream) => stream?.status === 'running' && stream.node.id === 'north',
    WAIT_MS,
  );
});

after(async () => {
  await nodes?.close();
  await proxy?.cut();
  await postgres?.stop();
});

interface Person {
  readonly login: string;
  readonly cookie: string;
  readonly token: string;
  readonly tokenId: number;
}

let person: Person;

/** A new user with all rights on the stream, signed in on south and with a token. */
beforeEach(async () => {
  const login = `guard${++people}`;
  await north().addUser({
    body: { name: login, email: `${login}@example.org`, password, permissionType: 'user' },
  });
  await allow(login, true);
  const cookie = await signIn(nodes.server('south'), login, password);
  const client = createClient({
    baseUrl: nodes.server('south').url,
    headers: () => ({ cookie, origin: nodes.server('south').url }),
  });
  const { secret: token, id } = await client.addToken({ body: { name: 'phone', expireTime: null } });
  person = { login, cookie, token, tokenId: id };
});

async function allow(login: string, archive: boolean): Promise<void> {
  const items = [{ stream: uid, view: archive, archive, share: false, edit: false }];
  await north().saveUserPermissions({ params: { login }, body: { items } });
}

/** A lasting connection, and how it ended. */
interface AccessViewer {
  readonly name: string;
  readonly ended: Promise<string>;
}

/** Resolves once it plays. */
async function socketViewer(
  server: TestServer,
  path: string,
  headers: Record<string, string>,
): Promise<AccessViewer> {
  const socket = new WebSocket(server.url.replace('http', 'ws') + path, {
    headers: { origin: server.url, ...headers },
  });
  const ended = new Promise<string>((resolve) => {
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) return;
      const message = JSON.parse(data.toString()) as LiveMessage;
      if (message.type === 'end') resolve(message.code);
    });
    socket.once('close', (code) => resolve(`closed ${code}`));
  });
  let pieces = 0;
  socket.on('message', (_, isBinary) => {
    if (isBinary) pieces++;
  });
  await once(socket, 'open');
  if (path === addressOf('watchWall')) {
    const request = {
      type: 'watch',
      channel: 1,
      uid,
      picture: 'main',
      keyFrames: false,
      audio: false,
      convert: false,
    };
    socket.send(JSON.stringify(request));
  }
  await until(
    () => pieces,
    (count) => count > 2,
    WAIT_MS,
  );
  return { name: path, ended };
}

async function expectEnded(viewers: readonly AccessViewer[], how: readonly string[]): Promise<void> {
  for (const { name, ended } of viewers) {
    let cancel: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      cancel = setTimeout(() => resolve('goes on'), CUT_MS);
    });
    const end = await Promise.race([ended, late]);
    clearTimeout(cancel);
    assert.ok(how.includes(end), `${name}: ${end}`);
  }
}

const authorization = () => ({ authorization: `Bearer ${person.token}` });

/**
 * With the session and with the token, over each kind of connection, on the node that does not run the stream.
 */
async function viewersOnSouth(): Promise<AccessViewer[]> {
  const south = nodes.server('south');
  const { cookie } = person;
  return Promise.all([
    socketViewer(south, addressOf('watchStream', { uid }), { cookie }),
    socketViewer(south, addressOf('watchStream', { uid }), authorization()),
    socketViewer(south, addressOf('watchWall'), { cookie }),
  ]);
}

test('[R10.8, R4.4] a right that is revoked on one node ends live video and walls on the others', async () => {
  const viewers = await viewersOnSouth();
  await allow(person.login, false);
  await expectEnded(viewers, ['Forbidden', 'NotFound']);
});

test('[R10.8, R4.4] a user who is blocked, or must change their password, is disconnected on every node', async () => {
  const blocked = await viewersOnSouth();
  await north().blockUser({ params: { login: person.login } });
  await expectEnded(blocked, ['AuthorizationRequired']);
  await north().unblockUser({ params: { login: person.login } });
  const due = await viewersOnSouth();
  await north().saveUser({ params: { login: person.login }, body: { mustChangePassword: true } });
  await expectEnded(due, ['Forbidden']);
});

test('[R10.8, R7.19] a session and a token that end on one node are invalid on another, and disconnect their users there', async () => {
  const south = nodes.server('south');
  const askBy = async (headers: Record<string, string>) =>
    (await fetch(south.url + addressOf('getStream', { uid }), { headers })).status;
  const [bySession, byToken, onWall] = await viewersOnSouth();
  assert.ok(bySession && byToken && onWall);
  const playlist = async () =>
    (
      await fetch(south.url + addressOf('getLiveFile', { uid, file: 'index.m3u8' }), {
        headers: authorization(),
      })
    ).status;
  assert.equal(await playlist(), 200);
  assert.equal(await askBy(authorization()), 200);
  const own = createClient({
    baseUrl: nodes.server('north').url,
    headers: () => ({ cookie: person.cookie, origin: nodes.server('north').url }),
  });
  await own.deleteToken({ params: { id: person.tokenId } });
  await expectEnded([byToken], ['AuthorizationRequired']);
  assert.equal(await askBy(authorization()), 401);
  assert.equal(await playlist(), 401);
  assert.equal(await askBy({ cookie: person.cookie }), 200);
  const { items } = await north().listUserSessions({ params: { login: person.login } });
  for (const { id } of items) {
    await north().deleteUserSession({ params: { login: person.login, id } });
  }
  await expectEnded([bySession, onWall], ['AuthorizationRequired']);
  assert.equal(await askBy({ cookie: person.cookie }), 401);
});

test('[R10.8, R10.5] a revoked public link stops playing on every node, and so does the old one when a new one is created', async () => {
  const { url } = await north().getStreamShare({ params: { uid } });
  const key = url.split('/').at(-1) ?? '';
  const viewers = await Promise.all(
    ['north', 'south'].map((id) => socketViewer(nodes.server(id), addressOf('watchShared', { key }), {})),
  );
  await north().revokeStreamShare({ params: { uid } });
  await north().getStreamShare({ params: { uid } });
  await expectEnded(viewers, ['NotFound']);
  await north().revokeStreamShare({ params: { uid } });
});

test('[R11.1, R10.8] every node tells its clients what changes on another, and nothing once a right is revoked there', async () => {
  const abort = new AbortController();
  const south = nodes.server('south');
  const guard = followEvents(south, { cookie: person.cookie }, abort.signal);
  const admin = followEvents(south, { cookie: nodes.cookie }, abort.signal);
  const told = (follower: EventFollower, name: string, data: string) =>
    until(
      () => follower.events,
      (events) => events.some((event) => event.name === name && event.data.includes(data)),
      WAIT_MS,
    );
  await told(guard, 'reload', '');
  await told(admin, 'reload', '');
  const time = Date.now();
  const annotate = (at: number) =>
    north().addAnnotation({ body: { streamId: uid, kind: 'plate', time: at, note: 'Truck' } });
  await annotate(time);
  await told(guard, 'journal', `"startTime":${time}`);
  await north().pauseStream({ body: { uid } });
  await told(guard, 'statuses', '"paused"');

  await north().saveUserPermissions({ params: { login: person.login }, body: { items: [] } });
  await told(guard, 'account', '');
  const soFar = guard.events.length;
  const statuses = admin.events.length;
  await annotate(time + 1);
  await north().resumeStream({ body: { uid } });
  await told(admin, 'journal', `"startTime":${time + 1}`);
  await until(
    () => admin.events.slice(statuses),
    (events) => events.some(({ name, data }) => name === 'statuses' && data.includes('"running"')),
    WAIT_MS,
  );
  const names = guard.events.slice(soFar).map(({ name }) => name);
  assert.ok(!names.includes('journal') && !names.includes('statuses'), names.join(' '));
  abort.abort();
  await Promise.all([guard.done, admin.done]);
});

test('[R11.5, R11.8, R10.8] what happens on any node is notified once, in order, by a rule that another node saved', async () => {
  const receiver = await startReceiver();
  try {
    const { url } = receiver;
    const { id } = await north().addTarget({ body: { name: 'Hook', settings: { type: 'webhook', url } } });
    const rule = { name: 'Plates', kinds: ['annotation' as const], streams: [uid], cooldownSeconds: 0 };
    await nodes.client('south').addRule({ body: { ...rule, targets: [id] } });
    const notes = Array.from({ length: 6 }, (_, index) => `Truck ${index}`);
    for (const [index, note] of notes.entries()) {
      const by = nodes.client(index % 2 === 0 ? 'north' : 'south');
      await by.addAnnotation({ body: { streamId: uid, kind: 'plate', time: Date.now(), note } });
    }
    await until(
      async () => (await north().listTargets()).items,
      (targets) => receiver.received.length >= notes.length && targets.every(({ waiting }) => waiting === 0),
      WAIT_MS,
    );
    assert.deepEqual(
      receiver.received.map(({ note }) => note),
      notes,
    );
  } finally {
    receiver.close();
  }
});

/** Accepts every webhook. */
async function startReceiver() {
  const received: { id: string; note: string | undefined }[] = [];
  const server = createServer((request, response) => {
    void textOf(request).then((text) => {
      const { id, event } = JSON.parse(text) as WebhookNotification;
      received.push({ id, note: event?.note });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, received, close: () => server.close() };
}

test('[R10.8] a package can be downloaded and deleted through any node', async () => {
  const { period } = await until(
    () =>
      north().getArchiveRanges({
        params: { uid },
        query: { start_time: Date.now() - 600_000, end_time: Date.now() },
      }),
    ({ period: found }) => found !== null && found.endTime - found.startTime > 3_000,
    WAIT_MS,
  );
  const startTime = period?.startTime ?? 0;
  const body = { streams: [uid], startTime, endTime: startTime + 3_000, name: 'Gate' };
  const { id } = await north().addExport({ body });
  const south = nodes.client('south');
  const ready = await until(
    () => south.getExport({ params: { id } }),
    ({ status }) => status === 'ready',
    WAIT_MS,
  );
  const [there, here] = await Promise.all(
    [south, north()].map(async (client) => {
      const reply = await client.downloadExport({ params: { id } });
      return { status: reply.status, bytes: Buffer.from(await reply.arrayBuffer()) };
    }),
  );
  assert.equal(there?.status, 200);
  assert.equal(there.bytes.length, ready.bytes);
  assert.ok(there.bytes.equals(here?.bytes ?? Buffer.alloc(0)));
  const address = nodes.server('south').url + addressOf('downloadExport', { id });
  const part = await fetch(address, { headers: { cookie: nodes.cookie, range: 'bytes=10-19' } });
  assert.equal(part.status, 206);
  assert.ok(Buffer.from(await part.arrayBuffer()).equals(there.bytes.subarray(10, 20)));

  const file = join(nodes.folder('north'), 'exports', `${id}.zip`);
  assert.ok(existsSync(file));
  await south.deleteExport({ params: { id } });
  await assert.rejects(north().getExport({ params: { id } }), { code: 'NotFound' });
  await until(
    () => existsSync(file),
    (isThere) => !isThere,
    WAIT_MS,
  );
});

test('[R10.8, R4.8] wrong password guesses are counted across all nodes', async () => {
  const statuses: number[] = [];
  for (let guess = 0; guess < 24; guess++) {
    const server = nodes.server(guess % 2 === 0 ? 'north' : 'south');
    const reply = await fetch(`${server.url}/v1/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: person.login, password: `wrong guess ${guess}` }),
    });
    statuses.push(reply.status);
  }
  // Ten are free, whichever nodes get the requests, and some more on a machine so slow that pauses elapse;
  // counted per node there would be 20.
  const tried = statuses.filter((status) => status === 401).length;
  assert.ok(tried >= 10 && tried <= 15, statuses.join(' '));
  assert.equal(statuses.filter((status) => status === 429).length, 24 - tried, statuses.join(' '));
});

test('[R10.8, R4.4] a node that is cut off from the database disconnects its viewers; if all nodes are cut off, they continue', async () => {
  const { cookie } = person;
  const [south, viewer] = await Promise.all([
    socketViewer(nodes.server('south'), addressOf('watchStream', { uid }), { cookie }),
    socketViewer(nodes.server('north'), addressOf('watchStream', { uid }), { cookie }),
  ]);
  await proxy.cut();
  await expectEnded([south], ['Unavailable']);
  await proxy.mend();
  await until(
    () => nodes.server('south').output,
    (output) =>
      output.includes('Permission changes can be read again') &&
      output.includes('The database answers again'),
    WAIT_MS,
  );
  const again = await socketViewer(nodes.server('south'), addressOf('watchStream', { uid }), { cookie });
  await postgres.kill();
  await until(
    () =>
      ['north', 'south'].every((id) =>
        nodes
          .server(id)
          .output.includes('The lease has expired, and no reachable node can reach the database'),
      ),
    Boolean,
    WAIT_MS,
  );
  let ends = 0;
  for (const { ended } of [again, viewer]) void ended.then(() => ends++);
  await until(
    () =>
      postgres.start().then(
        () => true,
        () => false,
      ),
    Boolean,
    WAIT_MS,
  );
  await until(
    () =>
      north()
        .getStream({ params: { uid } })
        .catch(() => undefined),
    (stream) => stream?.status === 'running',
    WAIT_MS,
  );
  assert.equal(ends, 0);
  await north().blockUser({ params: { login: person.login } });
  await expectEnded([again, viewer], ['AuthorizationRequired']);
});

test('[R10.8, R7.38] a removed node stays removed until it is invited again, reports why it does not start, and keeps its archive', async () => {
  nodes.pause('south');
  await until(
    () => north().getClusterNode({ params: { id: 'south' } }),
    ({ available }) => !available,
    WAIT_MS,
  );
  await north().deleteClusterNode({ params: { id: 'south' } });
  const removed = nodes.server('south');
  nodes.resume('south');
  // It was running, and exits by itself.
  await until(
    () => removed.output,
    (output) => output.includes('The cluster does not know the node south'),
    WAIT_MS,
  );
  await nodes.stop('south');
  const listed = async () => (await north().listClusterNodes()).items.map(({ id }) => id);
  for (let time = 1; time <= 2; time++) {
    await assert.rejects(
      nodes.start('south'),
      /ended with 1:[^]*The cluster does not know the node south: it was removed, or never invited[^\n]*vidette join[^\n]*\n$/,
    );
  }
  // Neither another name nor its own key helps.
  await assert.rejects(nodes.start('south', { VIDETTE_NODE_ID: 'later' }), /does not know the node later/);
  assert.deepEqual(await listed(), ['north']);
  assert.equal((await nodes.command('south', 'check')).code, 0);

  assert.equal((await nodes.command('south', 'leave')).code, 0);
  const { output } = await nodes.command('north', 'invite');
  const [, address = '', code = ''] = /vidette join (\S+) (\S+) NAME/.exec(output) ?? [];
  assert.equal((await nodes.command('south', 'join', address, code, 'south')).code, 0);
  await nodes.start('south');
  assert.deepEqual(await listed(), ['north', 'south']);
});

/** Its clock is correct until it receives a signal; then it is ten minutes behind. */
const clockThatIsSetBack = `data:text/javascript,${encodeURIComponent(
  'const now = Date.now; process.once("SIGUSR2", () => { Date.now = () => now() - 600_000; });',
)}`;

test('[R10.8] a node whose clock is set back still answers the others, and every node warns about it', async () => {
  await nodes.stop('south');
  await nodes.start('south', { NODE_OPTIONS: `--import=${clockThatIsSetBack}` });
  await north().drainClusterNode({ params: { id: 'north' } });
  const recordedBy = (id: string) => async () =>
    (await nodes.client(id).getArchiveStats({ params: { uid } })).durationMs;
  await until(
    () => north().getStream({ params: { uid } }),
    ({ node, status }) => node.id === 'south' && status === 'running',
    WAIT_MS,
  );
  const wrong = async () =>
    (await north().getHealth()).warnings.filter(({ code }) => code === 'cluster-node-clock');
  assert.deepEqual(await wrong(), []);
  const beforeMs = await recordedBy('north')();
  nodes.server('south').signal('SIGUSR2');
  const [warning] = await until(wrong, (found) => found.length > 0, WAIT_MS);
  assert.equal(warning?.subject, 'south');
  assert.ok(Math.abs((warning.figures?.['aheadMs'] ?? 0) + 600_000) < 5_000, JSON.stringify(warning));
  assert.deepEqual(
    (await nodes.client('south').getHealth()).warnings.filter(({ code }) => code === 'cluster-node-clock')
      .length,
    1,
  );
  // Its archive is available to the other node, as it is to itself.
  assert.ok((await recordedBy('north')()) >= beforeMs);
  const span = { start_time: Date.now() - 3_600_000, end_time: Date.now() };
  const { gaps } = await north().getArchiveRanges({ params: { uid }, query: span });
  assert.ok(!gaps.some(({ cause }) => cause === 'node-away'), JSON.stringify(gaps));
});
