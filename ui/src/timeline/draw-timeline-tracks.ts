import { inView, type TimelinePalette } from './draw.ts';
import type { Interval } from './intervals.ts';
import type { TimeScale } from './time-scale.ts';

export interface TimelineTracksDrawing {
  /** One list for each stream, from the top. */
  readonly tracks: readonly (readonly Interval[])[];
  readonly scale: TimeScale;
  readonly playheadMs: number | undefined;
  readonly palette: TimelinePalette;
  /** Device pixels per CSS pixel. */
  readonly density: number;
}

/** Distance between tracks, CSS px. */
const TRACK_STEP_PX = 18;
const BAR_PX = 8;

/** Height of this many tracks, CSS px. */
export function tracksHeight(count: number): number {
  return count * TRACK_STEP_PX;
}

/** The track at a height; undefined below the last one. */
export function trackAt(count: number, yPx: number): number | undefined {
  const track = Math.floor(yPx / TRACK_STEP_PX);
  return track >= 0 && track < count ? track : undefined;
}

/** Draws the recordings of each stream as stacked bars, and the shared moment across all of them. */
export function drawLanes(context: CanvasRenderingContext2D, drawing: TimelineTracksDrawing): void {
  const { tracks, scale, palette, density, playheadMs } = drawing;
  const heightPx = tracksHeight(tracks.length);
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, scale.widthPx, heightPx);
  for (const [at, intervals] of tracks.entries()) {
    const topPx = at * TRACK_STEP_PX + (TRACK_STEP_PX - BAR_PX) / 2;
    context.fillStyle = palette.floor;
    context.fillRect(0, topPx, scale.widthPx, BAR_PX);
    for (const interval of inView(intervals, scale)) {
      if (interval.kind === 'gap') continue;
      const fromPx = Math.max(0, scale.toPx(interval.startMs));
      const toPx = Math.min(scale.widthPx, scale.toPx(interval.endMs));
      context.fillStyle = interval.kind === 'live' ? palette.live : palette.recordedEdge;
      context.fillRect(fromPx, topPx, Math.max(1, toPx - fromPx), BAR_PX);
    }
  }
  if (playheadMs === undefined || !scale.contains(playheadMs)) return;
  context.fillStyle = palette.text;
  context.fillRect(Math.round(scale.toPx(playheadMs)) - 1, 0, 2, heightPx);
}
