import { useQueryClient } from '@tanstack/react-query';
import type { StreamStatus } from '@vidette/contract/entities';
import { useCallback, useMemo } from 'react';
import { useFreshStill, type FreshStill, type KeptStill } from '../../components/fresh-snapshot.tsx';
import { useIsServerLost } from '../../page/page-context.tsx';
import { loadStreamSnapshot } from './streams-api.ts';

interface StillOptions {
  readonly widthPx: number;
  /** Refetch this long after the last one arrived while the stream is running, ms. */
  readonly everyMs: number;
  /** An older one shows its age, ms. */
  readonly oldAfterMs: number;
}

/**
 * Where many small ones are in view. Old after two intervals: one that a loaded server missed does not make a camera
 * look stopped.
 */
export const smallStills = { everyMs: 10_000, oldAfterMs: 20_000 } as const;

/**
 * The newest snapshot of a stream. The last one is kept with the answers of the server, so that a list that is
 * opened again or scrolled back shows it immediately. Without the server none is current.
 */
export function useStreamStill(uid: string, status: StreamStatus, options: StillOptions): FreshStill {
  const { widthPx, everyMs, oldAfterMs } = options;
  const queryClient = useQueryClient();
  const isServerLost = useIsServerLost();
  const load = useCallback((signal: AbortSignal) => loadStreamSnapshot(uid, widthPx, signal), [uid, widthPx]);
  const keeper = useMemo(() => {
    const key = ['stream', uid, 'still'];
    return {
      last: () => queryClient.getQueryData<KeptStill>(key),
      keep: (still: KeptStill) => void queryClient.setQueryData(key, still),
    };
  }, [queryClient, uid]);
  return useFreshStill(load, status === 'running' ? everyMs : null, isServerLost ? 0 : oldAfterMs, keeper);
}
