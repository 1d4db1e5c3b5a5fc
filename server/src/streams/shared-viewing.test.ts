import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { silentLog } from '../base/log.ts';
import { until } from '../base/until-fixture.ts';
import type { LiveSession } from '../live/session.ts';
import { SharedViewers } from './shared-viewers.ts';
import { SharedViewing, type SharedViewingOptions } from './shared-viewing.ts';
import { FakeSocket, viewingScene, watchedPauseMs } from './viewing-fixture.ts';

const ip = '192.0.2.7';
const variant = { audio: false, keyFramesOnly: true };
const key = 'k'.repeat(43);

/** The stream `gate` with a public link. */
async function scene(t: TestContext) {
  const made = await viewingScene(t);
  await made.store.streams.makeShareKey(made.gate.id, key);
  const sharedViewers = new SharedViewers({ streams: made.store.streams, log: silentLog });
  const { served, serveSocket } = made.live;
  const service = new SharedViewing({
    ...made,
    streamManager: {
      find: made.streamManager.find,
      state: () => ({ status: 'running', failureReason: null, code: null }),
    },
    live: { serveSocket: serveSocket as unknown as () => LiveSession },
    sharedViewers,
    openedLinks: { note: () => {} },
  } satisfies SharedViewingOptions);
  const watch = (socket = new FakeSocket()) => {
    service.watch({ uid: 'gate', key, ip }, variant, socket.asSocket);
    return socket;
  };
  return { ...made, service, sharedViewers, served, watch };
}

test('[R10.5] a link shows the name, the state and the number of its viewers, and nothing else', async (t) => {
  const { service, watch } = await scene(t);
  const socket = watch();
  assert.deepEqual(await service.info(key), { name: 'gate', status: 'running', viewers: 1 });
  socket.leave();
  assert.deepEqual(await service.info(key), { name: 'gate', status: 'running', viewers: 0 });
});

test('a revoked link and one that never existed are refused alike', async (t) => {
  const { store, gate, service } = await scene(t);
  assert.equal(await service.admit(key), 'gate');
  await store.streams.removeShareKey(gate.id);
  for (const gone of [key, 'never', '']) {
    await assert.rejects(service.admit(gone), { code: 'NotFound' });
    await assert.rejects(service.info(gone), { code: 'NotFound' });
  }
});

test('[R4.4] viewers of a link are disconnected when it is revoked, and when another one replaces it', async (t) => {
  const { store, gate, sharedViewers, served, watch } = await scene(t);
  watch();
  watch();
  await store.streams.removeShareKey(gate.id);
  await store.streams.makeShareKey(gate.id, 'n'.repeat(43));
  sharedViewers.review('gate');
  await until(() => served.every(({ ends }) => ends.length > 0), 'the end of the link');
  assert.deepEqual(
    served.map(({ ends }) => ends[0]),
    ['NotFound', 'NotFound'],
  );
});

test('a link that was revoked while its viewer was being admitted ends without a report', async (t) => {
  const { store, gate, served, watch } = await scene(t);
  await store.streams.removeShareKey(gate.id);
  watch();
  await until(() => served[0]?.ends[0] === 'NotFound', 'the end of the link');
});

test('a viewer without an account is recorded by address, and requests the stream only while connected', async (t) => {
  const { running, served, watch, clock, entries } = await scene(t);
  const socket = watch();
  assert.deepEqual(served[0]?.variant, variant);
  assert.equal(running.demand.viewers, 1);
  socket.leave();
  assert.equal(running.demand.viewers, 0);
  clock.advance(watchedPauseMs);
  assert.deepEqual(
    entries.map(({ action, login, ip: from, target, isOver }) => [action, login, from, target, isOver]),
    [['watchShared', null, ip, 'gate', true]],
  );
});

test('a link to a stream that does not run here is refused on its socket', async (t) => {
  const { service, stop, watch, served, entries } = await scene(t);
  stop();
  assert.deepEqual(watch().closing, [1011, 'Unavailable']);
  assert.deepEqual([served, entries], [[], []]);
  assert.equal((await service.info(key)).viewers, 0);
});
