const sortTypes = ['name', '-name', 'createdAt', '-createdAt', 'lastSeenTime', '-lastSeenTime'] as const;

/** What the address of the users' list says: words looked for, order, page from 1. */
export type UsersSearch = {
  readonly q?: string;
  readonly sort?: string;
  readonly page?: number;
};

/** The order an address asks for, else by name. */
export function sortOf(sort: string | undefined): (typeof sortTypes)[number] {
  return sortTypes.find((one) => one === sort) ?? 'name';
}

/** Reads the address; what stands there by default is left out of it. */
export function usersSearch(search: Readonly<Record<string, unknown>>): UsersSearch {
  // The router reads a number that stands in an address as one.
  const q = typeof search['q'] === 'string' || typeof search['q'] === 'number' ? String(search['q']) : '';
  const sort = sortOf(typeof search['sort'] === 'string' ? search['sort'] : undefined);
  const page = Number(search['page']);
  return {
    ...(q === '' ? {} : { q }),
    ...(sort === 'name' ? {} : { sort }),
    ...(Number.isSafeInteger(page) && page > 1 ? { page } : {}),
  };
}
