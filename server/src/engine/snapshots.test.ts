import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VideoTrack } from '@vidette/media/track';
import { Fault } from '../base/fault.ts';
import { LoadLevel } from '../base/load-level.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { Stream } from '../hub/stream.ts';
import { Snapshots } from './snapshots.ts';
import { newestKeyFrame } from './stream-report.ts';

const track = {
  id: 1,
  kind: 'video',
  codec: 'h264',
  timescale: 90_000,
  config: new Uint8Array(),
} as unknown as VideoTrack;

/** A stream whose key frames the test sends, and snapshots whose renders it settles. */
function running() {
  const clock = new ManualClock();
  const load = new LoadLevel();
  const stream = new Stream('gate');
  const renders: PromiseWithResolvers<Uint8Array>[] = [];
  const render = () => {
    const made = Promise.withResolvers<Uint8Array>();
    renders.push(made);
    return made.promise;
  };
  stream.setTracks([track]);
  const keyFrame = (timeMs: number) => {
    const ticks = timeMs * 90;
    stream.write({ trackId: 1, dts: ticks, pts: ticks, isKey: true, isDamaged: false, data: [], size: 0 });
  };
  const source = { uid: stream.uid, newestKeyFrame: () => newestKeyFrame(stream) };
  return { clock, source, renders, keyFrame, load, snapshots: new Snapshots({ render, clock, load }) };
}

/** Lets promise callbacks run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('while a newer snapshot is late the last good one is served with its own time, and one render continues in the background', async () => {
  const { clock, source, renders, keyFrame, snapshots } = running();
  keyFrame(1000);
  const first = snapshots.newest(source, 640);
  renders[0]!.resolve(Uint8Array.of(1));
  assert.equal((await first).timeMs, 1000);
  clock.advance(10_000);
  keyFrame(11_000);
  const asked = [snapshots.newest(source, 640), snapshots.newest(source, 640)];
  await settled();
  clock.advance(1000);
  assert.deepEqual(
    (await Promise.all(asked)).map(({ timeMs }) => timeMs),
    [1000, 1000],
  );
  assert.equal(renders.length, 2, 'all callers share one render');
  renders[1]!.resolve(Uint8Array.of(2));
  await settled();
  assert.equal((await snapshots.newest(source, 640)).timeMs, 11_000);
});

test('a failed snapshot leaves the last good one, and is retried with increasing pauses', async () => {
  const { clock, source, renders, keyFrame, snapshots } = running();
  keyFrame(1000);
  const first = snapshots.newest(source, 640);
  renders[0]!.resolve(Uint8Array.of(1));
  await first;
  for (let turn = 1; turn <= 600; turn++) {
    clock.advance(2000);
    keyFrame(1000 + turn * 2000);
    const still = snapshots.newest(source, 640);
    renders.at(-1)!.reject(new Fault('Unavailable', 'the decoder crashed'));
    assert.equal((await still).timeMs, 1000);
  }
  // 20 minutes: pauses of 2, 4, 8 ... 512, 600 s.
  assert.ok(renders.length <= 12, `${renders.length} renders`);
});

test('callers wait five seconds for the first snapshot of a stream, and its failure is reported', async () => {
  const { clock, source, renders, keyFrame, snapshots } = running();
  await assert.rejects(snapshots.newest(source, 640), { code: 'Unavailable' });
  keyFrame(1000);
  const late = assert.rejects(snapshots.newest(source, 640), { code: 'SERVER_NOT_RESPONSE_ERR' });
  await settled();
  clock.advance(5000);
  await late;
  const failed = assert.rejects(snapshots.newest(source, 640), { code: 'ProbeError' });
  renders[0]!.reject(new Fault('ProbeError', 'no snapshot'));
  await failed;
});

test('[R15.4] while snapshots wait none is rendered: the last one of the stream is served, in another size rather than none', async () => {
  const { keyFrame, source, renders, load, snapshots } = running();
  keyFrame(1_000);
  load.set(2);
  await assert.rejects(snapshots.newest(source, 320), { code: 'ServerOverloaded' });
  load.set(1);
  const first = snapshots.newest(source, 640);
  renders[0]?.resolve(new Uint8Array([1]));
  await first;
  load.set(2);
  keyFrame(9_000);
  assert.equal((await snapshots.newest(source, 320)).timeMs, 1_000);
  assert.equal((await snapshots.newest(source, 640)).timeMs, 1_000);
  assert.equal(renders.length, 1);
});
