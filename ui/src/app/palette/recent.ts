import type { SearchResult } from '../../api/search.ts';

// What somebody opened through the palette last, newest first, kept in their browser.

const most = 6;
const kinds: readonly string[] = ['stream', 'mosaic', 'bookmark', 'user'] satisfies SearchResult['kind'][];

type RecentStorage = Pick<Storage, 'getItem' | 'setItem'>;

const keyOf = (login: string) => `vidette.recent.${login}`;

/** What was opened last; what can't be read is forgotten. */
export function loadRecent(storage: RecentStorage, login: string): SearchResult[] {
  let stored: unknown;
  try {
    stored = JSON.parse(storage.getItem(keyOf(login)) ?? '[]');
  } catch {
    // Half written, or not ours: the list begins anew.
    return [];
  }
  return Array.isArray(stored) ? stored.filter(isFound).slice(0, most) : [];
}

/** Puts something at the head of the list. */
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
