/** What the address of the bookmarks says: words looked for, page from 1. */
export type BookmarksSearch = { readonly q?: string; readonly page?: number };

/** Reads the address; what stands there by default is left out of it. */
export function bookmarksSearch(search: Readonly<Record<string, unknown>>): BookmarksSearch {
  const { q, page } = search;
  // The router reads a number that stands in an address as one.
  const words = typeof q === 'string' || typeof q === 'number' ? String(q) : '';
  return {
    ...(words === '' ? {} : { q: words }),
    ...(typeof page === 'number' && Number.isSafeInteger(page) && page > 1 ? { page } : {}),
  };
}
