import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/api.ts';

/** The server's description of its own calls; it changes only with the server. */
export const apiDocumentQuery = queryOptions({
  queryKey: ['api-document'],
  queryFn: ({ signal }) => api.getOpenApi({}, { signal }),
  staleTime: Infinity,
  meta: { isHandled: true },
});
