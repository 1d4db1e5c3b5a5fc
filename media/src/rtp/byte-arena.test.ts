import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sampleOf, slicesOf } from '../placed-sample.ts';
import { BlockPool, releaseSample } from '../sample-block.ts';
import { ByteArena } from './byte-arena.ts';

const blockBytes = 64;
const head = { trackId: 2, dts: 0, pts: 0, isKey: true, isDamaged: false };

test('[R10.1] what an arena keeps is unchanged until it is released, and its memory is then used again', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 8 }), (of, kept) => {
      const pool = new BlockPool(blockBytes, 1e6);
      const arena = new ByteArena(pool);
      // As a connection's read buffer: overwritten after each frame.
      const buffer = new Uint8Array(100);
      const waiting: { value: number; sample: ReturnType<typeof sampleOf> }[] = [];
      for (const [value, size] of of.entries()) {
        buffer.fill(value, 3, 3 + size);
        const bytes = arena.keep(buffer, 3, 3 + size);
        assert.equal(slicesOf(bytes, size).length, 1, 'in one piece');
        waiting.push({ value, sample: sampleOf({ ...head, size }, bytes) });
        buffer.fill(0xee);
        const first = waiting.length > kept ? waiting.shift() : undefined;
        for (const one of waiting) assertWhole(one);
        if (first) releaseSample(first.sample);
      }
      for (const { sample } of waiting) releaseSample(sample);
      // All but the block being filled.
      const blocks = new Set(waiting.flatMap(({ sample }) => sample.blocks ?? []));
      assert.ok(pool.freeBytes >= (blocks.size - 1) * blockBytes);
      assert.ok(pool.freeBytes <= (kept + 2) * blockBytes, 'no more blocks than waited together');
    }),
  );
});

function assertWhole({ value, sample }: { value: number; sample: ReturnType<typeof sampleOf> }): void {
  assert.ok(sample.data.every((slice) => slice.every((byte) => byte === value)));
}
