import type { Clock } from './clock.ts';

/** Pauses between attempts, ms: the first, doubled by each further failure up to the longest. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * Number of doublings that have an effect; beyond them every maximum is reached, and the number stays exact.
 */
const maxDoublings = 16;

/** The pause after this many consecutive failures, from 1; 0 if nothing has failed. */
export function backoffMs(failures: number, { firstMs, longestMs }: Backoff): number {
  if (failures <= 0) return 0;
  return Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, maxDoublings));
}

/** Between 0.5 and 1.5 times a pause, so that clients that failed together do not retry together. */
export function scatteredMs(pauseMs: number, clock: Pick<Clock, 'random'>): number {
  return Math.round(pauseMs * (0.5 + clock.random()));
}
