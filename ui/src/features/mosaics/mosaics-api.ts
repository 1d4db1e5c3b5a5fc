import {
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
  type QueryKey,
} from '@tanstack/react-query';
import { ApiError, type RequestOf } from '@vidette/contract/client';
import { polls } from '@vidette/contract/constants';
import { useCallback, useEffect, useRef } from 'react';
import { api } from '../../api/api.ts';
import { whileCut } from '../../api/while-cut.ts';

// Mosaics: walls of several streams.

/** Mosaics on one page of the list. */
export const mosaicsPageSize = 50;

const allMosaics = ['mosaics'] as const;
/** The server reports a stopped source a moment later. */
const REFRESH_AFTER_MS = 400;

/** One page of the mosaics by name; the previous page stays visible until it arrives. */
export function mosaicsQuery(page: number, searchingValues: readonly string[]) {
  return queryOptions({
    queryKey: [...allMosaics, page, searchingValues],
    queryFn: ({ signal }) =>
      api.listMosaics(
        { query: { page, pageSize: mosaicsPageSize, searchingValues: [...searchingValues] } },
        { signal },
      ),
    placeholderData: keepPreviousData,
    meta: { isHandled: true },
  });
}

/** The mosaic on screen, polled every ten seconds [R9.1] while the event stream is cut, and to keep on-demand sources connected [R7.41]. */
export function watchedMosaicQuery(id: string) {
  return queryOptions({
    queryKey: ['mosaic', id],
    queryFn: ({ signal }) =>
      api.getMosaic({ params: { id: Number(id) }, query: { extend_lease: true } }, { signal }),
    refetchInterval: ({ state: { error, data } }) => {
      if (error) return false;
      const isKept = data?.streams.some(({ live }) => live.onDemand) === true;
      return isKept ? polls.mosaicMs : whileCut(polls.mosaicMs);
    },
    meta: { isHandled: true, isFollowed: true },
  });
}

/**
 * Something on the wall changed: refetches immediately instead of at the next poll, once for all requests made
 * close together.
 */
export function useRefreshMosaic(id: string): () => void {
  return useRefreshSoon(watchedMosaicQuery(id).queryKey, true);
}

/** The same for streams that are watched together. */
export function useRefreshTogether(): () => void {
  return useRefreshSoon(togetherKey, false);
}

function useRefreshSoon(queryKey: QueryKey, exact: boolean): () => void {
  const queryClient = useQueryClient();
  const key = JSON.stringify(queryKey);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    clearTimeout(timer.current);
    const run = () => void queryClient.invalidateQueries({ queryKey: JSON.parse(key) as QueryKey, exact });
    timer.current = setTimeout(run, REFRESH_AFTER_MS);
  }, [queryClient, key, exact]);
}

const togetherKey = ['together'] as const;

/**
 * A stream that is watched together with others, polled like a mosaic; null for one that the viewer may not
 * watch or that no longer exists.
 */
export function togetherQuery(uid: string) {
  return queryOptions({
    queryKey: [...togetherKey, uid],
    queryFn: async ({ signal }) => {
      try {
        return await api.getStream({ params: { uid }, query: { extend_lease: true } }, { signal });
      } catch (error) {
        if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return null;
        throw error;
      }
    },
    refetchInterval: polls.mosaicMs,
    meta: { isHandled: true },
  });
}

/** The mosaic being edited: it must not change while a user works on it. */
export function editedMosaicQuery(id: string) {
  return queryOptions({
    queryKey: ['mosaic', id, 'edited'],
    queryFn: ({ signal }) => api.getMosaic({ params: { id: Number(id) } }, { signal }),
    staleTime: Infinity,
    gcTime: 0,
    meta: { isHandled: true },
  });
}

/** An invalid id, or one of no mosaic [R4.13]. */
export function isNoMosaic(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'ValidationError' || error.status === 404);
}

/** Creates a mosaic. */
export function useAddMosaic() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RequestOf<'addMosaic'>['body']) => api.addMosaic({ body }),
    meta: { title: 'mosaics.failed' },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: allMosaics }),
  });
}

/** Saves a mosaic. */
export function useSaveMosaic(id: number) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RequestOf<'saveMosaic'>['body']) => api.saveMosaic({ params: { id }, body }),
    meta: { title: 'mosaics.failed' },
    onSuccess: (mosaic) => {
      queryClient.setQueryData(watchedMosaicQuery(String(id)).queryKey, mosaic);
      return queryClient.invalidateQueries({ queryKey: allMosaics });
    },
  });
}

/** Deletes a mosaic; its streams are kept. */
export function useDeleteMosaic(id: number) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => api.deleteMosaic({ params: { id } }),
    meta: { title: 'mosaics.failed' },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: allMosaics }),
  });
}
