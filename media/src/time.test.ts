import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { msToTicks, rescaleTicks, ticksToMs, ticksToMsCeil, unwrap32, wrappedDelta32 } from './time.ts';

const timescale = fc.constantFrom(90000, 48000, 44100, 8000, 12800, 1000);
/** Times from 1970 to 2200, milliseconds. */
const moment = fc.integer({ min: 0, max: 7_258_118_400_000 });

test('milliseconds survive the conversion to ticks and back in every timescale in use', () => {
  fc.assert(
    fc.property(moment, timescale, (ms, scale) => {
      const ticks = msToTicks(ms, scale);
      assert.ok(Number.isSafeInteger(ticks));
      // Rounding moves a time by half a tick at most, up or down.
      assert.ok(Math.abs(ticksToMs(ticks, scale) - ms) <= 1);
      assert.ok(ticksToMsCeil(ticks, scale) - ticksToMs(ticks, scale) <= 1);
      if (scale % 1000 === 0) assert.equal(ticksToMs(ticks, scale), ms);
    }),
  );
});

test('ticks are exact for a time of today', () => {
  assert.equal(msToTicks(1_700_000_000_040, 90000), 153_000_000_003_600);
  assert.equal(ticksToMs(153_000_000_003_600, 90000), 1_700_000_000_040);
  assert.equal(ticksToMs(153_000_000_003_599, 90000), 1_700_000_000_039);
  assert.equal(ticksToMsCeil(153_000_000_003_601, 90000), 1_700_000_000_041);
  assert.equal(rescaleTicks(153_000_000_003_600, 90000, 48000), 81_600_000_001_920);
});

test('rescaling there and back loses at most a tick of the coarser scale', () => {
  fc.assert(
    fc.property(moment, timescale, timescale, (ms, from, to) => {
      const ticks = msToTicks(ms, from);
      const back = rescaleTicks(rescaleTicks(ticks, from, to), to, from);
      assert.ok(Math.abs(back - ticks) <= Math.ceil(from / to));
    }),
  );
});

test('[R10.2] a 32-bit clock is followed past its wrap in both directions', () => {
  assert.equal(wrappedDelta32(0xffffff00, 0x100), 0x200);
  assert.equal(wrappedDelta32(0x100, 0xffffff00), -0x200);
  fc.assert(
    fc.property(
      fc.maxSafeNat().map((value) => value % 2 ** 50),
      fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      (start, delta) => {
        const next = start + delta;
        const wrapped = ((next % 2 ** 32) + 2 ** 32) % 2 ** 32;
        assert.equal(unwrap32(start, wrapped), next);
      },
    ),
  );
});
