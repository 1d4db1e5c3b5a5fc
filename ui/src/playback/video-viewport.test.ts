import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { VIDEO_ZOOM_MOST, VideoViewport } from './video-viewport.ts';

const share = fc.double({ min: 0, max: 1, noNaN: true });

test('the zoomed video always fills its box, however it is zoomed and dragged', () => {
  const act = fc.oneof(
    fc.record({ zoom: fc.double({ min: 0.1, max: 10, noNaN: true }), x: share, y: share }),
    fc.record({
      panX: fc.double({ min: -3, max: 3, noNaN: true }),
      panY: fc.double({ min: -3, max: 3, noNaN: true }),
    }),
  );
  fc.assert(
    fc.property(fc.array(act, { maxLength: 30 }), (acts) => {
      const view = new VideoViewport();
      for (const one of acts) {
        if ('zoom' in one) view.zoomBy(one.zoom, one.x, one.y);
        else view.panBy(one.panX, one.panY);
        const { zoom, left, top } = view.getLook();
        assert.ok(zoom >= 1 && zoom <= VIDEO_ZOOM_MOST);
        for (const edge of [left, top]) assert.ok(edge <= 1e-9 && edge + zoom >= 1 - 1e-9);
      }
    }),
  );
});

test('the point under the pointer stays there while zooming', () => {
  fc.assert(
    fc.property(share, share, (x, y) => {
      const view = new VideoViewport();
      for (let turn = 0; turn < 5; turn++) view.zoomBy(1.3, x, y);
      const { zoom, left, top } = view.getLook();
      assert.ok(Math.abs((x - left) / zoom - x) < 1e-9);
      assert.ok(Math.abs((y - top) / zoom - y) < 1e-9);
      view.reset();
      assert.deepEqual(view.getLook(), { fit: 'contain', zoom: 1, left: 0, top: 0 });
    }),
  );
});
