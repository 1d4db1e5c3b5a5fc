import { timelineDefaults } from '@vidette/contract/constants';
import type { TimeScale } from './time-scale.ts';
import type { Zone } from './zone.ts';

/** Approximate distance between labels (R9.4); they are never closer. */
const LABEL_SPACING_PX = timelineDefaults.labelSpacingPx;

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Divisors of 24 hours, so that every day is labelled alike. */
const HOUR_STEPS = [2, 3, 4, 6, 8, 12, 24] as const;

/** One label of the timeline. */
export interface Label {
  readonly ms: number;
  readonly px: number;
  /** Local midnight: drawn with the date. */
  readonly isMidnight: boolean;
}

/** The smallest allowed step that keeps labels at least `LABEL_SPACING_PX` apart, in ms. */
export function labelStepMs(scale: TimeScale): number {
  const leastMs = LABEL_SPACING_PX * scale.msPerPx;
  for (const minutes of timelineDefaults.labelStepsMinutes)
    if (minutes * MINUTE_MS >= leastMs) return minutes * MINUTE_MS;
  for (const hours of HOUR_STEPS) if (hours * HOUR_MS >= leastMs) return hours * HOUR_MS;
  return Math.ceil(leastMs / (24 * HOUR_MS)) * 24 * HOUR_MS;
}

/**
 * The labels in a scale: whole steps of the zone's local time, in order. When an hour is repeated, both of its
 * times are labelled if there is room; a skipped time has no label.
 */
export function labels(scale: TimeScale, zone: Zone): Label[] {
  const stepMs = labelStepMs(scale);
  const strideMs = Math.min(stepMs, 15 * MINUTE_MS);
  const found: Label[] = [];
  for (let ms = Math.ceil(scale.startMs / strideMs) * strideMs; ms <= scale.endMs; ms += strideMs) {
    const clockMs = zone.clockMs(ms);
    if (clockMs % Math.min(stepMs, 24 * HOUR_MS) !== 0) continue;
    const px = scale.toPx(ms);
    const last = found.at(-1);
    if (last && px - last.px < LABEL_SPACING_PX - 1e-6) {
      if (clockMs !== 0 || last.isMidnight) continue;
      found.pop();
    }
    found.push({ ms, px, isMidnight: clockMs === 0 });
  }
  return found;
}
