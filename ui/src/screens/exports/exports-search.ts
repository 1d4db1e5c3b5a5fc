/** What the address of the exports says: a page from 1. */
export type ExportsSearch = { readonly page?: number };

/** Reads the address; the first page is left out of it. */
export function exportsSearch({ page }: Readonly<Record<string, unknown>>): ExportsSearch {
  return typeof page === 'number' && Number.isSafeInteger(page) && page > 1 ? { page } : {};
}
