import type { FootageHolds } from '../../recordings/footage-holds.ts';
import type { BookmarkService } from '../../recordings/bookmark-service.ts';
import type { Registrar } from '../registrar.ts';

/** The dependencies of the calls for timeline marks. */
export interface BookmarkServices {
  readonly bookmarks: BookmarkService;
  readonly footageHolds: FootageHolds;
}

/** Marks on the timeline: users' bookmarks, detectors' annotations, and the footage that rules hold. */
export function registerBookmarks(registrar: Registrar, { bookmarks, footageHolds }: BookmarkServices): void {
  registrar.handle('listAnnotations', async ({ principal, query }) => ({
    items: await bookmarks.annotations(principal, query),
  }));

  registrar.handle('addAnnotation', ({ principal, body, audit }) =>
    bookmarks.addAnnotation(principal, body, audit),
  );

  registrar.handle('listBookmarks', async ({ principal, query }) => {
    const { page, pageSize } = query;
    return { ...(await bookmarks.list(principal, query)), page, pageSize };
  });

  registrar.handle('addBookmark', ({ principal, body, audit }) => bookmarks.add(principal, body, audit));

  registrar.handle('saveBookmark', ({ principal, params, body, audit }) =>
    bookmarks.save(principal, params.id, body, audit),
  );

  registrar.handle('deleteBookmark', async ({ principal, params, audit }) => {
    await bookmarks.remove(principal, params.id, audit);
    return {};
  });

  registrar.handle('listHolds', async ({ principal, params }) => ({
    items: await footageHolds.list(principal, params.uid),
  }));

  registrar.handle('releaseHold', async ({ principal, params, audit }) => {
    await footageHolds.release(principal, params.uid, params.id, audit);
    return {};
  });

  registrar.handle('releaseHolds', async ({ principal, params, audit }) => ({
    released: await footageHolds.releaseAll(principal, params.uid, audit),
  }));
}
