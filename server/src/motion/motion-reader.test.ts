import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VideoTrack } from '@vidette/media/track';
import { LoadLevel } from '../base/load-level.ts';
import { Stream } from '../hub/stream.ts';
import type { MotionEvent } from './motion-detector.ts';
import { MotionReader } from './motion-reader.ts';

const startMs = Date.UTC(2026, 10, 20, 12);
const video: VideoTrack = {
  kind: 'video',
  id: 1,
  timescale: 90_000,
  codec: 'h264',
  codecString: 'avc1.640028',
  width: 640,
  height: 360,
  config: new Uint8Array(),
};

/** Writes ten frames per second, a key frame every two seconds. */
function write(stream: Stream, fromS: number, toS: number, bytes: (second: number) => number): void {
  for (let index = Math.round(fromS * 10); index < Math.round(toS * 10); index++) {
    const isKey = index % 20 === 0;
    const size = isKey ? 50_000 : bytes(index / 10) + (index % 7) * 20;
    const dts = (startMs + index * 100) * 90;
    stream.write({ trackId: 1, dts, pts: dts, isKey, isDamaged: false, data: [], size });
  }
}

function watched() {
  const stream = new Stream('cam1');
  const told: MotionEvent[] = [];
  const load = new LoadLevel();
  const watch = new MotionReader(stream, load, (event) => told.push(event));
  stream.setTracks([video]);
  const ended = () =>
    told
      .filter(({ isOpen, isTentative }) => !isOpen && !isTentative)
      .map((event) => (event.startMs - startMs) / 1000);
  return { stream, load, watch, ended };
}

const moving = (at: number) => (second: number) => (second >= at && second < at + 6 ? 6_000 : 2_000);

test('[R10.7] a stream being written reports motion, and nothing after the reader was closed', () => {
  const { stream, watch, ended } = watched();
  write(stream, 0, 60, moving(40));
  assert.deepEqual(ended().map(Math.round), [40]);
  write(stream, 60, 84, moving(80));
  watch.close();
  assert.equal(ended().length, 2, 'an open event ends with the reader');
  write(stream, 84, 140, moving(100));
  assert.equal(ended().length, 2);
  assert.equal(stream.readerCount, 0);
});

test('[R10.7] a source that returns with its scene is evaluated immediately, with another frame size the scene is learnt again', () => {
  const { stream, ended } = watched();
  write(stream, 0, 40, () => 2_000);
  stream.pause('unreachable');
  stream.setTracks([video]);
  write(stream, 100, 130, moving(108));
  assert.deepEqual(ended().map(Math.round), [108]);
  stream.setTracks([{ ...video, width: 1280, height: 720 }]);
  write(stream, 140, 170, (second) => (second < 146 ? 8_000 : 16_000));
  assert.equal(ended().length, 1);
});

test('[R15.4] while motion detection waits nothing is read, an open event ends, and the scene is not learnt again', async () => {
  const { stream, load, watch, ended } = watched();
  write(stream, 0, 44, moving(40));
  load.set(4);
  assert.deepEqual(ended().map(Math.round), [40]);
  assert.equal(stream.readerCount, 0);
  write(stream, 44, 60, () => 2_000);
  load.set(3);
  // A reader takes what is queued from its start in a microtask.
  await Promise.resolve();
  write(stream, 60, 84, moving(70));
  assert.deepEqual(ended().map(Math.round), [40, 70]);
  watch.close();
  load.set(4);
  load.set(0);
  assert.equal(stream.readerCount, 0);
});
