import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { atTime } from '@vidette/media/placed-sample';
import type { Sample } from '@vidette/media/sample';
import { findingsOf, openArchive, temporaryRoot } from '../archive/fixtures/archive-fixture.ts';
import {
  connect,
  deliver,
  footageOf,
  footageStartMs as t0,
  heavier,
  type RecordedFixture,
} from '../archive/fixtures/footage-fixture.ts';
import { fingerprintOf } from '../archive/record/record.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { until } from '../base/until-fixture.ts';
import { Stream } from '../hub/stream.ts';
import { Standby } from './standby.ts';

const footage = footageOf('h264-no-b.mp4');
const framesPerSecond = 25;
const catalogTimescale = 90_000;
/** What is waited for is there already, or never comes. */
const clock: Clock = { ...systemClock, after: (_, run) => systemClock.after(0, run) };

/** As another session with the camera dates it. */
function later(other: RecordedFixture, ticks: number): RecordedFixture {
  const moved = (sample: Sample) => atTime(sample, sample.dts + ticks, sample.pts + ticks);
  return { tracks: other.tracks, between: (fromMs, toMs) => other.between(fromMs, toMs).map(moved) };
}

/**
 * One recorder of eight seconds of video hands over to another one after four, which receives them from the second one on.
 * @param second what the session of the second one delivers
 */
async function handedOver(t: TestContext, second: RecordedFixture) {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  const [old, next] = [new Stream('cam1'), new Stream('cam1')];
  const recorder = archive.recorders.record('cam1', old);
  connect(old, footage, t0, t0 + 3_200);
  const standby = new Standby(next, clock);
  connect(next, second, t0 + 1_000, t0 + 3_200);
  await standby.begun();
  deliver(next, second, t0 + 3_200, t0 + 5_500);
  const handing = recorder.handOver();
  deliver(old, footage, t0 + 3_200, t0 + 6_000);
  const point = await handing;
  await standby.reach(point);
  await standby.reach(point);
  const successor = archive.recorders.record('cam1', next, () => true, standby.continuationAt(point));
  standby.close();
  deliver(next, second, t0 + 5_500, t0 + 8_000);
  await successor.stop('recording-off');
  assert.deepEqual(await findingsOf(dir), []);
  const { ranges } = archive.reader.ranges('cam1', t0, t0 + 7_900);
  return { dir, archive, ranges };
}

for (const ticks of [0, 600, -600]) {
  test(`[R15.1] a recorder continues with the frame at which another one ended, dated by ${ticks} ticks differently`, async (t) => {
    const { archive, ranges } = await handedOver(t, later(footage, ticks));
    assert.deepEqual(
      ranges.map(({ status }) => status),
      ['fragment'],
    );
    const { durationMs, segments } = archive.reader.stats('cam1');
    assert.equal(segments, 2);
    // Every frame once; the last one ends as long after its start as the others.
    assert.ok(Math.abs(durationMs - 8_000) < 500 / framesPerSecond, `${durationMs} ms`);
  });
}

test('[R15.1] where the camera encodes for each session, recording continues with the first key frame that is not before', async (t) => {
  const other = heavier(footage, 40);
  const { ranges } = await handedOver(t, later(other, 600));
  assert.deepEqual(
    ranges.map(({ status }) => status),
    ['fragment'],
    'a few milliseconds are no gap',
  );
  const { archive } = await handedOver(t, later(other, -600));
  const { durationMs } = archive.reader.stats('cam1');
  assert.ok(Math.abs(durationMs - 7_000) < 1_000 / framesPerSecond, `${durationMs} ms`);
});

test('[R15.1] a recorder that receives no frames hands over immediately', async (t) => {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  const old = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', old);
  assert.deepEqual(await recorder.handOver(), { atTicks: 0, shiftTicks: 0 });
  const again = archive.recorders.record('cam1', old);
  connect(old, footage, t0, t0 + 3_200);
  await until(() => again.status.fragments > 0);
  const handing = again.handOver();
  old.pause('unreachable');
  const { fingerprint } = await handing;
  assert.equal(fingerprint, undefined);
});

