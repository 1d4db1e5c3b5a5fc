import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '@vidette/contract/client';
import { mutationFailed, queryFailed, type FailureExits } from '../page/failures.ts';

/**
 * The cache of everything the page fetched. Polls stop in a hidden tab and when their screen is left, which is
 * the library's default. `networkMode: always`: the server may be on this very machine, whatever the browser
 * thinks of the network.
 */
export function createQueryClient(exits: FailureExits): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: (error, query) => queryFailed(error, query, exits) }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => mutationFailed(error, mutation, exits),
    }),
    defaultOptions: {
      queries: {
        networkMode: 'always',
        staleTime: 5_000,
        // A refusal would only be repeated; a missing answer is retried by Connection for all queries together.
        retry: (failures, error) => failures < 2 && error instanceof ApiError && error.status >= 500,
      },
      mutations: { networkMode: 'always' },
    },
  });
}
