/** Coarse ranges cover at most this, whatever their resolution. */
const coarseMaxSeconds = 31 * 86_400;

/** In steps of this length longer spans are asked for, ms. */
export const coarseStepMs = 30 * 86_400_000;

/**
 * The longest span of one request for ranges, seconds: `rangesMaxSeconds`, and in a coarse request that many times its
 * resolution, so that no answer has more entries. A configured limit that is longer applies to both. Contains no Zod.
 */
export function rangesLimitSeconds(rangesMaxSeconds: number, resolutionSeconds?: number): number {
  if (resolutionSeconds === undefined) return rangesMaxSeconds;
  return Math.max(rangesMaxSeconds, Math.min(coarseMaxSeconds, rangesMaxSeconds * resolutionSeconds));
}

/** The finest resolution at which a span can be asked for in one coarse request, seconds. */
export function coarseResolutionSeconds(spanMs: number, rangesMaxMs: number): number {
  return Math.max(1, Math.ceil(spanMs / rangesMaxMs));
}
