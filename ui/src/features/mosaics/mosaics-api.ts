import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiError, type RequestOf } from '@vidette/contract/client';
import { polls } from '@vidette/contract/constants';
import { useCallback, useEffect, useRef } from 'react';
import { api } from '../../api/api.ts';

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

/** The mosaic on screen, polled every ten seconds [R9.1]; polling keeps on-demand sources connected [R7.41]. */
export function watchedMosaicQuery(id: string) {
  return queryOptions({
    queryKey: ['mosaic', id],
    queryFn: ({ signal }) =>
      api.getMosaic({ params: { id: Number(id) }, query: { extend_lease: true } }, { signal }),
    refetchInterval: ({ state }) => (state.error ? false : polls.mosaicMs),
    meta: { isHandled: true },
  });
}

/**
 * Something on the wall changed: refetches immediately instead of at the next poll, once for all requests made
 * close together.
 */
export function useRefreshMosaic(id: string): () => void {
  const queryClient = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    clearTimeout(timer.current);
    const run = () =>
      void queryClient.invalidateQueries({ queryKey: watchedMosaicQuery(id).queryKey, exact: true });
    timer.current = setTimeout(run, REFRESH_AFTER_MS);
  }, [queryClient, id]);
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
