import type { MediaSink } from './media-sink.ts';

/**
 * Where to send the element for the picture after or before the one at a moment: the middle of it, which rounding can't
 * turn into its neighbour. Seconds of UTC; undefined when that picture is not in the buffer.
 */
export function frameBeside(sink: MediaSink, utcMs: number, direction: 1 | -1): number | undefined {
  const next = sink.frames.neighbour(utcMs, direction);
  if (!next) return undefined;
  const middleS = (next.startMs + next.endMs) / 2000;
  return sink.spans.some(({ start, end }) => middleS >= start && middleS < end) ? middleS : undefined;
}
