import { queryOptions } from '@tanstack/react-query';
import { polls } from '@vidette/contract/constants';
import { api } from './api.ts';

/** The server's version and warnings, polled once a minute [R9.1]. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: ({ signal }) => api.getHealth({}, { signal }),
  refetchInterval: polls.healthMs,
  meta: { title: 'state.failed.title' },
});
