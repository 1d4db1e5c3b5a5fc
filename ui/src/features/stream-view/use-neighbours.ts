import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ListedStream } from '@vidette/contract/entities';
import { useCallback, useMemo, type RefObject } from 'react';
import { useNavigate, useSearch } from '../../routing/react/router-context.tsx';
import { loadStreamsBetween, streamsPageQuery, streamsPageSize } from '../streams/streams-api.ts';
import { besideOf, pageOf } from './neighbours.ts';
import type { Viewer } from './viewer.ts';

/** The cameras beside the player, and how to change to one of them. */
export interface Neighbours {
  /** In the order of their names, the page of the list that the one on screen is on. */
  readonly streams: readonly ListedStream[];
  /** Whether there is another camera; true while it is not known yet which page that is. */
  readonly hasOthers: boolean;
  /** Shows another camera at the moment on screen, live or recorded. */
  readonly show: (uid: string) => void;
  /** Shows the camera at a place of the strip, from 0. */
  readonly showAt: (place: number) => void;
  /** Shows the camera before or after this one. */
  readonly showBeside: (direction: 1 | -1) => void;
}

/** States and names in the strip. */
const REFRESH_MS = 30_000;
const filter = { sortType: 'name' } as const;

/** The uids of all streams in the order of the strip. */
const orderQuery = queryOptions({
  queryKey: ['streams', 'order'],
  queryFn: async () => (await loadStreamsBetween(filter, 0, Infinity)).map(({ uid }) => uid),
  staleTime: 60_000,
  meta: { isHandled: true },
});

/** The other cameras that the user may watch. */
export function useNeighbours(uid: string, viewerRef: RefObject<Viewer | undefined>): Neighbours {
  const navigate = useNavigate();
  const { t: addressMs } = useSearch({ from: '/stream/$uid/view' });
  const { streams, uids, hasOthers } = useStrip(uid);
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
      hasOthers,
      show,
      showAt: (place) => show(streams[place]?.uid),
      showBeside: (direction) => show(besideOf(uids, uid, direction)),
    }),
    [streams, uids, hasOthers, uid, show],
  );
}

/** The streams of the strip, and the uids of those that can be beside the one on screen. */
function useStrip(uid: string) {
  const { data: first } = useQuery({ ...streamsPageQuery(filter, 1), refetchInterval: REFRESH_MS });
  const hasMore = (first?.total ?? 0) > streamsPageSize;
  // On the first page, only the last stream has a neighbour elsewhere.
  const isBeyond = hasMore && first?.items.slice(0, -1).every((stream) => stream.uid !== uid) === true;
  const order = useQuery({ ...orderQuery, enabled: isBeyond });
  const known = isBeyond ? order.data : undefined;
  const page = known ? pageOf(known, uid, streamsPageSize) : 1;
  const later = useQuery({
    ...streamsPageQuery(filter, page),
    enabled: page > 1,
    refetchInterval: REFRESH_MS,
  });
  // Stills of a page that the stream is not on would be fetched only to be replaced.
  const isOnFirst = first?.items.some((stream) => stream.uid === uid) === true;
  const arePending = isBeyond && !isOnFirst && (page > 1 ? later.isPending : order.isPending);
  const items = arePending ? undefined : ((page > 1 && later.data) || first)?.items;
  return useMemo(() => {
    const streams = items ?? [];
    const uids = known ?? streams.map((stream) => stream.uid);
    return { streams, uids, hasOthers: streams.length > 1 || arePending };
  }, [items, known, arePending]);
}
