import { drawChanges } from './draw-changes.ts';
import { eventTones, toneOf, type EventTone } from './event-kinds.ts';
import { eventMarks } from './events.ts';
import type { Interval } from './intervals.ts';
import { labels } from './labels.ts';
import type { TimelineView } from './timeline-view.ts';
import type { TimeScale } from './time-scale.ts';
import type { Zone } from './zone.ts';

/** The colours of a theme, as CSS colours. */
export interface TimelinePalette {
  readonly floor: string;
  readonly line: string;
  readonly text: string;
  readonly quiet: string;
  readonly recorded: string;
  readonly recordedEdge: string;
  readonly hatch: string;
  /** The marks of events, by kind. */
  readonly events: Readonly<Record<EventTone, string>>;
  /** Separates an event's mark from the recording behind it. */
  readonly eventEdge: string;
  readonly bookmark: string;
  /** The curve of a search for changes. */
  readonly changes: string;
  readonly live: string;
  /** The start colour of the live edge's glow: the same colour, almost transparent. */
  readonly liveFaded: string;
  readonly playhead: string;
  readonly onPlayhead: string;
}

/** Formatters for times on the timeline. */
export interface TimelineMessages {
  /** Hours and minutes. */
  readonly label: (ms: number) => string;
  /** The date, at midnight. */
  readonly day: (ms: number) => string;
  /** To the second; with the date when it isn't today. */
  readonly moment: (ms: number) => string;
}

export interface TimelineDrawing {
  readonly view: TimelineView;
  readonly heightPx: number;
  /** Device pixels per CSS pixel. */
  readonly density: number;
  readonly palette: TimelinePalette;
  readonly words: TimelineMessages;
  readonly zone: Zone;
  readonly font: string;
}

/** Rows from the top, CSS px: the times of playhead and pointer, the band, the labels. */
export const TIMELINE_HEIGHT_PX = 84;
/** Above it is the rail on which the playhead is dragged. */
export const BAND_TOP_PX = 28;
const BAND_BOTTOM_PX = 56;
/** The lane of motion, at the bottom of the band. */
const EVENT_TOP_PX = 48;
const EVENT_HEIGHT_PX = 5;
/** What a detector recognized has a lane above that of motion, so that the two differ without colour vision. */
const DETECTION_TOP_PX = 40;
/** The curve of changes has the band below the flags of bookmarks. */
const CHANGES_TOP_PX = 34;
const FLAG_PX = 8;
const LABEL_BASE_PX = 76;
const PILL_HEIGHT_PX = 20;
const HATCH_STEP_PX = 7;
const GLOW_PX = 28;
/** Width of a handle of the selection. */
const HANDLE_PX = 8;

/**
 * Draws the whole timeline: floor, gaps, recordings, live edge, events, labels, pointer, playhead. Stateless.
 */
export function drawTimeline(context: CanvasRenderingContext2D, drawing: TimelineDrawing): void {
  const { view, density, heightPx, palette } = drawing;
  const { widthPx } = view.scale;
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, widthPx, heightPx);
  context.font = drawing.font;
  context.textBaseline = 'alphabetic';
  context.fillStyle = palette.floor;
  context.fillRect(0, BAND_TOP_PX, widthPx, BAND_BOTTOM_PX - BAND_TOP_PX);
  drawIntervals(context, view.intervals, view, palette);
  context.fillStyle = palette.line;
  context.fillRect(0, BAND_TOP_PX - 1, widthPx, 1);
  context.fillRect(0, BAND_BOTTOM_PX, widthPx, 1);
  drawChanges(context, view, { topPx: CHANGES_TOP_PX, bottomPx: BAND_BOTTOM_PX, colour: palette.changes });
  drawEvents(context, view, palette);
  drawBookmarks(context, view, palette);
  drawHolds(context, view, palette);
  drawNow(context, view, palette);
  drawSelection(context, view, palette);
  drawLabels(context, drawing);
  const taken = drawPlayhead(context, drawing);
  drawHover(context, drawing, taken);
}

