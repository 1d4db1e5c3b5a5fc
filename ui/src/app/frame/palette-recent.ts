import type { SearchResult } from './search-api.ts';

// The items most recently opened through the palette, newest first, stored in the browser.

const most = 6;
const kinds: readonly string[] = ['stream', 'mosaic', 'bookmark', 'user'] satisfies SearchResult['kind'][];

type RecentStorage = Pick<Storage, 'getItem' | 'setItem'>;

const keyOf = (login: string) => `vidette.recent.${login}`;

/** The recently opened items; what can't be parsed is dropped. */
export function loadRecent(storage: RecentStorage, login: string): SearchResult[] {
  let stored: unknown;
  try {
    stored = JSON.parse(storage.getItem(keyOf(login)) ?? '[]');
  } catch {
    // Truncated or foreign data: the list starts empty.
    return [];
  }
  return Array.isArray(stored) ? stored.filter(isFound).slice(0, most) : [];
}

/** Moves an item to the head of the list. */
export function addRecent(storage: RecentStorage, login: string, opened: SearchResult): void {
  const others = loadRecent(storage, login).filter(
    ({ kind, id }) => kind !== opened.kind || id !== opened.id,
  );
  storage.setItem(keyOf(login), JSON.stringify([opened, ...others].slice(0, most)));
}

function isFound(value: unknown): value is SearchResult {
  if (typeof value !== 'object' || value === null) return false;
  const { kind, id, name, note } = value as Partial<Record<keyof SearchResult, unknown>>;
  const isText = [id, name, note].every((part) => typeof part === 'string');
  return isText && kinds.includes(String(kind));
}
