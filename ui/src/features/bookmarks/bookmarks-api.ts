import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { limits } from '@vidette/contract/constants';
import type { RequestOf } from '@vidette/contract/client';
import { api } from '../../api/api.ts';

// Bookmarks: moments of streams that a user wants to find again.

/** Bookmarks on one page of the list. */
export const bookmarksPageSize = 50;

const allBookmarks = ['bookmarks'] as const;

/** One page of the bookmarks, newest first; the previous page stays visible until it arrives. */
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

/** The newest bookmarks of one stream, up to one page of them. */
export function streamBookmarksQuery(uid: string, isEnabled: boolean) {
  return queryOptions({
    queryKey: [...allBookmarks, 'stream', uid],
    queryFn: ({ signal }) =>
      api.listBookmarks({ query: { stream: uid, pageSize: limits.pageSizeMax } }, { signal }),
    enabled: isEnabled,
    meta: { isHandled: true },
  });
}

/** Bookmarks a moment. */
export function useAddBookmark() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: RequestOf<'addBookmark'>['body']) => api.addBookmark({ body }),
    meta: { title: 'bookmarks.failed' },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: allBookmarks }),
  });
}

/** Changes the text of a bookmark. */
export function useSaveBookmark(id: number) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (note: string) => api.saveBookmark({ params: { id }, body: { note } }),
    meta: { title: 'bookmarks.failed' },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: allBookmarks }),
  });
}

/** Deletes a bookmark; the recording stays. */
export function useDeleteBookmark(id: number) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => api.deleteBookmark({ params: { id } }),
    meta: { title: 'bookmarks.failed' },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: allBookmarks }),
  });
}
