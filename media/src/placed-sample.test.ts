import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { atTime, JoinedData, sampleOf, slicesOf, type FrameBytes } from './placed-sample.ts';
import { BlockPool, holdSample, releaseSample } from './sample-block.ts';

const head = { trackId: 1, dts: 10, pts: 12, isKey: true, isDamaged: false };

/** Frames in memory as `ByteArena` gives it: in one block each, or, if they don't fit, in memory of their own. */
function framesOf(sizes: readonly number[], pool: BlockPool): { bytes: FrameBytes; size: number }[] {
  let block = pool.give();
  let filled = 0;
  return sizes.map((size, index) => {
    if (size > pool.blockBytes) return { bytes: { data: [new Uint8Array(size).fill(index)] }, size };
    if (filled + size > pool.blockBytes) [block, filled] = [pool.give(), 0];
    block.hold();
    block.bytes.fill(index, filled, filled + size);
    filled += size;
    return { bytes: { block, from: filled - size }, size };
  });
}

/** Frames that follow each other without a gap: those that don't fit into a block go on in others. */
function runsOf(sizes: readonly number[], pool: BlockPool): { bytes: FrameBytes; size: number }[] {
  let block = pool.give();
  let filled = 0;
  return sizes.map((size, index) => {
    if (filled === pool.blockBytes) [block, filled] = [pool.give(), 0];
    const from = filled;
    const run = [block];
    for (let left = size; left > 0;) {
      if (filled === pool.blockBytes) {
        [block, filled] = [pool.give(), 0];
        run.push(block);
      }
      const end = Math.min(pool.blockBytes, filled + left);
      block.bytes.fill(index, filled, end);
      left -= end - filled;
      filled = end;
    }
    for (const one of run) one.hold();
    return { bytes: run.length === 1 ? { block, from } : { run, from }, size };
  });
}

test('[R10.1] joined data is that of the samples in order, in one slice for each stretch of memory', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(sizes, fc.constantFrom(framesOf, runsOf), (of, inMemory) => {
      const frames = inMemory(of, new BlockPool(64, 0));
      const samples = frames.map(({ bytes, size }) => sampleOf({ ...head, size }, bytes));
      const joined = new JoinedData();
      for (const sample of samples) joined.add(sample);
      const slices = joined.slices();
      assert.deepEqual(Buffer.concat(slices), Buffer.concat(samples.flatMap(({ data }) => data)));
      assert.deepEqual(
        Buffer.concat(slices),
        Buffer.concat(frames.flatMap(({ bytes, size }) => slicesOf(bytes, size))),
      );
      const memory = samples.flatMap((sample): unknown[] => [...(sample.blocks ?? [sample])]);
      assert.equal(slices.length, memory.filter((one, at) => one !== memory[at - 1]).length);
    }),
  );
});

test('samples of two tracks that were received in turn are not joined across each other', () => {
  const pool = new BlockPool(64, 0);
  const [first, second] = [framesOf([8, 8, 8], pool), framesOf([5, 5], pool)].map((frames) =>
    frames.map(({ bytes, size }) => sampleOf({ ...head, size }, bytes)),
  );
  assert.ok(first && second);
  const joined = new JoinedData();
  for (const sample of [first[0], second[0], first[1], first[2], second[1]]) if (sample) joined.add(sample);
  assert.deepEqual(
    joined.slices().map(({ length }) => length),
    [8, 5, 16, 5],
  );
});

test('[R10.1] a sample that spans blocks holds each of them, and its data is their contents in order', () => {
  const pool = new BlockPool(64, 640);
  const [frame] = runsOf([150], pool);
  assert.ok(frame);
  const sample = sampleOf({ ...head, size: 150 }, frame.bytes);
  assert.deepEqual(
    sample.data.map(({ length }) => length),
    [64, 64, 22],
  );
  const blocks = sample.blocks ?? [];
  // The one who filled them doesn't need them any more.
  for (const block of blocks) block.release();
  holdSample(sample);
  releaseSample(atTime(sample, 1, 3));
  assert.equal(pool.freeBytes, 0);
  releaseSample(sample);
  assert.equal(pool.freeBytes, 3 * 64);
});

test('a sample in a block tells all that it was made with', () => {
  const heads = fc.record({
    trackId: fc.integer({ min: 1, max: 0xffff_ffff }),
    dts: fc.maxSafeNat(),
    isKey: fc.boolean(),
    isDamaged: fc.boolean(),
  });
  fc.assert(
    fc.property(heads, fc.integer({ min: -0x8000_0000, max: 0xffff_ffff }), (of, offset) => {
      for (const bytes of [8, 80]) {
        const made = { ...of, pts: of.dts + offset, size: bytes };
        fc.pre(Number.isSafeInteger(made.pts));
        const [frame] = runsOf([bytes], new BlockPool(64, 0));
        assert.ok(frame);
        const { trackId, dts, pts, isKey, isDamaged, size } = sampleOf(made, frame.bytes);
        assert.deepEqual({ trackId, dts, pts, isKey, isDamaged, size }, made);
      }
    }),
  );
});

test('a sample at another time is the same but for its time, in memory that is held once for both', () => {
  const pool = new BlockPool(64, 640);
  const [placed] = framesOf([8], pool);
  assert.ok(placed);
  const apart = { bytes: { data: [new Uint8Array(8)] }, size: 8 };
  const [run] = runsOf([80], pool);
  assert.ok(run);
  for (const { bytes, size } of [placed, apart, run]) {
    const sample = sampleOf({ ...head, size }, bytes);
    const moved = atTime(sample, 1, 3);
    const { trackId, dts, pts, isKey, isDamaged } = moved;
    assert.deepEqual(
      { trackId, dts, pts, isKey, isDamaged, size: moved.size },
      { ...head, dts: 1, pts: 3, size },
    );
    assert.deepEqual(moved.data, sample.data);
    assert.equal(moved.blocks, sample.blocks);
  }
  const sample = sampleOf({ ...head, size: 8 }, placed.bytes);
  holdSample(sample);
  releaseSample(atTime(sample, 1, 3));
  assert.equal(pool.freeBytes, 0);
  releaseSample(sample);
  assert.equal(pool.freeBytes, 0, 'the one who fills it still holds it');
  sample.blocks?.[0]?.release();
  assert.equal(pool.freeBytes, 64);
});
