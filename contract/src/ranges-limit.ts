/** Coarse ranges cover at most this, whatever their resolution. */
const coarseMaxSeconds = 31 * 86_400;

/**
 * The longest span of one request for ranges, seconds: `rangesMaxSeconds`, and in a coarse request that many times its
 * resolution, so that no answer has more entries. A configured limit that is longer applies to both. Contains no Zod.
 */
export function rangesLimitSeconds(rangesMaxSeconds: number, resolutionSeconds?: number): number {
  if (resolutionSeconds === undefined) return rangesMaxSeconds;
  return Math.max(rangesMaxSeconds, Math.min(coarseMaxSeconds, rangesMaxSeconds * resolutionSeconds));
}
