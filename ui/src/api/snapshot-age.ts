/**
 * How old a still was when it was sent, ms: `x-picture-time` (ms since the epoch) against the `date` of the same
 * answer, both by the server's clock, so that a browser whose clock is wrong judges rightly. 0 without them.
 */
export function snapshotAgeMs(headers: Headers): number {
  const takenMs = Number(headers.get('x-picture-time') ?? Number.NaN);
  const sentMs = Date.parse(headers.get('date') ?? '');
  const ageMs = sentMs - takenMs;
  return Number.isFinite(ageMs) ? Math.max(0, ageMs) : 0;
}
