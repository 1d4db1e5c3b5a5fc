import type { z } from 'zod';
import type { Calls } from '@vidette/contract/calls';
import type { Principal } from '../access/principal.ts';
import { viewerOf } from '../access/stream-policy.ts';
import type { Store } from '../store/store.ts';

export type SearchHit = z.input<Calls['search']['reply']>['items'][number];

/** Maximum number of words; further ones are ignored. */
const maxWords = 10;

export interface SearchOptions {
  readonly store: Pick<Store, 'streamList' | 'mosaics' | 'bookmarks' | 'users'>;
}

/** A search over everything that has a name: streams, mosaics, users and bookmarks, in this order. */
export class Search {
  readonly #options: SearchOptions;

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  /** Everything that the caller may see and that contains all words; only administrators find users. */
  async find(principal: Principal, text: string, limit: number): Promise<SearchHit[]> {
    const { store } = this.#options;
    const viewer = viewerOf(principal);
    const page = { page: 1, pageSize: limit, words: text.split(/\s+/).slice(0, maxWords) };
    const streams = await store.streamList.page(viewer, {
      ...page,
      sort: 'name',
      descending: false,
      byTag: false,
      onlyAvailable: false,
    });
    const mosaics = await store.mosaics.list(viewer, page);
    const bookmarks = await store.bookmarks.list(viewer, page);
    const users = principal.isAdmin
      ? await store.users.list({ ...page, sort: 'login', descending: false })
      : { items: [] };
    const found: SearchHit[] = [
      ...streams.items.map(({ stream }) => ({
        kind: 'stream' as const,
        id: stream.uid,
        name: stream.name,
        note: [stream.location.name, ...stream.tags].filter((part) => part !== '').join(', '),
      })),
      ...mosaics.items.map(({ id, name }) => ({ kind: 'mosaic' as const, id: String(id), name, note: '' })),
      ...users.items.map((user) => ({
        kind: 'user' as const,
        id: user.login,
        name: user.login,
        note: user.fullName,
      })),
      ...bookmarks.items.map((bookmark) => ({
        kind: 'bookmark' as const,
        id: String(bookmark.id),
        name: bookmark.note,
        note: bookmark.streamName,
      })),
    ];
    return found.slice(0, limit);
  }
}
