import { queryOptions } from '@tanstack/react-query';
import { polls } from '@vidette/contract/constants';
import { api } from './api.ts';
import { whileCut } from './while-cut.ts';

/** The server's version and warnings, polled once a minute [R9.1] while the event stream is cut. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => api.getHealth({}, { signal }),
  refetchInterval: () => whileCut(polls.healthMs),
  meta: { isFollowed: true, title: 'state.failed.title' },
});
