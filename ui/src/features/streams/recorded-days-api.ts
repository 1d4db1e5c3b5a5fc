import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../api/api.ts';

// How much is recorded on each day of an archive.

/** Today fills up, and the oldest day is deleted. */
const refreshMs = 60_000;

/** Days with recordings between two moments, in the given time zone. */
export function recordedDaysQuery(uid: string, startTime: number, endTime: number, timeZone: string) {
  return queryOptions({
    queryKey: ['recorded-days', uid, startTime, endTime, timeZone],
    queryFn: ({ signal }) => askDays(uid, startTime, endTime, timeZone, signal),
    placeholderData: keepPreviousData,
    meta: { isHandled: true },
  });
}

/** The same for the whole archive. */
export function wholeDepthQuery(uid: string, timeZone: string, mayAsk: boolean) {
  return queryOptions({
    queryKey: ['recorded-days', uid, 'all', timeZone],
    queryFn: ({ signal }) => askDays(uid, 0, Date.now(), timeZone, signal),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
    enabled: mayAsk,
    meta: { isHandled: true },
  });
}

function askDays(uid: string, startTime: number, endTime: number, timeZone: string, signal: AbortSignal) {
  const query = { start_time: startTime, end_time: endTime, time_zone: timeZone };
  return api.getArchiveDays({ params: { uid }, query }, { signal });
}
