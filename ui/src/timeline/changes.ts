import type { ChangeStep } from '@vidette/contract/archive-changes';
import type { TimeScale } from './time-scale.ts';

/** What a search for changes found, to be shown on the timeline. */
export interface TimelineChanges {
  /** The curve, by time, without overlaps. */
  readonly steps: readonly ChangeStep[];
  readonly marks: readonly ChangeStep[];
}

/** A mark is meant by clicks within this many pixels of it. */
const NEAR_PX = 8;
/** Smaller changes don't fill the height: they are noise. */
const FULL_LEAST = 0.4;

/** The mark at a moment; of several the nearest. */
export function markNear(
  changes: TimelineChanges | undefined,
  ms: number,
  { msPerPx }: Pick<TimeScale, 'msPerPx'>,
): ChangeStep | undefined {
  const awayMs = ({ endTime }: ChangeStep) => Math.abs(endTime - ms);
  return changes?.marks
    .filter((mark) => awayMs(mark) <= NEAR_PX * msPerPx)
    .sort((one, other) => awayMs(one) - awayMs(other))[0];
}

/** The change that fills the height of the curve. */
export function fullChange({ steps }: TimelineChanges): number {
  return steps.reduce((most, { change }) => Math.max(most, change), FULL_LEAST);
}
