import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { after, before, test } from 'node:test';
import type { ErrorCode } from '@vidette/contract/errors';
import type { LiveMessage } from '@vidette/contract/live';
import { addressOf } from '@vidette/contract/routes';
import { WebSocket } from 'ws';
import { clientOf, until } from './api.ts';
import { encodeSceneClip, Scene } from './engine-scene.ts';
import { signIn } from './server.ts';

const guard = { name: 'guard', password: 'seven quiet otters 5' };
const metricsToken = 'a-token-of-the-monitoring';
/** What the cameras of the scene send. */
const framesPerSecond = 20;

let scene: Scene;
let uid: string;

before(async () => {
  scene = await Scene.open(await encodeSceneClip(), () => ({ VIDETTE_METRICS_TOKEN: metricsToken }));
  uid = scene.uids[0] ?? '';
  await scene.client.addUser({ body: { ...guard, maxStreamCreation: 0 } });
  await allow(true);
});

after(() => scene?.close());

const allow = (view: boolean) =>
  scene.client.saveUserPermissions({
    params: { login: guard.name },
    body: { items: [{ stream: uid, view }] },
  });

/** One viewer of the stream, over a TCP connection of its own. */
class Viewer {
  readonly socket: WebSocket;
  port = 0;
  /** Init segments and fragments. */
  media = 0;
  readonly messages: LiveMessage[] = [];
  ended: ErrorCode | undefined;
  isClosed = false;

  private constructor(address: string, headers: Record<string, string>) {
    this.socket = new WebSocket(scene.server.url.replace('http', 'ws') + address, {
      headers: { origin: scene.server.url, ...headers },
    });
    this.socket.on('upgrade', (response) => {
      this.port = (response.socket as Socket).localPort ?? 0;
    });
    this.socket.on('message', (bytes: Buffer, isBinary: boolean) => {
      if (isBinary) this.media++;
      else this.#take(JSON.parse(bytes.toString()) as LiveMessage);
    });
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.isClosed = true;
    });
  }

  static async open(headers: Record<string, string>, address = addressOf('watchStream', { uid })) {
    const viewer = new Viewer(address, headers);
    await once(viewer.socket, 'open');
    return viewer;
  }

  /** So many more fragments arrive. */
  async receives(count: number): Promise<void> {
    const due = this.media + count;
    await until(
      () => this.media,
      (media) => media >= due || this.isClosed,
    );
    assert.equal(this.isClosed, false);
  }

  async end(): Promise<ErrorCode | undefined> {
    await until(
      () => this.isClosed,
      (isClosed) => isClosed,
    );
    return this.ended;
  }

  #take(message: LiveMessage): void {
    this.messages.push(message);
    if (message.type === 'end') this.ended = message.code;
  }
}

