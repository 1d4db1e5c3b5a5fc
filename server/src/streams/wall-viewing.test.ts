import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { ErrorCode } from '@vidette/contract/errors';
import { addPrincipal } from '../access/user-fixture.ts';
import { silentLog } from '../base/log.ts';
import { until } from '../base/until-fixture.ts';
import type { Live } from '../live/live.ts';
import type { Transcoding } from '../transcoding/transcoding.ts';
import { runningStream, viewingScene, watchedPauseMs } from './viewing-fixture.ts';
import { WallViewing, type WallViewingOptions } from './wall-viewing.ts';

const ip = '192.0.2.1';

/** `admit` is called by the wall of `ann` for each of its channels. */
async function scene(t: TestContext) {
  const made = await viewingScene(t);
  const service = new WallViewing({
    ...made,
    log: silentLog,
    live: made.live as unknown as Live,
    transcoding: made.transcoding as unknown as Pick<Transcoding, 'live'>,
  } satisfies WallViewingOptions);
  const ends: ErrorCode[] = [];
  const admit = (
    uid: string,
    { principal = made.ann, picture = 'main' as 'main' | 'sub', convert = false } = {},
  ) =>
    service.admit(
      principal,
      ip,
      { type: 'watch', channel: 1, uid, picture, keyFrames: false, audio: false, convert },
      (code) => void ends.push(code),
    );
  return { ...made, admit, ends };
}

test('each stream of a wall requires its own right; a stranger can’t distinguish existing streams from missing ones', async (t) => {
  const { store, admit, running, entries, clock } = await scene(t);
  const source = await admit('gate');
  assert.equal(source.stream.uid, 'gate');
  const timers = clock.pendingTimers;
  const stranger = await addPrincipal(store, 'eve');
  const signedOut = { ...stranger, by: { kind: 'session', id: 'ended', provedMs: 0 } } as const;
  await assert.rejects(admit('gate', { principal: signedOut }), { code: 'AuthorizationRequired' });
  await assert.rejects(admit('yard'), { code: 'Forbidden' });
  assert.deepEqual([running.demand.viewers, entries.length], [1, 1]);
  assert.equal(clock.pendingTimers, timers, 'a refused viewer is not reviewed again');
});

test('[R4.4] a channel ends with the right to its stream, once', async (t) => {
  const { admit, permit, authenticator, ann, ends } = await scene(t);
  await admit('gate');
  await permit(false);
  authenticator.forget(ann.user.id);
  await until(() => ends.length > 0, 'the end of the right');
  authenticator.forget(ann.user.id);
  assert.deepEqual(ends, ['Forbidden']);
});

test('[R4.4] a right that is revoked while the channel is being admitted ends it', async (t) => {
  const { store, admit, permit, authenticator, ann, ends } = await scene(t);
  const find = store.streamList.find.bind(store.streamList);
  // Revoked after the check has read the rights.
  t.mock.method(
    store.streamList,
    'find',
    async (...asked: Parameters<typeof find>) => {
      const seen = await find(...asked);
      await permit(false);
      return seen;
    },
    { times: 2 },
  );
  await admit('gate');
  authenticator.forget(ann.user.id);
  await until(() => ends.length > 0, 'the end of the right');
  assert.deepEqual(ends, ['Forbidden']);
});

test('a closed channel releases the stream and the transcoding, and is no longer reviewed', async (t) => {
  const { admit, running, transcoding, entries, clock, permit, authenticator, ann, ends, liveSessions } =
    await scene(t);
  const source = await admit('gate', { convert: true });
  assert.equal(source.stream.uid, 'gate transcoded');
  source.leave();
  assert.deepEqual([running.demand.viewers, transcoding.made[0]?.isClosed], [0, true]);
  const later = Promise.withResolvers<ErrorCode>();
  liveSessions.add({ principal: ann, uid: 'gate', right: 'view', end: later.resolve });
  await permit(false);
  authenticator.forget(ann.user.id);
  // Viewers are reviewed in the order in which they came.
  assert.equal(await later.promise, 'Forbidden');
  clock.advance(watchedPauseMs);
  assert.deepEqual(ends, []);
  assert.deepEqual(
    entries.map(({ action, login, target, isOver }) => [action, login, target, isOver]),
    [['watchWall', 'ann', 'gate', true]],
  );
});

test('the sub-stream is used if the stream has one; streams that are not run here, or not transcoded, are refused and dropped', async (t) => {
  const { admit, running, clock, transcoding, stop, store, ann, entries } = await scene(t);
  assert.equal((await admit('gate', { picture: 'sub' })).stream.uid, 'gate');
  const sub = runningStream('gate sub', clock);
  running.sub = sub;
  assert.equal((await admit('gate', { picture: 'sub' })).stream.uid, 'gate sub');
  assert.deepEqual([running.demand.viewers, sub.demand.viewers], [1, 1]);
  await admit('gate', { convert: true });
  const timers = clock.pendingTimers;
  const noted = entries.length;
  await assert.rejects(admit('gate', { convert: true }), { code: 'QuotaReached' });
  await store.users.save(ann.user.id, { canConvert: false });
  await assert.rejects(admit('gate', { convert: true }), { code: 'ActionNotAcceptable' });
  stop();
  await assert.rejects(admit('gate'), { code: 'Unavailable' });
  assert.deepEqual([transcoding.made.length, clock.pendingTimers, entries.length], [1, timers, noted]);
});