function drawIntervals(
  context: CanvasRenderingContext2D,
  intervals: readonly Interval[],
  view: TimelineView,
  palette: TimelinePalette,
): void {
  const visible = inView(intervals, view.scale);
  for (const interval of visible) if (interval.kind === 'gap') drawGap(context, interval, view, palette);
  for (const interval of visible) {
    if (interval.kind === 'gap') continue;
    const fromPx = Math.max(-2, view.scale.toPx(interval.startMs));
    const toPx = Math.min(view.scale.widthPx + 2, view.scale.toPx(interval.endMs));
    const isLive = interval.kind === 'live';
    context.fillStyle = isLive ? palette.live : palette.recorded;
    context.fillRect(fromPx, BAND_TOP_PX, Math.max(1, toPx - fromPx), BAND_BOTTOM_PX - BAND_TOP_PX);
    context.fillStyle = isLive ? palette.live : palette.recordedEdge;
    context.fillRect(fromPx, BAND_TOP_PX, Math.max(1, toPx - fromPx), 3);
  }
}

/** The intervals visible in a scale, found without iterating over all of them. */
export function inView(intervals: readonly Interval[], scale: TimeScale): readonly Interval[] {
  const first = firstIndex(intervals, (interval) => interval.endMs > scale.startMs);
  const end = firstIndex(intervals, (interval) => interval.startMs >= scale.endMs);
  return intervals.slice(first, end);
}

