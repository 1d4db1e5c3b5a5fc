import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { ErrorCode } from '@vidette/contract/errors';
import { Fault } from '../base/fault.ts';
import { until } from '../base/until-fixture.ts';
import type { LowLatencyHls } from '../live/hls.ts';
import type { LiveSession } from '../live/session.ts';
import type { Transcoding } from '../transcoding/transcoding.ts';
import { LiveViewing, type LiveViewingOptions } from './live-viewing.ts';
import { FakeSocket, viewingScene, watchedPauseMs } from './viewing-fixture.ts';

const plain = { audio: true, keyFramesOnly: false, isConverted: false };
const ip = '192.0.2.1';

/** A viewer of `gate`, and a service with LL-HLS supplied by the test. */
async function scene(t: TestContext, hls: LowLatencyHls['handle'] = () => assert.fail('no file is due')) {
  const made = await viewingScene(t);
  const { served, serveSocket } = made.live;
  const service = new LiveViewing({
    ...made,
    live: {
      serveSocket: serveSocket as unknown as () => LiveSession,
      hls: () => ({ handle: hls }) as unknown as LowLatencyHls,
    },
    transcoding: made.transcoding as unknown as Pick<Transcoding, 'live'>,
    insight: { snapshot: (_, width) => Promise.resolve({ jpeg: new Uint8Array([width]), timeMs: 7 }) },
  } satisfies LiveViewingOptions);
  return { ...made, served, service, viewer: { principal: made.ann, uid: 'gate', ip } };
}

test('[R4.4] a viewer is disconnected when the right to the stream is revoked, and counts as watching until then', async (t) => {
  const { service, viewer, served, running, permit, authenticator, ann, entries, clock } = await scene(t);
  const socket = new FakeSocket();
  service.watch(viewer, plain, socket.asSocket);
  const [{ ends } = assert.fail('nothing is served')] = served;
  assert.equal(running.demand.viewers, 1);
  await permit(false);
  authenticator.forget(ann.user.id);
  await until(() => ends.length > 0, 'the end of the right');
  assert.deepEqual(ends, ['Forbidden']);
  socket.leave();
  assert.equal(running.demand.viewers, 0);
  clock.advance(watchedPauseMs);
  const [entry] = entries;
  assert.deepEqual(
    [entry?.action, entry?.login, entry?.target, entry?.ip, entry?.isOver],
    ['watchStream', 'ann', 'gate', ip, true],
  );
});

test('a stream that does not run here is refused on its socket, and counts as neither watched nor requested', async (t) => {
  const { service, viewer, served, running, entries, stop } = await scene(t);
  stop();
  const socket = new FakeSocket();
  service.watch(viewer, plain, socket.asSocket);
  assert.deepEqual(socket.closing, [1011, 'Unavailable']);
  assert.deepEqual([served, entries, running.demand.isHeld], [[], [], false]);
});

test('a client that disconnected while being admitted holds no resources', async (t) => {
  const { service, viewer, running, transcoding, clock } = await scene(t);
  const socket = new FakeSocket();
  socket.leave();
  service.watch(viewer, { ...plain, isConverted: true }, socket.asSocket);
  assert.equal(running.demand.viewers, 0);
  assert.deepEqual(
    transcoding.made.map(({ isClosed }) => isClosed),
    [true],
  );
  clock.advance(30_000);
  assert.equal(running.demand.isHeld, false);
});

test('a transcoded stream is served instead of the hub, one per session; beyond the limit the page gets the reason', async (t) => {
  const { service, viewer, served, running, transcoding, entries } = await scene(t);
  const first = new FakeSocket();
  service.watch(viewer, { ...plain, isConverted: true }, first.asSocket);
  assert.equal(served[0]?.stream.uid, 'gate transcoded');
  const { by } = viewer.principal;
  assert.equal(transcoding.made[0]?.name, `session/${by.id}/gate`);
  const second = new FakeSocket();
  service.watch(viewer, { ...plain, isConverted: true }, second.asSocket);
  assert.deepEqual(second.sent, ['{"type":"end","code":"QuotaReached"}']);
  assert.deepEqual(second.closing, [1000, 'QuotaReached']);
  assert.deepEqual([served.length, running.demand.viewers, entries.length], [1, 1, 1]);
  transcoding.made[0]?.fail('ProbeError');
  assert.deepEqual(first.closing, [1000, 'ProbeError']);
});

test('[R4.4] a pending LL-HLS file is refused when the right ends; a player that requests one keeps the source running', async (t) => {
  const requested = Promise.withResolvers<void>();
  const { service, viewer, running, clock, permit, entries } = await scene(t, (_, __, signal) => {
    requested.resolve();
    return new Promise((_resolve, reject) =>
      signal?.addEventListener('abort', () => reject(signal.reason as Error)),
    );
  });
  const file = service.file(viewer, 'live.m3u8', new URLSearchParams(), new AbortController().signal);
  await requested.promise;
  assert.ok(running.demand.isHeld);
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['watchStream'],
  );
  await permit(false);
  // Longer than a response without a second check.
  clock.advance(300);
  await assert.rejects(file, { code: 'Forbidden' });
});

test('a file that was made after the right has ended is not returned, and a short response leaves no check behind', async (t) => {
  let meanwhile: () => Promise<void> = () => Promise.resolve();
  const { service, viewer, clock, authenticator, ann, permit, liveSessions } = await scene(t, async () => {
    await meanwhile();
    return { contentType: 'video/mp4', headers: {}, body: new Uint8Array([1]) };
  });
  const file = () => service.file(viewer, 'a.mp4', new URLSearchParams(), new AbortController().signal);
  assert.equal((await file()).contentType, 'video/mp4');
  const before = clock.pendingTimers;
  await file();
  assert.equal(clock.pendingTimers, before);
  const ended = Promise.withResolvers<ErrorCode>();
  meanwhile = async () => {
    const forget = liveSessions.add({ ...viewer, right: 'view', end: ended.resolve });
    await permit(false);
    authenticator.forget(ann.user.id);
    assert.equal(await ended.promise, 'Forbidden');
    forget();
  };
  await assert.rejects(file(), { code: 'Forbidden' });
});

test('a snapshot counts as a watched still, one that does not exist yet does not', async (t) => {
  const made = await scene(t);
  assert.deepEqual([...(await made.service.snapshot(made.viewer, 64)).jpeg], [64]);
  assert.deepEqual(
    made.entries.map(({ action, login, target }) => [action, login, target]),
    [['watchStills', 'ann', 'gate']],
  );
  const none = await scene(t);
  const missing = new LiveViewing({
    ...none,
    live: { serveSocket: () => assert.fail(), hls: () => assert.fail() },
    transcoding: { live: () => assert.fail() },
    insight: { snapshot: () => Promise.reject(new Fault('Unavailable', 'No frame yet.')) },
  });
  await assert.rejects(missing.snapshot(none.viewer, 64), { code: 'Unavailable' });
  assert.deepEqual(none.entries, []);
});
