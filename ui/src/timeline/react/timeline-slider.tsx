import { useEffect, useLayoutEffect, useId, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { KeyboardEvent, PointerEvent, ReactNode, RefObject } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { BAND_TOP_PX, drawTimeline, TIMELINE_HEIGHT_PX, type TimelineMessages } from '../draw.ts';
import { momentText, timelineMessages } from '../moment-text.ts';
import { timelineKey } from '../timeline-keys.ts';
import type { Timeline } from '../timeline.ts';
import { Zone } from '../zone.ts';
import { drawnPx, fitCanvas, followWidth } from './canvas.ts';
import shared from './canvas.module.css';
import { paletteOf } from './palette.ts';
import classes from './timeline-slider.module.css';

interface TimelineSliderProps {
  readonly timeline: Timeline;
  readonly label: string;
  /** The moment on screen, read before each drawing. */
  readonly momentMs: () => number | undefined;
  /** Shown above the pointer. */
  readonly tip: ReactNode;
}

/** Time passes even without interaction; this interval is smooth enough for a playhead. */
const REDRAW_MS = 200;
const SPEAK_MS = 1000;
/** Touch target around a handle. */
const FINGER_PX = 22;

/** The timeline on its canvas; for keyboards and screen readers a range input. All behaviour is the core's. */
export function TimelineSlider({ timeline, label, momentMs, tip }: TimelineSliderProps) {
  const i18n = useI18n();
  const canvas = useRef<HTMLCanvasElement>(null);
  const zone = useMemo(() => new Zone(i18n.timeZone), [i18n.timeZone]);
  const isAtGrip = useSyncExternalStore(timeline.subscribe, () => {
    const { scale: shown, hoverMs, scrubMs } = timeline.getView();
    if (scrubMs !== undefined) return true;
    const px = hoverMs === undefined ? undefined : shown.toPx(hoverMs);
    return px !== undefined && (timeline.pointer.isAtPlayhead(px) || timeline.pointer.isAtSelection(px));
  });
  const isDragging = useSyncExternalStore(timeline.subscribe, () => timeline.getView().isDragging);
  useDrawing(canvas, timeline, zone, momentMs);
  useWheel(canvas, timeline);
  const pointers = usePointers(timeline);
  return (
    <div className={shared.frame}>
      <canvas
        ref={canvas}
        className={`${shared.canvas} ${classes.canvas}`}
        data-timeline=""
        data-dragging={isDragging}
        data-grip={isAtGrip}
        aria-hidden="true"
        {...pointers}
      />
      {tip}
      <PlayheadInput timeline={timeline} zone={zone} label={label} />
    </div>
  );
}

interface PlayheadInputProps {
  readonly timeline: Timeline;
  readonly zone: Zone;
  readonly label: string;
}

/** The playhead for keyboards and screen readers. */
function PlayheadInput({ timeline, zone, label }: PlayheadInputProps) {
  const i18n = useI18n();
  const keysId = useId();
  const [spoken, setSpoken] = useState('');
  const scale = useSyncExternalStore(timeline.subscribe, () => timeline.getView().scale);
  useLayoutEffect(() => {
    const speak = () => setSpoken(momentText(timeline.getView(), i18n, zone));
    speak();
    const speaking = setInterval(speak, SPEAK_MS);
    return () => clearInterval(speaking);
  }, [timeline, i18n, zone]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!timelineKey(timeline, event.key, event.shiftKey)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const { playheadMs, nowMs } = timeline.getView();
  const shownMs = Math.round(playheadMs ?? nowMs);
  const fromMs = Math.floor(scale.startMs);
  const toMs = Math.ceil(scale.endMs);
  return (
    <>
      <input
        type="range"
        className={shared.input}
        aria-label={label}
        aria-describedby={keysId}
        aria-valuetext={spoken}
        min={fromMs}
        max={toMs}
        step="any"
        value={shownMs}
        // The input's own value is clamped to its range; the playhead may be out of view.
        aria-valuemin={fromMs}
        aria-valuemax={toMs}
        aria-valuenow={shownMs}
        // Screen reader swipes arrive as change events; keys are handled before they become one.
        onChange={(event) => timeline.goTo(event.currentTarget.valueAsNumber)}
        onKeyDown={onKeyDown}
      />
      <span id={keysId} className="visually-hidden">
        {i18n.t('timeline.keys')}
      </span>
    </>
  );
}

/** Draws after each change, and as time passes. */
function useDrawing(
  canvasRef: RefObject<HTMLCanvasElement | null>,
  timeline: Timeline,
  zone: Zone,
  momentMs: () => number | undefined,
): void {
  const i18n = useI18n();
  // A layout effect: it ends with the element, so that nothing is drawn with the colours of a removed one.
  useLayoutEffect(() => {
    const element = canvasRef.current;
    const context = element?.getContext('2d');
    if (!element || !context) return;
    const words = timelineMessages(i18n, zone);
    let frame = 0;
    let drawnAt = 0;
    let isDue = true;
    const draw = (at: number) => {
      frame = requestAnimationFrame(draw);
      timeline.frame(momentMs());
      if (!isDue && at - drawnAt < REDRAW_MS) return;
      isDue = false;
      drawnAt = at;
      paint(context, timeline, zone, words);
    };
    frame = requestAnimationFrame(draw);
    const unsubscribe = timeline.subscribe(() => {
      isDue = true;
    });
    const unfollow = followWidth(element, (widthPx) => timeline.resize(widthPx));
    return () => {
      cancelAnimationFrame(frame);
      unsubscribe();
      unfollow();
    };
  }, [canvasRef, timeline, zone, momentMs, i18n]);
}

function paint(
  context: CanvasRenderingContext2D,
  timeline: Timeline,
  zone: Zone,
  words: TimelineMessages,
): void {
  const { canvas } = context;
  const view = timeline.getView();
  const density = fitCanvas(canvas, view.scale.widthPx, TIMELINE_HEIGHT_PX);
  const style = getComputedStyle(canvas);
  drawTimeline(context, {
    view,
    heightPx: TIMELINE_HEIGHT_PX,
    density,
    palette: paletteOf(style),
    words,
    zone,
    font: `12px ${style.fontFamily}`,
  });
}

function useWheel(canvasRef: RefObject<HTMLCanvasElement | null>, timeline: Timeline): void {
  useEffect(() => {
    const element = canvasRef.current;
    if (!element) return;
    // Not passive: the page must not scroll or zoom under the pointer. React's own wheel listener would be.
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const px = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1;
      const deltaX = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
      const deltaY = event.shiftKey ? 0 : event.deltaY;
      timeline.pointer.wheel(
        drawnPx(event.offsetX),
        drawnPx(deltaX * px),
        deltaY * px * (event.ctrlKey ? 4 : 1),
      );
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [canvasRef, timeline]);
}

/** One pointer presses and drags, two pinch. */
function usePointers(timeline: Timeline) {
  const down = useRef(new Map<number, number>());
  const spread = () => {
    const [first = 0, second = 0] = [...down.current.values()];
    return { distancePx: Math.max(10, Math.abs(first - second)), middlePx: (first + second) / 2 };
  };
  return {
    onPointerDown(event: PointerEvent<HTMLCanvasElement>) {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      down.current.set(event.pointerId, drawnPx(event.nativeEvent.offsetX));
      if (down.current.size > 1) return;
      const { offsetX, offsetY } = event.nativeEvent;
      timeline.pointer.press(
        drawnPx(offsetX),
        drawnPx(offsetY) < BAND_TOP_PX,
        event.pointerType === 'mouse' ? undefined : FINGER_PX,
      );
    },
    onPointerMove(event: PointerEvent<HTMLCanvasElement>) {
      const px = drawnPx(event.nativeEvent.offsetX);
      if (down.current.size === 2 && down.current.has(event.pointerId)) {
        const before = spread();
        down.current.set(event.pointerId, px);
        const after = spread();
        timeline.pointer.pinch(after.distancePx / before.distancePx, after.middlePx);
        return;
      }
      if (down.current.has(event.pointerId)) down.current.set(event.pointerId, px);
      timeline.pointer.move(px);
    },
    onPointerUp(event: PointerEvent<HTMLCanvasElement>) {
      down.current.delete(event.pointerId);
      timeline.pointer.release(drawnPx(event.nativeEvent.offsetX));
      if (event.pointerType !== 'mouse') timeline.pointer.leave();
    },
    onPointerCancel(event: PointerEvent<HTMLCanvasElement>) {
      down.current.delete(event.pointerId);
      timeline.pointer.leave();
    },
    onPointerLeave() {
      if (down.current.size === 0) timeline.pointer.leave();
    },
  };
}
