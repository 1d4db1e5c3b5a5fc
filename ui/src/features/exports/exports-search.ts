/** The search parameters of the exports: a page from 1. */
export type ExportsSearch = { readonly page?: number };

/** Parses the search parameters; the first page is omitted from the address. */
export function exportsSearch({ page }: Readonly<Record<string, unknown>>): ExportsSearch {
  return typeof page === 'number' && Number.isSafeInteger(page) && page > 1 ? { page } : {};
}
