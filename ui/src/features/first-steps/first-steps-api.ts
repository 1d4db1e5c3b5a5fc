import { queryOptions } from '@tanstack/react-query';
import { addressOf } from '@vidette/contract/routes';

const everyMs = 10_000;

/** How far the server's clock is ahead of the browser's, ms, to within a second; undefined if it does not say. */
export const clockQuery = queryOptions({
  queryKey: ['first-steps', 'clock'],
  queryFn: async ({ signal }): Promise<{ readonly aheadMs: number | null }> => {
    const askedMs = Date.now();
    const { headers } = await fetch(addressOf('getHealth'), { signal, cache: 'no-store' });
    const sentMs = Date.parse(headers.get('date') ?? '');
    return { aheadMs: Number.isNaN(sentMs) ? null : clockAheadMs(sentMs, askedMs, Date.now()) };
  },
  refetchInterval: everyMs,
  meta: { isHandled: true },
});

/**
 * How far a clock that sent `sentMs`, in whole seconds, is ahead of the one that asked and got the answer; 0 when the
 * answer may be exact.
 */
export function clockAheadMs(sentMs: number, askedMs: number, gotMs: number): number {
  const [earliestMs, latestMs] = [sentMs, sentMs + 999];
  if (earliestMs > gotMs) return earliestMs - gotMs;
  return latestMs < askedMs ? latestMs - askedMs : 0;
}
