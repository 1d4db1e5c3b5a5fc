import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Sample } from '@vidette/media/sample';
import { BlockPool, releaseSample } from '@vidette/media/sample-block';
import { frameTicks, pooledSource } from './pooled-source-fixture.ts';
import type { Reader } from './reader.ts';
import { videoTrack } from './sample-fixture.ts';

const blockBytes = 64;

/** The frame has the bytes that it was sent with. */
function assertWhole(sample: Sample): void {
  const bytes = Buffer.concat(sample.data).subarray(4);
  const expected = (sample.dts / frameTicks) & 0xff;
  assert.ok(
    bytes.every((byte) => byte === expected),
    `frame ${sample.dts / frameTicks}`,
  );
}

function take(reader: Reader, count: number): Sample[] {
  const samples: Sample[] = [];
  for (let event = reader.take(); event; event = reader.take()) {
    if (event.type === 'sample') samples.push(event.sample);
    if (samples.length === count) break;
  }
  return samples;
}

test('[R10.1] memory is used again when the hub and the recorder are through with it, and only then', () => {
  const pool = new BlockPool(blockBytes, 1e6);
  const { stream, send } = pooledSource(pool);
  const recorder = stream.addReader({
    name: 'archive',
    maxBytes: 1e6,
    from: 'next-key',
    data: 'releases',
    onReadable() {},
  });
  for (let at = 0; at < 20; at++) send(40, at % 5 === 0);
  assert.equal(pool.freeBytes, 0, 'the recorder needs them');
  const samples = take(recorder, 20);
  samples.forEach(assertWhole);
  samples.slice(0, 15).forEach(releaseSample);
  assert.ok(pool.freeBytes >= 14 * blockBytes, String(pool.freeBytes));
  const before = pool.freeBytes;
  samples.slice(15).forEach(releaseSample);
  assert.equal(pool.freeBytes, before, 'the hub needs the last GOP for who comes next');
  const viewer = stream.addReader({ name: 'live', maxBytes: 1e6, from: 'gop', onReadable() {} });
  for (let at = 0; at < 20; at++) send(40, at % 5 === 0);
  take(recorder, 20).forEach(releaseSample);
  take(viewer, 25).forEach(assertWhole);
});

test('[R10.1] no frame changes while a reader may read it, however readers come, go, drop or fail to release', () => {
  const step = fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({
        do: fc.constant('send'),
        size: fc.integer({ min: 1, max: 150 }),
        isKey: fc.boolean(),
      }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('record'), count: fc.integer({ min: 1, max: 9 }) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('view', 'leave', 'fail', 'pause', 'skip') }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300, size: 'max' }), (steps) => {
      const { stream, send } = pooledSource(new BlockPool(blockBytes, 20 * blockBytes));
      const open = (data: 'keeps' | 'releases') =>
        stream.addReader({ name: data, maxBytes: 2_000, from: 'gop', data, onReadable() {} });
      const recorder = open('releases');
      const viewers: Reader[] = [];
      const seen: Sample[] = [];
      for (const each of steps) {
        if ('size' in each) send(each.size, each.isKey);
        else if ('count' in each) {
          const samples = take(recorder, each.count);
          samples.forEach(assertWhole);
          samples.forEach(releaseSample);
        } else if (each.do === 'view') viewers.push(open('keeps'));
        else if (each.do === 'leave') viewers.shift()?.close();
        else if (each.do === 'fail') seen.push(...take(recorder, 3));
        else if (each.do === 'skip') recorder.skipToNewestGop();
        else {
          stream.pause('no-frames');
          stream.setTracks([videoTrack]);
        }
        for (const viewer of viewers) seen.push(...take(viewer, 2));
      }
      stream.gop.forEach(assertWhole);
      seen.forEach(assertWhole);
      for (const viewer of viewers) take(viewer, 1e6).forEach(assertWhole);
      take(recorder, 1e6).forEach(assertWhole);
    }),
    { numRuns: 200 },
  );
});

test('memory that was not needed for a while is given back', () => {
  const pool = new BlockPool(blockBytes, 1e6);
  const blocks = Array.from({ length: 100 }, () => pool.give());
  for (const block of blocks) block.release();
  assert.equal(pool.freeBytes, 100 * blockBytes);
  for (let at = 0; at < 1_100; at++) pool.give().release();
  assert.ok(pool.freeBytes <= 2 * blockBytes, String(pool.freeBytes));
  const few = new BlockPool(blockBytes, 3 * blockBytes);
  for (const block of Array.from({ length: 9 }, () => few.give())) block.release();
  assert.equal(few.freeBytes, 3 * blockBytes);
});
