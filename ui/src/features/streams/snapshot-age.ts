/**
 * Age of a snapshot when it was sent, ms: `x-picture-time` (ms since the epoch) compared with the `date` of the
 * same answer. Both come from the server's clock, so a wrong browser clock does no harm. 0 without them.
 */
export function snapshotAgeMs(headers: Headers): number {
  const takenMs = Number(headers.get('x-picture-time') ?? Number.NaN);
  const sentMs = Date.parse(headers.get('date') ?? '');
  const ageMs = sentMs - takenMs;
  return Number.isFinite(ageMs) ? Math.max(0, ageMs) : 0;
}
