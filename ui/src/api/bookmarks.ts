import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { limits } from '@vidette/contract/constants';
import type { RequestOf } from '@vidette/contract/client';
import { api } from './api.ts';

// Bookmarks: moments of streams that somebody wants to find again.

/** Bookmarks in one page of the list. */
export const bookmarksPageSize = 50;

const allBookmarks = ['bookmarks'] as const;

/** One page of the bookmarks, newest first; the former page stays in sight until it has come. */
export function bookmarksQuery(page: number, searchingValues: readonly string[]) {
  return queryOptions({
    queryKey: [...allBookmarks, page, searchingValues],
    queryFn: ({ signal }) =>
      api.listBookmarks(
        { query: { page, pageSize: bookmarksPageSize, searchingValues: [...searchingValues] } },
        { signal },
      ),
    placeholderData: keepPreviousData,
    meta: { isHandled: true },
  });
}

/** The newest bookmarks of one stream, as many as a page holds. */
export function streamBookmarksQuery(uid: string, isEnabled: boolean) {
  return queryOptions({
    queryKey: [...allBookmarks, 'stream', uid],
    queryFn: ({ signal }) =>
      api.listBookmarks({ query: { stream: uid, pageSize: limits.pageSizeMax } }, { signal }),
    enabled: isEnabled,
    meta: { isHandled: true },
  });
}

/** Marks a moment. */
export function useAddBookmark() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RequestOf<'addBookmark'>['body']) => api.addBookmark({ body }),
    meta: { title: 'bookmarks.failed' },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: allBookmarks }),
  });
}

/** Changes what is written at a bookmark. */
export function useSaveBookmark(id: number) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (note: string) => api.saveBookmark({ params: { id }, body: { note } }),
    meta: { title: 'bookmarks.failed' },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: allBookmarks }),
  });
}

/** Deletes a bookmark; the footage stays. */
export function useDeleteBookmark(id: number) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => api.deleteBookmark({ params: { id } }),
    meta: { title: 'bookmarks.failed' },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: allBookmarks }),
  });
}
