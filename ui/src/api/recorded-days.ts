import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from './api.ts';

// Which days of an archive hold how much.

/** Today fills up, and the oldest day goes. */
const refreshMs = 60_000;

/** Days with anything recorded between two moments, by the clocks of a zone. */
export function recordedDaysQuery(uid: string, startTime: number, endTime: number, timeZone: string) {
  return queryOptions({
    queryKey: ['recorded-days', uid, startTime, endTime, timeZone],
    queryFn: ({ signal }) => askDays(uid, startTime, endTime, timeZone, signal),
    placeholderData: keepPreviousData,
    meta: { isHandled: true },
  });
}

/** The same of all that there is. */
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