/** The processes that have the server's side of a connection open: `front` or `engine`. */
async function ownersOf({ port }: Viewer): Promise<string[]> {
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const processes = [
    ...(await scene.processes('front-main.ts')).map((pid) => ['front', pid] as const),
    ...(await scene.processes('engine-main.ts')).map((pid) => ['engine', pid] as const),
    ['supervisor', scene.server.pid] as const,
  ];
  const owners: string[] = [];
  for (const [name, pid] of processes) {
    // Columns: number, local address, remote address, ..., inode.
    const tables = await Promise.all(
      ['tcp', 'tcp6'].map((table) => readFile(`/proc/${pid}/net/${table}`, 'utf8')),
    );
    const rows = tables.join('\n').split('\n');
    const inode = rows.map((row) => row.trim().split(/\s+/)).find((row) => row[2]?.endsWith(remote))?.[9];
    const files = await readdir(`/proc/${pid}/fd`);
    const targets = await Promise.all(files.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
    if (inode !== undefined && targets.includes(`socket:[${inode}]`)) owners.push(name);
  }
  return owners;
}

/** As counted for the metrics. */
async function sentBytes(): Promise<number> {
  const metrics = await (
    await fetch(`${scene.server.url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })
  ).text();
  const line = metrics
    .split('\n')
    .find((text) => text.startsWith(`vidette_stream_sent_bytes_total{stream="${uid}"`));
  return Number(line?.split(' ').at(-1));
}

const viewersNow = async () => (await scene.client.getStreamStats({ params: { uid } })).viewers;

test('[R15.3] the engine serves a viewer, the front one whose video it converts', async () => {
  const { cookie } = scene;
  const plain = await Viewer.open({ cookie });
  const shared = await scene.client.getStreamShare({ params: { uid }, query: { create: true } });
  const key = shared.url.split('/').at(-1) ?? '';
  const byLink = await Viewer.open({}, addressOf('watchShared', { key }));
  const converted = await Viewer.open({ cookie }, addressOf('watchStream', { uid }, { convert: true }));
  const wall = await Viewer.open({ cookie }, addressOf('watchWall'));
  await plain.receives(5);
  await byLink.receives(5);
  const owners = await Promise.all([plain, byLink, converted, wall].map((viewer) => ownersOf(viewer)));
  assert.deepEqual(owners, [['engine'], ['engine'], ['front'], ['front']]);
  await until(sentBytes, (bytes) => bytes > 1_000);
  await until(viewersNow, (viewers) => viewers === 2);
  const ended = byLink.end();
  await scene.client.revokeStreamShare({ params: { uid } });
  assert.equal(await ended, 'NotFound');
  for (const { socket } of [plain, converted, wall]) socket.close();
  await until(viewersNow, (viewers) => viewers === 0);
});

test('[R15.3] [R4.4] a right that is withdrawn, a token, a session or a user that ends: the engine ends the viewer before ten further frames', async () => {
  const { client, server } = scene;
  const watchers = async () => {
    const cookie = await signIn(server, guard.name, guard.password);
    const own = clientOf(server, cookie);
    const token = await own.addToken({ body: { name: 'phone', expireTime: null } });
    const bySession = await Viewer.open({ cookie });
    const byToken = await Viewer.open({ authorization: `Bearer ${token.secret}` });
    for (const viewer of [bySession, byToken]) {
      await viewer.receives(2);
      assert.deepEqual(await ownersOf(viewer), ['engine']);
    }
    return { own, token, bySession, byToken };
  };
  const endsSoon = async (viewer: Viewer, media: number) => {
    const code = await viewer.end();
    assert.ok(viewer.media <= media + framesPerSecond / 2, `${viewer.media - media} frames after the end`);
    return code;
  };
  const first = await watchers();
  await first.own.deleteToken({ params: { id: first.token.id } });
  assert.equal(await endsSoon(first.byToken, first.byToken.media), 'AuthorizationRequired');
  await first.own.signOut();
  assert.equal(await endsSoon(first.bySession, first.bySession.media), 'AuthorizationRequired');
  const second = await watchers();
  await allow(false);
  for (const viewer of [second.bySession, second.byToken])
    assert.equal(await endsSoon(viewer, viewer.media), 'Forbidden');
  await allow(true);
  const third = await watchers();
  await client.blockUser({ params: { login: guard.name } });
  for (const viewer of [third.bySession, third.byToken])
    assert.equal(await endsSoon(viewer, viewer.media), 'AuthorizationRequired');
  await client.unblockUser({ params: { login: guard.name } });
});

test('[R15.3] frames go on while the front does not respond and after it was killed; the next one follows the right to them', async () => {
  const cookie = await signIn(scene.server, guard.name, guard.password);
  const viewer = await Viewer.open({ cookie });
  const key = await Viewer.open(
    { cookie: scene.cookie },
    addressOf('watchStream', { uid }, { keyframes: true }),
  );
  await viewer.receives(5);
  const front = await scene.front();
  process.kill(front, 'SIGSTOP');
  await viewer.receives(3 * framesPerSecond);
  process.kill(front, 'SIGKILL');
  await viewer.receives(framesPerSecond);
  await scene.goesOn(500);
  await until(viewersNow, (viewers) => viewers === 2);
  // Longer than viewers may continue without a front that follows their rights.
  await viewer.receives(11 * framesPerSecond);
  assert.deepEqual(
    viewer.messages.map(({ type }) => type),
    ['init'],
  );
  await allow(false);
  assert.equal(await viewer.end(), 'Forbidden');
  assert.equal(key.isClosed, false);
  key.socket.terminate();
  await until(viewersNow, (viewers) => viewers === 0);
});

test('[R15.3] viewers of an engine that is killed are disconnected, and served again', async () => {
  const { cookie } = scene;
  const viewers = await Promise.all(
    scene.uids.map((one) => Viewer.open({ cookie }, addressOf('watchStream', { uid: one }))),
  );
  for (const viewer of viewers) await viewer.receives(2);
  const [victim] = await scene.processes('engine-main.ts');
  process.kill(victim ?? 0, 'SIGKILL');
  await until(
    () => viewers.filter(({ isClosed }) => isClosed).length,
    (closed) => closed === 2,
  );
  for (const one of viewers.filter(({ isClosed }) => !isClosed)) await one.receives(2);
  const again = await Promise.all(
    scene.uids.map((one) => Viewer.open({ cookie }, addressOf('watchStream', { uid: one }))),
  );
  for (const viewer of again) await viewer.receives(2);
  for (const { socket } of [...viewers, ...again]) socket.terminate();
});

test('[R15.3] viewers whom the front serves stay connected when an engine is killed, and their streams return', async () => {
  const { cookie, client, uids } = scene;
  const wall = await Viewer.open({ cookie }, addressOf('watchWall'));
  const onChannels = uids.map(() => 0);
  wall.socket.on('message', (bytes: Buffer, isBinary: boolean) => {
    if (!isBinary) return;
    const channel = bytes.readUInt32BE(0);
    onChannels[channel] = (onChannels[channel] ?? 0) + 1;
  });
  for (const [channel, one] of uids.entries())
    wall.socket.send(
      JSON.stringify({
        ...{ type: 'watch', channel, uid: one, picture: 'main' },
        ...{ keyFrames: false, audio: false, convert: false },
      }),
    );
  const allReceive = async () => {
    const due = onChannels.map((count) => count + 2);
    await until(
      () => onChannels.every((count, channel) => count >= (due[channel] ?? 0)),
      (isSo) => isSo,
    );
  };
  await allReceive();
  const converted = await Viewer.open({ cookie }, addressOf('watchStream', { uid }, { convert: true }));
  await converted.receives(2);
  for (const [at, victim] of (await scene.processes('engine-main.ts')).entries()) {
    process.kill(victim, 'SIGKILL');
    await until(
      () => wall.messages.filter(({ type }) => type === 'init').length,
      (inits) => inits === uids.length + 2 * (at + 1),
    );
    await allReceive();
    await converted.receives(2);
  }
  assert.equal(wall.isClosed, false);
  for (const { socket } of [wall, converted]) socket.terminate();
  for (const one of uids)
    await until(
      async () => (await client.getStreamStats({ params: { uid: one } })).viewers,
      (viewers) => viewers === 0,
    );
});

test('[R15.3] a server that ends disconnects viewers of engines with the reason', async () => {
  const viewer = await Viewer.open({ cookie: scene.cookie });
  await viewer.receives(2);
  await scene.server.stop();
  assert.equal(await viewer.end(), 'Unavailable');
});
