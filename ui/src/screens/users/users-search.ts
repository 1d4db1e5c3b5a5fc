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
  const q = String(search['q'] ?? '');
  const sort = sortOf(String(search['sort']));
  const page = Number(search['page']);
  return {
    ...(q === '' ? {} : { q }),
    ...(sort === 'name' ? {} : { sort }),
    ...(Number.isSafeInteger(page) && page > 1 ? { page } : {}),
  };
}
