import type { TimelinePalette } from './draw.ts';
import { overviewLabels, type OverviewLabel } from './overview-labels.ts';
import type { OverviewView } from './overview.ts';
import type { Zone } from './zone.ts';

export interface OverviewDrawing {
  readonly view: OverviewView;
  /** Device pixels per CSS pixel. */
  readonly density: number;
  readonly palette: TimelinePalette;
  readonly labelOf: (label: OverviewLabel) => string;
  readonly zone: Zone;
  readonly font: string;
}

/** Rows from the top, CSS px: the days and their labels. */
export const OVERVIEW_HEIGHT_PX = 44;
const BARS_TOP_PX = 3;
const BARS_BOTTOM_PX = 26;
const LABEL_BASE_PX = 39;
/** Any recording is visible, however small. */
const LEAST_BAR_PX = 2;
/** Days wider than this have a hairline gap between them. */
const APART_FROM_PX = 5;
/** The window is always visible, however deep the archive is. */
const LEAST_WINDOW_PX = 8;

/**
 * Draws the whole overview: days as high as their recorded share, labels, the present, the playhead, the
 * window. Stateless.
 */
export function drawOverview(context: CanvasRenderingContext2D, drawing: OverviewDrawing): void {
  const { view, density, palette } = drawing;
  const { widthPx } = view.scale;
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, widthPx, OVERVIEW_HEIGHT_PX);
  context.font = drawing.font;
  context.fillStyle = palette.floor;
  context.fillRect(0, BARS_TOP_PX, widthPx, BARS_BOTTOM_PX - BARS_TOP_PX);
  drawDays(context, view, palette);
  context.fillStyle = palette.line;
  context.fillRect(0, BARS_BOTTOM_PX, widthPx, 1);
  drawLabels(context, drawing);
  drawMoment(context, view, view.nowMs, palette.quiet);
  if (view.playheadMs !== undefined) drawMoment(context, view, view.playheadMs, palette.playhead);
  if (view.hoverMs !== undefined && !view.isDragging) drawMoment(context, view, view.hoverMs, palette.text);
  drawWindow(context, view, palette);
}

function drawDays(context: CanvasRenderingContext2D, view: OverviewView, palette: TimelinePalette): void {
  const heightPx = BARS_BOTTOM_PX - BARS_TOP_PX;
  for (const { startMs, endMs, share } of view.depth.days) {
    if (share <= 0) continue;
    const fromPx = Math.round(view.scale.toPx(startMs));
    // For today, the time elapsed so far.
    const toPx = Math.round(view.scale.toPx(Math.min(endMs, view.nowMs)));
    const apartPx = toPx - fromPx > APART_FROM_PX ? 1 : 0;
    const barPx = Math.max(LEAST_BAR_PX, Math.round(share * heightPx));
    const widthPx = Math.max(1, toPx - fromPx - apartPx);
    context.fillStyle = palette.recorded;
    context.fillRect(fromPx, BARS_BOTTOM_PX - barPx, widthPx, barPx);
    context.fillStyle = palette.recordedEdge;
    context.fillRect(fromPx, BARS_BOTTOM_PX - barPx, widthPx, LEAST_BAR_PX);
  }
}

function drawLabels(
  context: CanvasRenderingContext2D,
  { view, palette, labelOf, zone }: OverviewDrawing,
): void {
  for (const label of overviewLabels(view.depth, view.scale, zone)) {
    const text = labelOf(label);
    const px = Math.round(label.px);
    context.fillStyle = palette.line;
    context.fillRect(px, BARS_BOTTOM_PX, 1, 6);
    if (px + 4 + context.measureText(text).width > view.scale.widthPx) continue;
    context.fillStyle = label.unit === 'year' ? palette.text : palette.quiet;
    context.fillText(text, px + 4, LABEL_BASE_PX);
  }
}

function drawMoment(
  context: CanvasRenderingContext2D,
  { scale }: OverviewView,
  ms: number,
  colour: string,
): void {
  context.fillStyle = colour;
  context.fillRect(Math.round(scale.toPx(ms)) - 1, BARS_TOP_PX, 2, BARS_BOTTOM_PX - BARS_TOP_PX);
}

/** A frame around the days that the timeline shows. */
function drawWindow(
  context: CanvasRenderingContext2D,
  { scale, shownFromMs, shownToMs }: OverviewView,
  palette: TimelinePalette,
): void {
  const middlePx = scale.toPx((shownFromMs + shownToMs) / 2);
  const widthPx = Math.max(LEAST_WINDOW_PX, (shownToMs - shownFromMs) / scale.msPerPx);
  const fromPx = Math.max(1, Math.min(scale.widthPx - LEAST_WINDOW_PX, middlePx - widthPx / 2));
  const toPx = Math.min(scale.widthPx - 1, Math.max(LEAST_WINDOW_PX, middlePx + widthPx / 2));
  context.beginPath();
  context.roundRect(fromPx, BARS_TOP_PX - 2, toPx - fromPx, BARS_BOTTOM_PX - BARS_TOP_PX + 4, 3);
  context.fillStyle = palette.playhead;
  context.globalAlpha = 0.15;
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = palette.playhead;
  context.lineWidth = 2;
  context.stroke();
}