test('[R15.1] the frame at which another recorder has ended is held while that one waits for its disk, and waited for while this session is late', async (t) => {
  const time = new ManualClock();
  const stream = new Stream('cam1');
  const standby = new Standby(stream, time);
  t.after(() => standby.close());
  connect(stream, footage, t0, t0 + 1_200);
  const key = footage.between(t0, t0 + 100).find(({ isKey }) => isKey);
  assert.ok(key);
  const atTicks = (key.dts * 90_000) / (footage.tracks[0]?.timescale ?? 1);
  const point = { fingerprint: fingerprintOf(key), atTicks, shiftTicks: 0 };
  deliver(stream, footage, t0 + 1_200, t0 + 8_000);
  await standby.reach(point);
  assert.equal(standby.continuationAt(point)?.atTicks, atTicks, 'it began 8 s ago');

  const late = new Stream('cam1');
  const other = new Standby(late, time);
  t.after(() => other.close());
  let isReached = false;
  // A session that is behind, of which the frame is still to come.
  const reaching = other.reach({ ...point, fingerprint: 'of a later frame' }).then(() => (isReached = true));
  connect(late, footage, t0, t0 + 3_200);
  time.advance(20_000);
  await new Promise(setImmediate);
  assert.equal(isReached, false);
  deliver(late, footage, t0 + 3_200, t0 + 7_000);
  await reaching;
});

/** Holds what a session delivers from the start of the footage to `toMs`. */
function holding(t: TestContext, toMs: number, second = footage): Standby {
  const stream = new Stream('cam1');
  const standby = new Standby(stream, clock);
  t.after(() => standby.close());
  connect(stream, second, t0, t0 + toMs);
  return standby;
}

/** When a key frame of the footage begins, catalog ticks; by its number. */
function keyTicks(number: number): number {
  const keys = footage.between(t0, t0 + 8_000).filter(({ isKey }) => isKey);
  const [key, timescale] = [keys[number], footage.tracks[0]?.timescale];
  assert.ok(key && timescale);
  return (key.dts * catalogTimescale) / timescale;
}

for (const skew of [0, 900, -900])
  test(`[R15.1] after a process that was lost, recording continues with the first GOP that is not on the disk, whose session is ${skew} ticks later`, async (t) => {
    const standby = holding(t, 5_500, later(footage, skew));
    const continued = await standby.continuationAfter(keyTicks(2), 0);
    assert.equal(continued?.atTicks, keyTicks(2), 'it follows the footage');
    const first = continued?.events.find((event) => event.type === 'sample');
    assert.equal(
      first?.sample.dts,
      later(footage, skew)
        .between(t0, t0 + 8_000)
        .filter(({ isKey }) => isKey)[2]?.dts,
    );
    // As the recording had been dated that went before.
    const shifted = await standby.continuationAfter(keyTicks(2) + 7_000_000, 7_000_000);
    assert.equal(shifted?.atTicks, keyTicks(2) + 7_000_000);
  });

test('[R15.1] after a process that was lost within a GOP, recording continues with the next one', async (t) => {
  const standby = holding(t, 5_500);
  const middle = (keyTicks(2) + keyTicks(3)) / 2;
  const continued = await standby.continuationAfter(middle, 0);
  assert.equal(continued?.atTicks, undefined, 'there is a gap before it');
  const first = continued?.events.find((event) => event.type === 'sample');
  assert.equal(first?.sample.dts, footage.between(t0, t0 + 8_000).filter(({ isKey }) => isKey)[3]?.dts);
});

test('[R15.1] the first GOP that is not on the disk is waited for while it may arrive', async (t) => {
  const stream = new Stream('cam1');
  const standby = new Standby(stream, new ManualClock());
  t.after(() => standby.close());
  const following = standby.continuationAfter(keyTicks(2), 0);
  connect(stream, footage, t0, t0 + 1_500);
  await new Promise(setImmediate);
  deliver(stream, footage, t0 + 1_500, t0 + 5_500);
  assert.equal((await following)?.atTicks, keyTicks(2));
  // The clock was set back: that time does not come.
  assert.equal(await standby.continuationAfter(keyTicks(2) + 3_600 * catalogTimescale, 0), undefined);
});
