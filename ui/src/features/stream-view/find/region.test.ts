import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { moved, regionBetween, regionWithin, resized, withContext, type Region } from './region.ts';

const share = fc.double({ min: -0.5, max: 1.5, noNaN: true });

function assertInside({ left, top, width, height }: Region): void {
  for (const [start, size] of [
    [left, width],
    [top, height],
  ] as const)
    assert.ok(start >= 0 && size > 0 && start + size <= 1 + 1e-9, `${start} ${size}`);
}

test('a region drawn, moved or resized in any way stays inside the frame and visible', () => {
  fc.assert(
    fc.property(share, share, share, share, share, share, (x, y, otherX, otherY, byX, byY) => {
      const region = regionBetween({ x, y }, { x: otherX, y: otherY });
      if (!region) return;
      for (const one of [region, moved(region, byX, byY), resized(region, byX - 0.5, byY - 0.5)]) {
        assertInside(one);
        const shown = withContext(one);
        assertInside(shown);
        const { left, top, width, height } = regionWithin(one, shown);
        assert.ok(left >= -1e-9 && top >= -1e-9 && left + width <= 1 + 1e-9 && top + height <= 1 + 1e-9);
      }
    }),
  );
});

test('a click is not a region', () => {
  assert.equal(regionBetween({ x: 0.4, y: 0.4 }, { x: 0.41, y: 0.6 }), undefined);
  assert.deepEqual(regionBetween({ x: 0.75, y: 0.5 }, { x: 0.25, y: 0.25 }), {
    left: 0.25,
    top: 0.25,
    width: 0.5,
    height: 0.25,
  });
});
