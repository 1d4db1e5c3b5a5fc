import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { silentLog } from '../base/log.ts';
import { LoadLevel } from '../base/load-level.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { pauseConnection } from '../base/socket-handle.ts';
import { until } from '../base/until-fixture.ts';
import { Stream } from '../hub/stream.ts';
import { Live } from '../live/live.ts';
import { EngineViewers } from './engine-viewers.ts';
import type { ManagedStream } from './managed-stream.ts';
import { ViewerDemand } from './viewer-demand.ts';

/** An engine that runs the stream `gate`, and a front that passes every connection as a viewer of it. */
async function scene(t: TestContext, uid = 'gate') {
  const clock = new ManualClock();
  const stream = new Stream('gate');
  const demand = new ViewerDemand(clock, () => {});
  const reports: string[] = [];
  const running = { stream, demand } as unknown as ManagedStream;
  const viewers = new EngineViewers({
    streamManager: () => ({ find: (name) => (name === 'gate' ? running : undefined) }),
    live: new Live({ clock, log: silentLog, load: new LoadLevel() }),
    report: (type, id) => void reports.push(`${type} ${id}`),
    clock,
    log: silentLog,
  });
  let ids = 0;
  const pass = (socket: Socket, request: string) => {
    const paused = pauseConnection(socket);
    if (!paused) throw new Error('The connection is closed.');
    const [, ...lines] = request.split('\r\n').filter((line) => line !== '');
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]),
    );
    const variant = { audio: true, keyFramesOnly: false };
    const viewer = { id: `v${++ids}`, uid, variant, headers, head: '', claim: 'ann' };
    viewers.take(viewer, paused.handle);
  };
  const server = createServer((socket) =>
    socket.once('data', (bytes) => {
      socket.removeAllListeners();
      pass(socket, bytes.toString());
    }),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clients: WebSocket[] = [];
  t.after(() => {
    for (const client of clients) client.terminate();
    server.close();
  });
  const open = async () => {
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    clients.push(client);
    const texts: unknown[] = [];
    client.on('message', (bytes: Buffer) => texts.push(JSON.parse(bytes.toString())));
    const closed = once(client, 'close').then(([code, reason]) => `${code} ${(reason as Buffer).toString()}`);
    await once(client, 'open');
    return { client, texts, closed };
  };
  return { clock, stream, demand, viewers, reports, open };
}

test('[R15.3] a viewer holds the demand of its stream while it is there, and its front learns when it has left', async (t) => {
  const { demand, stream, viewers, reports, open } = await scene(t);
  const { client } = await open();
  assert.deepEqual(viewers.present, [{ id: 'v1', uid: 'gate', claim: 'ann' }]);
  assert.deepEqual([demand.viewers, viewers.audience(stream).viewers], [1, 1]);
  client.terminate();
  await until(() => reports.length === 2, 'the report');
  assert.deepEqual(reports, ['viewer-taken v1', 'viewer-gone v1']);
  assert.deepEqual([viewers.present, demand.viewers, viewers.audience(stream).viewers], [[], 0, 0]);
});

test('[R15.3] the front’s order ends a viewer with its reason', async (t) => {
  const { viewers, open } = await scene(t);
  const { texts, closed } = await open();
  viewers.end('v0', 'Forbidden');
  viewers.end('v1', 'Forbidden');
  assert.equal(await closed, '1000 Forbidden');
  assert.deepEqual(texts.at(-1), { type: 'end', code: 'Forbidden' });
});

test('[R15.3] viewers without a front that follows their rights are ended after ten seconds', async (t) => {
  const { clock, viewers, open } = await scene(t);
  const { client, closed } = await open();
  viewers.orphan();
  clock.advance(6_000);
  viewers.orphan();
  viewers.adopt();
  clock.advance(6_000);
  assert.equal(client.readyState, WebSocket.OPEN);
  viewers.orphan();
  clock.advance(6_000);
  // A front that has connected, and does not follow them yet, gets no further time.
  viewers.orphan();
  clock.advance(4_000);
  assert.equal(await closed, '1000 Unavailable');
});

test('[R15.3] a front of a cluster that hangs counts as lost', async (t) => {
  const { clock, viewers, open } = await scene(t);
  const { client, closed } = await open();
  viewers.noteFront();
  clock.advance(4_000);
  viewers.noteFront();
  clock.advance(8_000);
  // What it sent is read after a pause of the machine.
  viewers.noteFront();
  clock.advance(9_000);
  assert.equal(client.readyState, WebSocket.OPEN);
  clock.advance(1_000);
  assert.equal(await closed, '1000 Unavailable');
});

test('[R15.3] a viewer whose session or token expires while the front hangs is ended soon after', async (t) => {
  const { clock, viewers, open } = await scene(t);
  const { client, closed } = await open();
  viewers.noteUntil('v1', clock.wallMs() + 1_000);
  viewers.noteUntil('v0', clock.wallMs() + 1_000);
  clock.advance(5_000);
  // It has been used meanwhile, and is not any more.
  viewers.noteUntil('v1', null);
  clock.advance(5_000);
  viewers.noteUntil('v1', clock.wallMs() + 4_000);
  clock.advance(4_000);
  assert.equal(client.readyState, WebSocket.OPEN, 'the front ends it at that moment');
  clock.advance(5_000);
  assert.equal(await closed, '1000 AuthorizationRequired');
});

test('[R15.3] a viewer of a stream that no longer runs here is disconnected, and connects again', async (t) => {
  const { open } = await scene(t, 'moved');
  assert.equal(await (await open()).closed, '1011 Unavailable');
});
