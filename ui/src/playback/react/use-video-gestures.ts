import { useEffect, useRef, type PointerEvent, type RefObject } from 'react';
import type { VideoViewport } from '../video-viewport.ts';

/** The wheel delta that doubles the zoom, px. */
const WHEEL_DOUBLES_PX = 400;

interface GesturePoint {
  readonly x: number;
  readonly y: number;
}

/**
 * The wheel and pinching zoom the video about the pointer or the fingers; one pointer drags it while it is
 * zoomed.
 */
export function useVideoGestures(box: RefObject<HTMLElement | null>, view: VideoViewport) {
  const down = useRef(new Map<number, GesturePoint>());
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    // Not passive: the page must not scroll or zoom under the pointer. React's own wheel listener would be.
    const onWheel = (event: WheelEvent) => {
      if (event.deltaY === 0) return;
      event.preventDefault();
      const px = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1;
      const { x, y } = placeOf(event, element);
      view.zoomBy(2 ** ((-event.deltaY * px) / WHEEL_DOUBLES_PX), x, y);
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [box, view]);
  return {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      if (event.button !== 0) return;
      down.current.set(event.pointerId, placeOf(event, event.currentTarget));
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      const before = down.current.get(event.pointerId);
      if (!before) return;
      const now = placeOf(event, event.currentTarget);
      if (view.getLook().zoom > 1) event.currentTarget.setPointerCapture(event.pointerId);
      const other = [...down.current].find(([id]) => id !== event.pointerId)?.[1];
      down.current.set(event.pointerId, now);
      if (!other) {
        view.panBy(now.x - before.x, now.y - before.y);
        return;
      }
      const grown = distance(now, other) / Math.max(0.01, distance(before, other));
      view.zoomBy(grown, (now.x + other.x) / 2, (now.y + other.y) / 2);
    },
    onPointerUp(event: PointerEvent<HTMLElement>) {
      down.current.delete(event.pointerId);
    },
    onPointerCancel(event: PointerEvent<HTMLElement>) {
      down.current.delete(event.pointerId);
    },
    onPointerLeave(event: PointerEvent<HTMLElement>) {
      if (!event.currentTarget.hasPointerCapture(event.pointerId)) down.current.delete(event.pointerId);
    },
  };
}

function placeOf(event: { clientX: number; clientY: number }, element: HTMLElement): GesturePoint {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: (event.clientX - left) / Math.max(1, width), y: (event.clientY - top) / Math.max(1, height) };
}

function distance(a: GesturePoint, b: GesturePoint): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
