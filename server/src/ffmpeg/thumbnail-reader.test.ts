import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { silentLog } from '../base/log.ts';
import { FfmpegPool } from './pool.ts';
import type { SnapshotPool } from './snapshot-queue.ts';
import { frameCells, thumbnailBytes } from './thumbnail-layout.ts';
import { ThumbnailReader } from './thumbnail-reader.ts';
import { bicycle, yardFootage } from './worker/yard-fixture.ts';

const pool = new FfmpegPool({ clock: systemClock, log: silentLog });
after(() => pool.dispose('the test is over'));

const mean = (cells: Uint8Array) => cells.reduce((sum, cell) => sum + cell, 0) / cells.length;

test('thumbnails show the frame and, finer, a region of it; a frame that cannot be decoded gets none', async () => {
  const yard = await yardFootage(1000, (ms) => ({ hasBicycle: ms >= 2000, hasPerson: false, light: 1 }), [1]);
  const [track] = yard.tracks;
  const [without, , withIt] = yard.between(0, 3000);
  assert.ok(track && without && withIt);
  const reader = new ThumbnailReader(pool, systemClock, bicycle);
  const first = await reader.of(track, without);
  const broken = { ...without, data: [Buffer.alloc(200, 1)], size: 200 };
  assert.equal(await reader.of(track, broken), undefined);
  // Parameters that are none: the decoder is replaced, and replaced again.
  assert.equal(await reader.of({ ...track, config: new Uint8Array([1, 2]) }, without), undefined);
  const second = await reader.of(track, withIt);
  assert.ok(first && second);
  assert.equal(first.length, thumbnailBytes);
  // The sky at the top left is brighter than the ground at the bottom right.
  assert.ok((first[0] ?? 0) > (first[frameCells - 1] ?? 0) + 40, `${first[0]} ${first[frameCells - 1]}`);
  const [plain, marked] = [first.subarray(frameCells), second.subarray(frameCells)];
  const spread = (cells: Uint8Array) => Math.max(...cells) - Math.min(...cells);
  assert.ok(spread(plain) < 30, `the ground is even: ${spread(plain)}`);
  assert.ok(spread(marked) > 100, `the bicycle is seen: ${spread(marked)}`);
  assert.ok(Math.abs(mean(first.subarray(0, frameCells)) - mean(second.subarray(0, frameCells))) < 5);
  reader.close();
  await assert.rejects(reader.of(track, without), { code: 'Unavailable' });
});

test('a reader that is closed while a frame is decoded says so', async () => {
  const yard = await yardFootage(1000, () => ({ hasBicycle: false, hasPerson: false, light: 1 }), [1]);
  const [track] = yard.tracks;
  const [frame] = yard.between(0, 1000);
  assert.ok(track && frame);
  const reader = new ThumbnailReader(pool, systemClock, bicycle);
  const made = reader.of(track, frame);
  reader.close();
  await assert.rejects(made, { code: 'Unavailable' });
});

test('a frame with which the process fails is one that cannot be decoded; a process that always fails is an error', async () => {
  const yard = await yardFootage(1000, () => ({ hasBicycle: false, hasPerson: false, light: 1 }), [1]);
  const [track] = yard.tracks;
  const [frame] = yard.between(0, 1000);
  assert.ok(track && frame);
  let opened = 0;
  const failing: SnapshotPool = {
    open: (_, __, listener) => {
      opened++;
      const end = () => listener.ended(new Fault('Unavailable', 'It was killed.'), 'It was killed.');
      return {
        data: () => (queueMicrotask(end), true),
        send: () => Promise.resolve(false),
        close: () => {},
        kill: () => {},
      };
    },
  };
  const reader = new ThumbnailReader(failing, systemClock, bicycle);
  for (let time = 1; time <= 3; time++) {
    assert.equal(await reader.of(track, frame), undefined);
    assert.equal(opened, time);
  }
  await assert.rejects(reader.of(track, frame), { code: 'Unavailable' });
});
