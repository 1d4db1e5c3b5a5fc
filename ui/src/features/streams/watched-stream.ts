import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '@vidette/contract/client';
import { polls } from '@vidette/contract/constants';
import { api } from '../../api/api.ts';
import { statusOptions } from './streams-api.ts';

/**
 * The stream on screen, polled every second [R9.1]; polling keeps an on-demand source connected. A refusal
 * stops the polling [R4.12].
 */
export function watchedStreamQuery(uid: string) {
  return queryOptions({
    queryKey: ['stream', uid, 'watched'],
    queryFn: ({ signal }) =>
      api.getStream({ params: { uid }, query: { extend_lease: true } }, statusOptions(signal)),
    refetchInterval: ({ state }) => (isRefused(state.error) ? false : polls.streamStatusMs),
    meta: {},
  });
}

/** Whether a retry would only be refused again. */
export function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403;
}
