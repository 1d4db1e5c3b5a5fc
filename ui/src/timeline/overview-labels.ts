import type { ArchiveDepth } from './archive-depth.ts';
import type { TimeScale } from './time-scale.ts';
import type { Zone } from './zone.ts';

/** Smallest distance between labels of the overview, CSS px: the width of a day and its month. */
export const OVERVIEW_LABEL_PX = 64;

const DAY_MS = 86_400_000;
const DAY_STEPS = [1, 2, 7, 14] as const;
const MONTH_STEPS = [1, 2, 3, 6, 12] as const;
const MONTH_DAYS = 28;

/** A label at the start of a day. */
export interface OverviewLabel {
  readonly ms: number;
  readonly px: number;
  /** Its format: 14 Nov, Nov, or 2026. */
  readonly unit: 'day' | 'month' | 'year';
}

/** Labels of days, Mondays, first days of months or of years, depending on the space. */
export function overviewLabels({ days }: ArchiveDepth, scale: TimeScale, zone: Zone): OverviewLabel[] {
  const dayPx = DAY_MS / scale.msPerPx;
  const dayStep = DAY_STEPS.find((step) => step * dayPx >= OVERVIEW_LABEL_PX);
  const monthStep = MONTH_STEPS.find((step) => step * MONTH_DAYS * dayPx >= OVERVIEW_LABEL_PX) ?? 12;
  const found: OverviewLabel[] = [];
  for (const { startMs } of days) {
    const unit =
      dayStep === undefined ? monthUnit(zone.dayOf(startMs), monthStep) : dayUnit(startMs, zone, dayStep);
    const px = scale.toPx(startMs);
    // A day of 23 hours brings its neighbours slightly closer together.
    const isClose = px - (found.at(-1)?.px ?? -Infinity) < OVERVIEW_LABEL_PX * 0.95;
    if (unit !== undefined && !isClose) found.push({ ms: startMs, px, unit });
  }
  return found;
}

/** Weeks begin on Monday; the epoch was a Thursday. */
function dayUnit(startMs: number, zone: Zone, step: number): 'day' | undefined {
  const dayNumber = Math.floor((startMs + zone.offsetMs(startMs)) / DAY_MS);
  return (dayNumber + 3) % step === 0 ? 'day' : undefined;
}

function monthUnit(day: string, step: number): 'month' | 'year' | undefined {
  const [, month = 1, date = 1] = day.split('-').map(Number);
  if (date !== 1 || (month - 1) % step !== 0) return undefined;
  return month === 1 ? 'year' : 'month';
}
