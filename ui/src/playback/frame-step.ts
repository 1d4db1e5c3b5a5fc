import type { MediaSink } from './media-sink.ts';

/**
 * The seek target for the frame after or before the one at a moment: its middle, which rounding can't move into
 * a neighbouring frame. Seconds of UTC; undefined when that frame is not in the buffer.
 */
export function frameBeside(sink: MediaSink, utcMs: number, direction: 1 | -1): number | undefined {
  const next = sink.frames.neighbour(utcMs, direction);
  if (!next) return undefined;
  const middleS = (next.startMs + next.endMs) / 2000;
  return sink.spans.some(({ start, end }) => middleS >= start && middleS < end) ? middleS : undefined;
}
