/** The search parameters of the bookmarks: query, page from 1. */
export type BookmarksSearch = { readonly q?: string; readonly page?: number };

/** Parses the search parameters; defaults are omitted from the address. */
export function bookmarksSearch(search: Readonly<Record<string, unknown>>): BookmarksSearch {
  const { q, page } = search;
  // The router parses a numeric value as a number.
  const words = typeof q === 'string' || typeof q === 'number' ? String(q) : '';
  return {
    ...(words === '' ? {} : { q: words }),
    ...(typeof page === 'number' && Number.isSafeInteger(page) && page > 1 ? { page } : {}),
  };
}
