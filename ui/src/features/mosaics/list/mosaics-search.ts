/** The search parameters of the mosaics: query, page from 1. */
export type MosaicsSearch = { readonly q?: string; readonly page?: number };

/** Parses the search parameters; defaults are omitted from the address. */
export function mosaicsSearch(search: Readonly<Record<string, unknown>>): MosaicsSearch {
  const { q, page } = search;
  // The router parses a numeric value as a number.
  const words = typeof q === 'string' || typeof q === 'number' ? String(q) : '';
  const isPage = typeof page === 'number' && Number.isSafeInteger(page) && page > 1;
  return { ...(words === '' ? {} : { q: words }), ...(isPage ? { page } : {}) };
}
