import { useQuery } from '@tanstack/react-query';
import type { ListedStream } from '@vidette/contract/entities';
import { useCallback, useMemo, type RefObject } from 'react';
import { useNavigate, useSearch } from '../../routing/react/router-context.tsx';
import { streamsPageQuery } from '../streams/streams-api.ts';
import { besideOf } from './neighbours.ts';
import type { Viewer } from './viewer.ts';

/** The cameras beside the player, and how to change to one of them. */
export interface Neighbours {
  /** In the order of their names, the first page of the list; with the one on screen if it is on that page. */
  readonly streams: readonly ListedStream[];
  /** Shows another camera at the moment on screen, live or recorded. */
  readonly show: (uid: string) => void;
  /** Shows the camera at a place of the strip, from 0. */
  readonly showAt: (place: number) => void;
  /** Shows the camera before or after this one. */
  readonly showBeside: (direction: 1 | -1) => void;
}

/** States and names in the strip. */
const REFRESH_MS = 30_000;
const none: readonly ListedStream[] = [];

/** The other cameras that the user may watch. */
export function useNeighbours(uid: string, viewerRef: RefObject<Viewer | undefined>): Neighbours {
  const navigate = useNavigate();
  const { t: addressMs } = useSearch({ from: '/stream/$uid/view' });
  const { data } = useQuery({ ...streamsPageQuery({ sortType: 'name' }, 1), refetchInterval: REFRESH_MS });
  const streams = data?.items ?? none;
  const show = useCallback(
    (other: string | undefined) => {
      if (other === undefined || other === uid) return;
      const player = viewerRef.current?.player;
      const shownMs = player?.getSnapshot().mode === 'archive' ? player.utcMs : undefined;
      // Keys pressed in quick succession: the player of the camera between them does not exist yet.
      const t = player ? shownMs && Math.round(shownMs) : addressMs;
      void navigate({
        to: '/stream/$uid/view',
        params: { uid: other },
        search: t === undefined ? {} : { t },
      });
    },
    [uid, viewerRef, addressMs, navigate],
  );
  return useMemo(
    () => ({
      streams,
      show,
      showAt: (place) => show(streams[place]?.uid),
      showBeside: (direction) => show(besideOf(streams, uid, direction)),
    }),
    [streams, uid, show],
  );
}