function firstIndex(intervals: readonly Interval[], isFound: (interval: Interval) => boolean): number {
  let low = 0;
  let high = intervals.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const interval = intervals[middle];
    if (interval && isFound(interval)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Slanted lines: distinguishable from a recording without colour vision. A gap thinner than a pixel is drawn
 * proportionally faint.
 */
function drawGap(
  context: CanvasRenderingContext2D,
  gap: Interval,
  view: TimelineView,
  palette: TimelinePalette,
): void {
  // Before recording started nothing is missing.
  const fromPx = Math.max(0, view.scale.toPx(Math.max(gap.startMs, view.begunMs ?? gap.startMs)));
  const toPx = Math.min(view.scale.widthPx, view.scale.toPx(gap.endMs));
  if (toPx <= fromPx) return;
  context.save();
  context.beginPath();
  context.rect(fromPx, BAND_TOP_PX, toPx - fromPx, BAND_BOTTOM_PX - BAND_TOP_PX);
  context.clip();
  context.strokeStyle = palette.hatch;
  context.lineWidth = 1;
  context.beginPath();
  const rise = BAND_BOTTOM_PX - BAND_TOP_PX;
  // The pattern is anchored to time zero, not to the gap, so that adjacent gaps and panning look continuous.
  const phase = (view.scale.toPx(0) % HATCH_STEP_PX) + HATCH_STEP_PX;
  const start = Math.floor((fromPx - rise) / HATCH_STEP_PX) * HATCH_STEP_PX + (phase % HATCH_STEP_PX);
  for (let px = start; px < toPx + rise; px += HATCH_STEP_PX) {
    context.moveTo(px, BAND_BOTTOM_PX);
    context.lineTo(px + rise, BAND_TOP_PX);
  }
  context.stroke();
  context.restore();
}

/**
 * Marks with an outline: visible on recordings and gaps, and recognizable by position without colour vision.
 */
function drawEvents(
  context: CanvasRenderingContext2D,
  { events, scale }: TimelineView,
  palette: TimelinePalette,
): void {
  for (const tone of eventTones) {
    const topPx = tone === 'motion' ? EVENT_TOP_PX : DETECTION_TOP_PX;
    const own = events.filter(({ kind }) => toneOf(kind) === tone);
    for (const { fromPx, toPx } of eventMarks(own, scale)) {
      context.fillStyle = palette.eventEdge;
      context.fillRect(fromPx - 1, topPx - 1, toPx - fromPx + 2, EVENT_HEIGHT_PX + 2);
      context.fillStyle = palette.events[tone];
      context.fillRect(fromPx, topPx, toPx - fromPx, EVENT_HEIGHT_PX);
    }
  }
}

/** A lane of small flags at the top of the band: a flag for a moment, or a flag with its span. */
function drawBookmarks(
  context: CanvasRenderingContext2D,
  { bookmarks, scale }: TimelineView,
  palette: TimelinePalette,
): void {
  context.fillStyle = palette.bookmark;
  for (const { startMs, endMs } of bookmarks) {
    if (endMs < scale.startMs || startMs > scale.endMs) continue;
    const fromPx = Math.round(scale.toPx(startMs));
    context.fillRect(fromPx, BAND_TOP_PX, Math.max(2, scale.toPx(endMs) - fromPx), 2);
    context.fillRect(fromPx - 1, BAND_TOP_PX, 2, FLAG_PX + 4);
    context.beginPath();
    context.moveTo(fromPx + 1, BAND_TOP_PX + 2);
    context.lineTo(fromPx + 1 + FLAG_PX, BAND_TOP_PX + 2 + FLAG_PX / 2);
    context.lineTo(fromPx + 1, BAND_TOP_PX + 2 + FLAG_PX);
    context.fill();
  }
}

/** A bracket below the band: footage that is not deleted. */
function drawHolds(
  context: CanvasRenderingContext2D,
  { holds, scale }: TimelineView,
  palette: TimelinePalette,
): void {
  context.fillStyle = palette.text;
  for (const { startMs, endMs } of holds) {
    if (endMs < scale.startMs || startMs > scale.endMs) continue;
    const fromPx = Math.round(scale.toPx(startMs));
    const toPx = Math.max(fromPx + 4, Math.round(scale.toPx(endMs)));
    context.fillRect(fromPx, BAND_BOTTOM_PX + 2, toPx - fromPx, 2);
    context.fillRect(fromPx, BAND_BOTTOM_PX - 2, 2, 6);
    context.fillRect(toPx - 2, BAND_BOTTOM_PX - 2, 2, 6);
  }
}

/** The present, with a glow behind it where video arrives; everything to its right is in the future. */
function drawNow(context: CanvasRenderingContext2D, view: TimelineView, palette: TimelinePalette): void {
  const px = view.scale.toPx(view.nowMs);
  if (px < 0 || px > view.scale.widthPx + GLOW_PX) return;
  const isLive = view.intervals.at(-1)?.kind === 'live';
  if (isLive) {
    // Where less is recorded, it would show recordings that don't exist.
    const fromPx = Math.max(px - GLOW_PX, Math.min(px - 2, view.scale.toPx(lastRunStartMs(view.intervals))));
    const glow = context.createLinearGradient(fromPx, 0, px, 0);
    glow.addColorStop(0, palette.liveFaded);
    glow.addColorStop(1, palette.live);
    context.globalAlpha = 0.7;
    context.fillStyle = glow;
    context.fillRect(fromPx, BAND_TOP_PX, px - fromPx, BAND_BOTTOM_PX - BAND_TOP_PX);
    context.globalAlpha = 1;
  }
  context.fillStyle = isLive ? palette.live : palette.quiet;
  context.fillRect(Math.round(px) - 1, BAND_TOP_PX - 4, 2, BAND_BOTTOM_PX - BAND_TOP_PX + 8);
}

/** Since when there has been no gap up to the last interval, ms. */
function lastRunStartMs(intervals: readonly Interval[]): number {
  const gap = intervals.findLastIndex(({ kind }) => kind === 'gap');
  return intervals[gap + 1]?.startMs ?? Number.NEGATIVE_INFINITY;
}

/** The selection: a frame with a handle at each end, over everything below it. */
function drawSelection(
  context: CanvasRenderingContext2D,
  { selection, scale }: TimelineView,
  palette: TimelinePalette,
): void {
  if (!selection || selection.endMs <= selection.startMs) return;
  const fromPx = scale.toPx(selection.startMs);
  const toPx = scale.toPx(selection.endMs);
  if (toPx < -HANDLE_PX || fromPx > scale.widthPx + HANDLE_PX) return;
  const leftPx = Math.max(-HANDLE_PX, fromPx);
  const widthPx = Math.min(scale.widthPx + HANDLE_PX, toPx) - leftPx;
  const heightPx = BAND_BOTTOM_PX - BAND_TOP_PX;
  context.fillStyle = palette.playhead;
  context.globalAlpha = 0.25;
  context.fillRect(leftPx, BAND_TOP_PX, widthPx, heightPx);
  context.globalAlpha = 1;
  context.fillRect(leftPx, BAND_TOP_PX - 2, widthPx, 2);
  context.fillRect(leftPx, BAND_BOTTOM_PX, widthPx, 2);
  for (const px of [fromPx, toPx]) {
    context.beginPath();
    context.roundRect(px - HANDLE_PX / 2, BAND_TOP_PX - 2, HANDLE_PX, heightPx + 4, 3);
    context.fill();
    context.fillStyle = palette.onPlayhead;
    context.fillRect(Math.round(px) - 1, BAND_TOP_PX + 8, 2, heightPx - 16);
    context.fillStyle = palette.playhead;
  }
}

function drawLabels(
  context: CanvasRenderingContext2D,
  { view, words, zone, palette }: TimelineDrawing,
): void {
  let takenPx = -Infinity;
  for (const label of labels(view.scale, zone)) {
    const text = label.isMidnight ? words.day(label.ms) : words.label(label.ms);
    const halfPx = context.measureText(text).width / 2;
    context.fillStyle = palette.line;
    context.fillRect(Math.round(label.px), BAND_BOTTOM_PX, 1, label.isMidnight ? 8 : 5);
    // The spacing keeps ordinary labels apart; this check handles a long date at midnight.
    if (label.px - halfPx < Math.max(2, takenPx + 6) || label.px + halfPx > view.scale.widthPx - 2) continue;
    takenPx = label.px + halfPx;
    context.fillStyle = label.isMidnight ? palette.text : palette.quiet;
    context.fillText(text, label.px - halfPx, LABEL_BASE_PX);
  }
}

interface Taken {
  readonly fromPx: number;
  readonly toPx: number;
}

function drawPlayhead(
  context: CanvasRenderingContext2D,
  { view, palette, words }: TimelineDrawing,
): Taken | undefined {
  if (view.playheadMs === undefined || !view.scale.contains(view.playheadMs)) return undefined;
  const px = view.scale.toPx(view.playheadMs);
  context.fillStyle = palette.playhead;
  context.fillRect(Math.round(px) - 1, PILL_HEIGHT_PX, 2, BAND_BOTTOM_PX - PILL_HEIGHT_PX + 4);
  const taken = pillAt(context, words.moment(view.playheadMs), px, view.scale.widthPx);
  context.fillStyle = palette.playhead;
  context.beginPath();
  context.roundRect(taken.fromPx, 0, taken.toPx - taken.fromPx, PILL_HEIGHT_PX, 4);
  context.fill();
  context.fillStyle = palette.onPlayhead;
  context.fillText(words.moment(view.playheadMs), taken.fromPx + 6, 14);
  return taken;
}

function drawHover(
  context: CanvasRenderingContext2D,
  { view, palette, words }: TimelineDrawing,
  taken: Taken | undefined,
): void {
  if (view.hoverMs === undefined || view.isDragging) return;
  const px = view.scale.toPx(view.hoverMs);
  context.fillStyle = palette.text;
  context.globalAlpha = 0.6;
  context.fillRect(Math.round(px), PILL_HEIGHT_PX + 2, 1, BAND_BOTTOM_PX - PILL_HEIGHT_PX - 2);
  context.globalAlpha = 1;
  const text = words.moment(view.hoverMs);
  let place = pillAt(context, text, px, view.scale.widthPx);
  if (taken && place.fromPx < taken.toPx + 4 && place.toPx > taken.fromPx - 4) {
    // Next to the playhead's time, on the pointer's side, unless the edge is there.
    const widthPx = place.toPx - place.fromPx;
    const isLeft =
      px < (taken.fromPx + taken.toPx) / 2
        ? taken.fromPx - 4 - widthPx >= 0
        : taken.toPx + 4 + widthPx > view.scale.widthPx;
    const fromPx = isLeft ? taken.fromPx - 4 - widthPx : taken.toPx + 4;
    place = { fromPx, toPx: fromPx + widthPx };
  }
  context.fillStyle = palette.text;
  context.fillText(text, place.fromPx + 6, 14);
}

/** The position of a time label above a moment: centred, but inside the canvas. */
function pillAt(context: CanvasRenderingContext2D, text: string, px: number, widthPx: number): Taken {
  const width = context.measureText(text).width + 12;
  const fromPx = Math.max(0, Math.min(widthPx - width, px - width / 2));
  return { fromPx, toPx: fromPx + width };
}
