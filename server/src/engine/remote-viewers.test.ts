import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { TLSSocket } from 'node:tls';
import { silentLog } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { until } from '../base/until-fixture.ts';
import type { FrontMessage } from './engine-protocol.ts';
import { RemoteViewers, type RemoteViewer, type ViewerEngine } from './remote-viewers.ts';
import type { PassedViewer } from './viewer-protocol.ts';

const admitted = { uid: 'gate', variant: { audio: true, keyFramesOnly: false }, claim: 'ann' };
const ann = { id: 'x', uid: 'gate', claim: 'ann' };

class FakeEngine implements ViewerEngine {
  pid = 7;
  isConnected = true;
  /** The streams of which it was told that a viewer is on its way. */
  readonly expected: string[] = [];
  /** All other messages. */
  readonly sent: FrontMessage[] = [];

  send(message: FrontMessage): void {
    if (!this.isConnected) return;
    if (message.type === 'expect-viewer') this.expected.push(message.uid);
    else this.sent.push(message);
  }
}

function scene(t: TestContext, canPass = true) {
  const clock = new ManualClock();
  const engine = new FakeEngine();
  const passed: PassedViewer[] = [];
  let ids = 0;
  const viewers = new RemoteViewers({
    engineOf: (uid) => (uid === 'gate' ? engine : undefined),
    pass: async (pid, message) => {
      assert.equal(pid, engine.pid);
      assert.equal(
        engine.expected.at(-1),
        'gate',
        'the engine knows of the viewer before it has the connection',
      );
      passed.push(message as PassedViewer);
      return canPass;
    },
    newId: () => `viewer ${++ids}`,
    clock,
    log: silentLog,
  });
  const serve = async () => {
    const { server, client } = await connected(t);
    const headers = { upgrade: 'websocket', 'sec-websocket-key': 'k', cookie: 'secret' };
    const remote = await viewers.serve(admitted, { connection: server, headers, head: Buffer.from('a') });
    return { remote, server, client };
  };
  return { clock, engine, passed, viewers, serve };
}

/** Both ends of one TCP connection. */
async function connected(t: TestContext): Promise<{ server: Socket; client: Socket }> {
  const listener = createServer().listen(0, '127.0.0.1');
  const accepted = once(listener, 'connection');
  await once(listener, 'listening');
  const client = connect((listener.address() as AddressInfo).port, '127.0.0.1');
  const [server] = (await accepted) as [Socket];
  t.after(() => {
    client.destroy();
    server.destroy();
    listener.close();
  });
  return { server, client };
}

function departureOf(remote: RemoteViewer | undefined): { isGone: boolean } {
  const departure = { isGone: false };
  remote?.whenGone(() => {
    departure.isGone = true;
  });
  return departure;
}

test('[R15.3] a viewer is passed with what its upgrade needs, and counts until its engine reports that it has left', async (t) => {
  const { engine, passed, viewers, serve } = scene(t);
  const { remote } = await serve();
  const headers = { upgrade: 'websocket', 'sec-websocket-key': 'k' };
  const head = Buffer.from('a').toString('base64');
  assert.deepEqual(passed, [{ ...admitted, id: 'viewer 1', headers, head }]);
  const departure = departureOf(remote);
  viewers.take(engine, { type: 'viewer-taken', id: 'viewer 1' });
  const reported = { viewers: 5, bytesSent: 9, skippedSamples: 2 };
  assert.deepEqual(viewers.audience('gate', reported), { viewers: 1, bytesSent: 9, skippedSamples: 2 });
  viewers.take(engine, { type: 'viewer-gone', id: 'viewer 1' });
  assert.deepEqual([departure.isGone, viewers.audience('gate', undefined).viewers], [true, 0]);
  assert.deepEqual(engine.sent, []);
});

test('[R15.3] a connection that can’t be passed is served here, with every byte that its client has sent', async (t) => {
  const { viewers, serve, engine } = scene(t, false);
  const { remote, server, client } = await serve();
  assert.equal(remote, undefined);
  client.write('later');
  const [bytes] = (await once(server, 'data')) as [Buffer];
  assert.equal(bytes.toString(), 'later');
  assert.equal(viewers.audience('gate', undefined).viewers, 0);
  const plain = await connected(t);
  const pending = { headers: {}, head: Buffer.alloc(0) };
  const secure = { ...pending, connection: new TLSSocket(plain.server) };
  assert.equal(await viewers.serve(admitted, secure), undefined);
  const other = { ...pending, connection: (await connected(t)).server };
  assert.equal(await viewers.serve({ ...admitted, uid: 'elsewhere' }, other), undefined);
  assert.deepEqual(engine.sent, []);
});

test('[R15.3] what the client sends while its connection can’t be passed is not lost', async (t) => {
  const { server, client } = await connected(t);
  client.write('early');
  await until(() => server.bytesRead === 5, 'the bytes are there');
  const pass = async () => {
    client.write(' late');
    return false;
  };
  const viewers = new RemoteViewers({
    ...{ engineOf: () => new FakeEngine(), pass, newId: () => 'x' },
    ...{ clock: new ManualClock(), log: silentLog },
  });
  assert.equal(
    await viewers.serve(admitted, { connection: server, headers: {}, head: Buffer.alloc(0) }),
    undefined,
  );
  let text = '';
  server.on('data', (bytes: Buffer) => (text += bytes.toString()));
  await until(() => text === 'early late', 'all bytes');
});

