/** What the address of the mosaics says: words looked for, page from 1. */
export type MosaicsSearch = { readonly q?: string; readonly page?: number };

/** Reads the address; what stands there by default is left out of it. */
export function mosaicsSearch(search: Readonly<Record<string, unknown>>): MosaicsSearch {
  const { q, page } = search;
  // The router reads a number that stands in an address as one.
  const words = typeof q === 'string' || typeof q === 'number' ? String(q) : '';
  const isPage = typeof page === 'number' && Number.isSafeInteger(page) && page > 1;
  return { ...(words === '' ? {} : { q: words }), ...(isPage ? { page } : {}) };
}
