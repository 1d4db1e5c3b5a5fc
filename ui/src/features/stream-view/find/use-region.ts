import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import type { Region } from './region.ts';

/**
 * The region to search in, as it was last drawn for the stream: a second search is mostly for the same thing. It is kept
 * with the answers of the server, so that it is removed with them when the user signs out.
 */
export function useRegion(uid: string): readonly [Region | undefined, (region: Region | undefined) => void] {
  const queryClient = useQueryClient();
  const [region, setRegion] = useState(
    () => queryClient.getQueryData<Region | null>(keyOf(uid)) ?? undefined,
  );
  const change = useCallback(
    (changed: Region | undefined) => {
      const queryKey = keyOf(uid);
      queryClient.setQueryDefaults(queryKey, { gcTime: Infinity });
      queryClient.setQueryData(queryKey, changed ?? null);
      setRegion(changed);
    },
    [queryClient, uid],
  );
  return [region, change];
}

const keyOf = (uid: string) => ['stream', uid, 'find-region'] as const;
