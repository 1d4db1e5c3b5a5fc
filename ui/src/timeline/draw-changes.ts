import { fullChange } from './changes.ts';
import type { TimelineView } from './timeline-view.ts';

interface ChangesBox {
  readonly topPx: number;
  readonly bottomPx: number;
  readonly colour: string;
}

const MARK_PX = 5;

/** The curve of a search for changes, with a diamond on a pole at each mark. Stateless. */
export function drawChanges(
  context: CanvasRenderingContext2D,
  { changes, scale }: Pick<TimelineView, 'changes' | 'scale'>,
  { topPx, bottomPx, colour }: ChangesBox,
): void {
  if (!changes) return;
  const full = fullChange(changes);
  context.fillStyle = colour;
  context.globalAlpha = 0.55;
  for (const { startTime, endTime, change } of changes.steps) {
    if (change === 0 || endTime < scale.startMs || startTime > scale.endMs) continue;
    const fromPx = Math.max(0, scale.toPx(startTime));
    const toPx = Math.min(scale.widthPx, scale.toPx(endTime));
    const heightPx = (change / full) * (bottomPx - topPx);
    context.fillRect(fromPx, bottomPx - heightPx, Math.max(1, toPx - fromPx), heightPx);
  }
  context.globalAlpha = 1;
  for (const { endTime } of changes.marks) {
    if (endTime < scale.startMs || endTime > scale.endMs) continue;
    const px = Math.round(scale.toPx(endTime));
    context.fillRect(px - 1, topPx, 2, bottomPx - topPx);
    context.beginPath();
    context.moveTo(px, topPx - MARK_PX);
    context.lineTo(px + MARK_PX, topPx);
    context.lineTo(px, topPx + MARK_PX);
    context.lineTo(px - MARK_PX, topPx);
    context.fill();
  }
}
