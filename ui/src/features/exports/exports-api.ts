import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { RequestOf } from '@vidette/contract/client';
import { limits } from '@vidette/contract/constants';
import type { Export } from '@vidette/contract/entities';
import { api } from '../../api/api.ts';
import { whileCut } from '../../api/while-cut.ts';

// Export packages of recordings, and how much is recorded for them.

export const exportsPageSize = 50;

const allExports = ['exports'] as const;
const busyMs = 1_000;

/** The user's own exports, newest first; polled while any is in progress. */
export function exportsQuery(page: number) {
  return queryOptions({
    queryKey: [...allExports, page],
    queryFn: ({ signal }) => api.listExports({ query: { page, pageSize: exportsPageSize } }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(isUnderWay) === true ? whileCut(busyMs) : false),
    meta: { isHandled: true, isFollowed: true },
  });
}

export function isUnderWay({ status }: Export): boolean {
  return status === 'queued' || status === 'running';
}

/** What a time span of a stream contains, before it is downloaded. */
export function extentQuery(uid: string, startTime: number, endTime: number) {
  return queryOptions({
    queryKey: ['extent', uid, startTime, endTime],
    queryFn: ({ signal }) =>
      api.getArchiveExtent(
        { params: { uid }, query: { start_time: startTime, end_time: endTime } },
        { signal },
      ),
    placeholderData: keepPreviousData,
    meta: { isHandled: true },
  });
}

/** Streams whose archive the user may watch, by name: the ones that can be combined in a package. */
export const archivedStreamsQuery = queryOptions({
  queryKey: ['archived-streams'],
  queryFn: async ({ signal }) => {
    const { items } = await api.listStreams({ query: { pageSize: limits.pageSizeMax } }, { signal });
    return items.filter(({ canArchive }) => canArchive);
  },
  meta: { isHandled: true },
});

export function useAddExport() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RequestOf<'addExport'>['body']) => api.addExport({ body }),
    meta: { title: 'exports.add.failed' },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: allExports }),
  });
}

export function useAddDigestExport() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RequestOf<'addDigestExport'>['body']) => api.addDigestExport({ body }),
    meta: { title: 'digest.export.failed' },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: allExports }),
  });
}

export function useRetryExport(id: number) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => api.retryExport({ params: { id } }),
    meta: { title: 'exports.retry.failed' },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: allExports }),
  });
}

export function useDeleteExport(id: number) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => api.deleteExport({ params: { id } }),
    meta: { title: 'exports.delete.failed' },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: allExports }),
  });
}
