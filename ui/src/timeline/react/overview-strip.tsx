import { useEffect, useLayoutEffect, useId, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { KeyboardEvent, PointerEvent, RefObject } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { browserClock } from '../../base/clock.ts';
import type { RecordedDays } from '../archive-depth.ts';
import { drawOverview, OVERVIEW_HEIGHT_PX } from '../draw-overview.ts';
import { timelineMessages } from '../moment-text.ts';
import { overviewKey } from '../overview-keys.ts';
import { dayText, overviewLabelText, windowText } from '../overview-text.ts';
import { Overview } from '../overview.ts';
import type { Timeline } from '../timeline.ts';
import { Zone } from '../zone.ts';
import { drawnLength, drawnPx, fitCanvas, followWidth } from './canvas.ts';
import shared from './canvas.module.css';
import classes from './overview-strip.module.css';
import { paletteOf } from './palette.ts';

interface OverviewStripProps {
  readonly timeline: Timeline;
  /** Undefined until the server has answered: the strip keeps its height. */
  readonly recorded: RecordedDays | undefined;
  readonly label: string;
}

/** The playhead and the present take minutes to move by a pixel. */
const REDRAW_MS = 1000;
const TIP_WIDTH_PX = 272;

/** The whole depth of an archive above its timeline. All behaviour is the core's. */
export function OverviewStrip({ timeline, recorded, label }: OverviewStripProps) {
  const i18n = useI18n();
  const zone = useMemo(() => new Zone(i18n.timeZone), [i18n.timeZone]);
  const overview = useMemo(() => new Overview({ clock: browserClock, timeline, zone }), [timeline, zone]);
  useEffect(() => {
    if (recorded) overview.setRecorded(recorded);
  }, [overview, recorded]);
  return (
    <div className={`${shared.frame} ${classes.strip}`} data-overview={recorded ? 'known' : 'awaited'}>
      <Days overview={overview} zone={zone} label={label} />
    </div>
  );
}

interface DaysProps {
  readonly overview: Overview;
  readonly zone: Zone;
  readonly label: string;
}

function Days({ overview, zone, label }: DaysProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const hoverMs = useSyncExternalStore(overview.subscribe, () => overview.getView().hoverMs);
  const isDragging = useSyncExternalStore(overview.subscribe, () => overview.getView().isDragging);
  useOverviewDrawing(canvas, overview, zone);
  const { scale } = overview.getView();
  return (
    <>
      <canvas
        ref={canvas}
        className={`${shared.canvas} ${classes.canvas}`}
        data-dragging={isDragging}
        data-at-window={hoverMs !== undefined && overview.isAtWindow(scale.toPx(hoverMs))}
        aria-hidden="true"
        {...pointersOf(overview)}
      />
      {hoverMs !== undefined && !isDragging && <DayTip overview={overview} zone={zone} ms={hoverMs} />}
      <WindowInput overview={overview} zone={zone} label={label} />
    </>
  );
}

/** Draws after each change, and as time passes. */
function useOverviewDrawing(
  canvasRef: RefObject<HTMLCanvasElement | null>,
  overview: Overview,
  zone: Zone,
): void {
  const i18n = useI18n();
  // A layout effect: it ends with the element, so that nothing is drawn with the colours of a removed one.
  useLayoutEffect(() => {
    const element = canvasRef.current;
    const context = element?.getContext('2d');
    if (!element || !context) return;
    const labelOf = overviewLabelText(i18n, zone);
    let frame = 0;
    const draw = () => {
      frame = 0;
      const view = overview.getView();
      const density = fitCanvas(element, view.scale.widthPx, OVERVIEW_HEIGHT_PX);
      const style = getComputedStyle(element);
      const font = `11px ${style.fontFamily}`;
      drawOverview(context, { view, density, palette: paletteOf(style), labelOf, zone, font });
    };
    const soon = () => {
      frame ||= requestAnimationFrame(draw);
    };
    const unsubscribe = overview.subscribe(soon);
    const redrawing = setInterval(soon, REDRAW_MS);
    const unfollow = followWidth(element, (widthPx) => overview.resize(widthPx));
    return () => {
      cancelAnimationFrame(frame);
      clearInterval(redrawing);
      unsubscribe();
      unfollow();
    };
  }, [canvasRef, overview, i18n, zone]);
}

interface DayTipProps {
  readonly overview: Overview;
  readonly zone: Zone;
  /** The moment under the pointer. */
  readonly ms: number;
}

function DayTip({ overview, zone, ms }: DayTipProps) {
  const i18n = useI18n();
  const { scale } = overview.getView();
  const leftPx = Math.max(0, Math.min(scale.widthPx - TIP_WIDTH_PX, scale.toPx(ms) - TIP_WIDTH_PX / 2));
  return (
    <p
      className={classes.tip}
      style={{ left: drawnLength(leftPx), width: drawnLength(TIP_WIDTH_PX) }}
      data-overview-tip
    >
      <span>{dayText(overview.getView(), ms, i18n, zone)}</span>
      <span className={classes.time}>{timelineMessages(i18n, zone).label(ms)}</span>
    </p>
  );
}

/** The shown part of the archive for keyboards and screen readers. */
function WindowInput({ overview, zone, label }: DaysProps) {
  const i18n = useI18n();
  const keysId = useId();
  const [spoken, setSpoken] = useState('');
  const depth = useSyncExternalStore(overview.subscribe, () => overview.getView().depth);
  useEffect(() => {
    const speaking = setInterval(() => setSpoken(windowText(overview.getView(), i18n, zone)), REDRAW_MS);
    return () => clearInterval(speaking);
  }, [overview, i18n, zone]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !overviewKey(overview, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    setSpoken(windowText(overview.getView(), i18n, zone));
  };
  const { shownFromMs, shownToMs } = overview.getView();
  return (
    <>
      <input
        type="range"
        className={shared.input}
        aria-label={label}
        aria-describedby={keysId}
        aria-valuetext={spoken}
        min={depth.startMs}
        max={depth.endMs}
        step="any"
        value={Math.min(depth.endMs, Math.max(depth.startMs, (shownFromMs + shownToMs) / 2))}
        // Screen reader swipes arrive as change events; keys are handled before they become one.
        onChange={(event) => overview.lookAt(event.currentTarget.valueAsNumber)}
        onKeyDown={onKeyDown}
      />
      <span id={keysId} className="visually-hidden">
        {i18n.t('overview.keys')}
      </span>
    </>
  );
}

function pointersOf(overview: Overview) {
  return {
    onPointerDown(event: PointerEvent<HTMLCanvasElement>) {
      if (event.button !== 0 || !event.isPrimary) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      overview.press(drawnPx(event.nativeEvent.offsetX));
    },
    onPointerMove(event: PointerEvent<HTMLCanvasElement>) {
      if (event.isPrimary) overview.move(drawnPx(event.nativeEvent.offsetX));
    },
    onPointerUp(event: PointerEvent<HTMLCanvasElement>) {
      if (!event.isPrimary) return;
      overview.release(drawnPx(event.nativeEvent.offsetX));
      if (event.pointerType !== 'mouse') overview.leave();
    },
    onPointerCancel() {
      overview.leave();
    },
    onPointerLeave(event: PointerEvent<HTMLCanvasElement>) {
      if (!event.currentTarget.hasPointerCapture(event.pointerId)) overview.leave();
    },
  };
}
