import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '@vidette/contract/client';
import { polls } from '@vidette/contract/constants';
import { api } from '../../api/api.ts';
import { whileCut } from '../../api/while-cut.ts';
import { statusOptions } from './streams-api.ts';

/**
 * The stream on screen, polled every second [R9.1] while the event stream is cut; polling keeps an on-demand source connected,
 * and goes on for one. A refusal
 * stops the polling [R4.12].
 */
export function watchedStreamQuery(uid: string) {
  return queryOptions({
    queryKey: ['stream', uid, 'watched'],
    queryFn: ({ signal }) =>
      api.getStream({ params: { uid }, query: { extend_lease: true } }, statusOptions(signal)),
    refetchInterval: ({ state: { error, data } }) => {
      if (isRefused(error)) return false;
      return data?.live.onDemand === false ? whileCut(polls.streamStatusMs) : polls.streamStatusMs;
    },
    meta: { isFollowed: true },
  });
}

/** Whether a retry would only be refused again. */
export function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403;
}
