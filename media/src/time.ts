/**
 * Conversions between the units of time in use: ticks of a track's timescale since the epoch, milliseconds since
 * the epoch, and the 32-bit clocks of RTP. Each lossy conversion states its rounding.
 *
 * Ticks up to 2^53 / 90000 s extend far beyond the year 5000; the products below are split so that no
 * intermediate value leaves the range in which numbers are exact.
 */

const WRAP_32 = 2 ** 32;

/** Ticks to milliseconds, rounded down, so that a time never ends up in the following millisecond. */
export function ticksToMs(ticks: number, timescale: number): number {
  const seconds = Math.floor(ticks / timescale);
  return seconds * 1000 + Math.floor(((ticks - seconds * timescale) * 1000) / timescale);
}

/** Ticks to milliseconds, rounded up; for the ends of ranges. */
export function ticksToMsCeil(ticks: number, timescale: number): number {
  const seconds = Math.floor(ticks / timescale);
  return seconds * 1000 + Math.ceil(((ticks - seconds * timescale) * 1000) / timescale);
}

/** Milliseconds (whole or not) to ticks, rounded to the nearest. */
export function msToTicks(ms: number, timescale: number): number {
  const seconds = Math.floor(ms / 1000);
  return seconds * timescale + Math.round(((ms - seconds * 1000) * timescale) / 1000);
}

/** Ticks of one timescale to ticks of another, rounded to the nearest. */
export function rescaleTicks(ticks: number, fromTimescale: number, toTimescale: number): number {
  if (fromTimescale === toTimescale) return ticks;
  const seconds = Math.floor(ticks / fromTimescale);
  return (
    seconds * toTimescale + Math.round(((ticks - seconds * fromTimescale) * toTimescale) / fromTimescale)
  );
}

/** Signed distance from `from` to `to` on a clock that wraps at 2^32, between -2^31 and 2^31 - 1. */
export function wrappedDelta32(from: number, to: number): number {
  return (to - from) | 0;
}

/**
 * The unwrapped value nearest to `previous` whose low 32 bits are `wrapped`: continues a 32-bit clock past its wrap
 * and back again. `previous` is the last unwrapped value.
 */
export function unwrap32(previous: number, wrapped: number): number {
  const low = ((previous % WRAP_32) + WRAP_32) % WRAP_32;
  return previous + wrappedDelta32(low, wrapped);
}
