import { api } from '../../../api/api.ts';
import { browserClock } from '../../../base/clock.ts';
import { RangesLoader, type RangesLoaderOptions } from '../../../timeline/ranges-loader.ts';

interface StreamRangesOptions extends Pick<RangesLoaderOptions, 'onError'> {
  /** Longest request for ranges, ms. */
  readonly rangesMaxMs: number;
  /** Called with each answer about ranges. */
  readonly onAnswer?: () => void;
}

/** The ranges and events of one stream, through the calls of the contract. */
export function streamRanges(
  uid: string,
  { rangesMaxMs, onError, onAnswer }: StreamRangesOptions,
): RangesLoader {
  return new RangesLoader({
    clock: browserClock,
    pieceMs: rangesMaxMs,
    call: async (rangeStartMs, rangeEndMs, signal) => {
      const query = { start_time: Math.floor(rangeStartMs), end_time: Math.ceil(rangeEndMs) };
      const { ranges, gaps, period, begunAt } = await api.getArchiveRanges(
        { params: { uid }, query },
        { signal },
      );
      onAnswer?.();
      return {
        ranges,
        gaps: gaps.map(({ startTime, endTime, cause }) => ({ startMs: startTime, endMs: endTime, cause })),
        beginsMs: period?.startTime,
        begunMs: begunAt ?? undefined,
      };
    },
    coarseCall: coarseCallOf(uid),
    eventsCall: async (spanStartMs, spanEndMs, signal) => {
      const query = { streamId: uid, from: Math.floor(spanStartMs), to: Math.ceil(spanEndMs) };
      const { items } = await api.listAnnotations({ query }, { signal });
      return items.map(({ id, kind, time, timeEnd }) => ({
        id,
        kind,
        startMs: time,
        endMs: timeEnd ?? time,
      }));
    },
    onError,
  });
}

/** The ranges of a span of up to a month, without short gaps. */
export function coarseCallOf(uid: string): NonNullable<RangesLoaderOptions['coarseCall']> {
  return async (startMs, endMs, resolutionSeconds, signal) => {
    const span = { start_time: Math.floor(startMs), end_time: Math.ceil(endMs) };
    const query = { ...span, resolution_seconds: resolutionSeconds };
    return (await api.getArchiveRanges({ params: { uid }, query }, { signal })).ranges;
  };
}
