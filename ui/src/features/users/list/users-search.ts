const sortTypes = ['name', '-name', 'createdAt', '-createdAt', 'lastSeenTime', '-lastSeenTime'] as const;

/** The search parameters of the users' list: query, order, page from 1. */
export type UsersSearch = {
  readonly q?: string;
  readonly sort?: string;
  readonly page?: number;
};

/** The requested order, by name by default. */
export function sortOf(sort: string | undefined): (typeof sortTypes)[number] {
  return sortTypes.find((one) => one === sort) ?? 'name';
}

/** Parses the search parameters; defaults are omitted from the address. */
export function usersSearch(search: Readonly<Record<string, unknown>>): UsersSearch {
  // The router parses a numeric value as a number.
  const q = typeof search['q'] === 'string' || typeof search['q'] === 'number' ? String(search['q']) : '';
  const sort = sortOf(typeof search['sort'] === 'string' ? search['sort'] : undefined);
  const page = Number(search['page']);
  return {
    ...(q === '' ? {} : { q }),
    ...(sort === 'name' ? {} : { sort }),
    ...(Number.isSafeInteger(page) && page > 1 ? { page } : {}),
  };
}
