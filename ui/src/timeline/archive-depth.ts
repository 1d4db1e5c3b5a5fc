import type { Zone } from './zone.ts';

/**
 * One day of an archive in a zone's local time, ms since the epoch. It has 23 to 25 hours; days are contiguous.
 */
export interface DepthDay {
  readonly startMs: number;
  readonly endMs: number;
  /** Recorded share, 0 to 1; for today, of the time elapsed so far. */
  readonly share: number;
}

/** All days from the first with recordings until the end of today; never empty. */
export interface ArchiveDepth {
  readonly days: readonly [DepthDay, ...DepthDay[]];
  readonly startMs: number;
  readonly endMs: number;
}

/** The server's answer about an archive's days: days with recordings, oldest first, and their shares. */
export interface RecordedDays {
  readonly days: readonly string[];
  readonly shares: readonly number[];
}

/**
 * A young archive is shown with this many days, as if it were older: a scale that grows by the hour would jump
 * under the pointer.
 */
const LEAST_DAYS = 7;
/** A day with any recording is not empty, even if its share is rounded to zero. */
const LEAST_SHARE = 1e-5;

/** The days of an archive in a zone's local time. */
export function depthOf(recorded: RecordedDays, zone: Zone, nowMs: number): ArchiveDepth {
  const shareOf = new Map(
    recorded.days.map((day, index) => [day, Math.max(LEAST_SHARE, recorded.shares[index] ?? 0)]),
  );
  const today = zone.dayOf(nowMs);
  const youngest = zone.dayOf(zone.dayStartMs(today, 1 - LEAST_DAYS));
  const [oldest = today] = recorded.days;
  const first = oldest < youngest ? oldest : youngest;
  const dayAt = (plus: number): DepthDay => {
    const startMs = zone.dayStartMs(first, plus);
    return { startMs, endMs: zone.dayStartMs(first, plus + 1), share: shareOf.get(zone.dayOf(startMs)) ?? 0 };
  };
  const days: [DepthDay, ...DepthDay[]] = [dayAt(0)];
  let last = days[0];
  while (last.endMs <= nowMs) days.push((last = dayAt(days.length)));
  return { days, startMs: days[0].startMs, endMs: last.endMs };
}

/** The day that contains a moment; undefined outside the depth. */
export function dayAt({ days, startMs, endMs }: ArchiveDepth, ms: number): DepthDay | undefined {
  if (ms < startMs || ms >= endMs) return undefined;
  return days.find((day) => ms < day.endMs);
}