test('[R15.3] a viewer whom the engine does not take in time has left, and is ended if it arrives later', async (t) => {
  const { clock, engine, viewers, serve } = scene(t);
  const departure = departureOf((await serve()).remote);
  clock.advance(5_000);
  assert.equal(departure.isGone, true);
  viewers.take(engine, { type: 'viewer-taken', id: 'viewer 1' });
  assert.deepEqual(engine.sent, [{ type: 'end-viewer', id: 'viewer 1', code: 'Unavailable' }]);
});

test('[R15.3] a connection that stays on its way is closed, and the client never waits for ever', async (t) => {
  const { server, client } = await connected(t);
  const clock = new ManualClock();
  const viewers = new RemoteViewers({
    ...{ engineOf: () => new FakeEngine(), pass: () => new Promise<boolean>(() => {}), newId: () => 'x' },
    ...{ clock, log: silentLog },
  });
  void viewers.serve(admitted, { connection: server, headers: {}, head: Buffer.alloc(0) });
  const closed = once(client, 'close');
  client.resume();
  clock.advance(5_000);
  await closed;
  assert.equal(viewers.audience('gate', undefined).viewers, 0);
});

test('[R15.3] a right that is withdrawn while the viewer is on its way, or its engine away, ends it when it is there', async (t) => {
  const { engine, viewers, serve } = scene(t);
  viewers.begin(() => assert.fail('nothing is adopted'));
  const early = (await serve()).remote;
  early?.end('Forbidden');
  assert.deepEqual(engine.sent, []);
  viewers.take(engine, { type: 'viewer-taken', id: 'viewer 1' });
  assert.deepEqual(engine.sent.pop(), { type: 'end-viewer', id: 'viewer 1', code: 'Forbidden' });
  const late = (await serve()).remote;
  viewers.take(engine, { type: 'viewer-taken', id: 'viewer 2' });
  engine.isConnected = false;
  late?.end('AuthorizationRequired');
  engine.isConnected = true;
  viewers.greet(engine, [{ id: 'viewer 2', uid: 'gate', claim: 'ann' }]);
  assert.deepEqual(engine.sent, [
    { type: 'end-viewer', id: 'viewer 2', code: 'AuthorizationRequired' },
    { type: 'viewers-followed' },
  ]);
  // The first one is no longer among those that the engine serves.
  assert.equal(viewers.audience('gate', undefined).viewers, 1);
});

test('[R15.3] an engine knows when the right of a viewer expires soon, also if an earlier front has told it', async (t) => {
  const { engine, viewers, serve } = scene(t);
  viewers.greet(engine, [ann]);
  const adopted: RemoteViewer[] = [];
  viewers.begin((remote) => void adopted.push(remote));
  engine.sent.length = 0;
  // It has been used meanwhile.
  adopted[0]?.noteUntil(null);
  assert.deepEqual(engine.sent.splice(0), [{ type: 'viewer-until', id: 'x', untilMs: null }]);
  const { remote } = await serve();
  remote?.noteUntil(null);
  remote?.noteUntil(5_000);
  assert.deepEqual(engine.sent, [], 'the engine does not have it yet');
  viewers.take(engine, { type: 'viewer-taken', id: 'viewer 1' });
  remote?.noteUntil(5_000);
  remote?.noteUntil(null);
  assert.deepEqual(engine.sent, [
    { type: 'viewer-until', id: 'viewer 1', untilMs: 5_000 },
    { type: 'viewer-until', id: 'viewer 1', untilMs: null },
  ]);
});

test('[R15.3] viewers of an earlier front are followed from the beginning on, whether an engine has any or none', (t) => {
  const { engine, viewers } = scene(t);
  const empty = new FakeEngine();
  viewers.greet(engine, [ann, { ...ann, id: 'left' }]);
  viewers.greet(empty, []);
  viewers.take(engine, { type: 'viewer-gone', id: 'left' });
  const adopted: unknown[] = [];
  viewers.begin((remote, claim) => {
    adopted.push([remote.id, remote.uid, claim]);
    remote.end('Forbidden');
  });
  assert.deepEqual(adopted, [['x', 'gate', 'ann']]);
  assert.deepEqual(engine.sent, [
    { type: 'end-viewer', id: 'x', code: 'Forbidden' },
    { type: 'viewers-followed' },
  ]);
  assert.deepEqual(empty.sent, [{ type: 'viewers-followed' }]);
});

test('[R15.3] viewers of an engine that does not come back have left', async (t) => {
  const { clock, engine, viewers, serve } = scene(t);
  viewers.begin(() => {});
  const departure = departureOf((await serve()).remote);
  viewers.take(engine, { type: 'viewer-taken', id: 'viewer 1' });
  engine.isConnected = false;
  viewers.lose(engine);
  assert.equal(departure.isGone, false);
  clock.advance(10_000);
  assert.equal(departure.isGone, true);
});
