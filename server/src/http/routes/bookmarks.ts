import type { Annotation, Bookmark } from '@vidette/contract/entities';
import type { Principal } from '../../access/principal.ts';
import { requireBookmarkOwner } from '../../access/bookmark-policy.ts';
import { Fault } from '../../base/fault.ts';
import type { AnnotationRecord } from '../../store/annotations.ts';
import type { BookmarkChanges, BookmarkRecord } from '../../store/bookmarks.ts';
import { changesBetween } from '../../system/audit-changes.ts';
import { fieldFault } from '../../base/field-fault.ts';
import { requireUnchanged } from '../../base/unchanged.ts';
import type { Registrar } from '../registrar.ts';
import type { Config } from '../../config/schema.ts';
import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../store/store.ts';
import { requireStream, viewerOf } from '../../access/stream-policy.ts';

/** What marks on the timeline need. */
export interface BookmarkServices {
  readonly config: Pick<Config, 'archive'>;
  readonly clock: Clock;
  readonly store: Pick<Store, 'annotations' | 'bookmarks' | 'streamList'>;
}

/** Marks on the timeline: users' bookmarks and detectors' annotations. */
export function registerBookmarks(registrar: Registrar, services: BookmarkServices): void {
  const { store, clock, config } = services;

  registrar.handle('listAnnotations', async ({ principal, query }) => {
    const { stream } = await requireStream(services.store.streamList, principal, query.streamId, 'archive');
    requireOrder(query.from, query.to, 'to');
    const { playlistMaxSeconds, rangesMaxSeconds } = config.archive;
    if (query.to - query.from > Math.max(playlistMaxSeconds, rangesMaxSeconds) * 1_000) {
      throw new Fault('TimeRangeIsTooLong', 'The span is longer than a playlist or ranges may be.');
    }
    const rows = await store.annotations.ofStream(stream.id, query.from, query.to);
    return { items: rows.map((row) => annotationView(row, stream.uid)) };
  });

  registrar.handle('addAnnotation', async ({ principal, body, audit }) => {
    audit.target = body.streamId;
    const { stream } = await requireStream(services.store.streamList, principal, body.streamId, 'edit');
    requireOrder(body.time, body.timeEnd, 'timeEnd');
    const row = await store.annotations.add({
      streamId: stream.id,
      type: body.type,
      kind: body.kind,
      startMs: body.time,
      endMs: body.timeEnd,
      note: body.note,
    });
    return annotationView(row, stream.uid);
  });

  registrar.handle('listBookmarks', async ({ principal, query }) => {
    const { page, pageSize, stream, searchingValues: words } = query;
    const { items, total } = await store.bookmarks.list(viewerOf(principal), {
      page,
      pageSize,
      stream,
      words,
    });
    return { items: items.map(bookmarkView), total, page, pageSize };
  });

  registrar.handle('addBookmark', async ({ principal, body, audit }) => {
    audit.target = body.stream;
    const { stream } = await requireStream(services.store.streamList, principal, body.stream, 'archive');
    requireOrder(body.startTime, body.endTime, 'endTime');
    const id = await store.bookmarks.add({
      streamId: stream.id,
      userId: principal.user.id,
      startMs: body.startTime,
      endMs: body.endTime,
      note: body.note,
      createdMs: clock.wallMs(),
    });
    return bookmarkView(await requireBookmark(services, principal, id));
  });

  registrar.handle('saveBookmark', async ({ principal, params, body, audit }) => {
    const old = await requireBookmark(services, principal, params.id);
    requireBookmarkOwner(principal, old);
    requireUnchanged(body, bookmarkView(old), ['id', 'stream', 'streamName', 'createdBy', 'createdAt']);
    const changes: BookmarkChanges = {};
    if (body.startTime !== undefined) changes.startMs = body.startTime;
    if (body.endTime !== undefined) changes.endMs = body.endTime;
    if (body.note !== undefined) changes.note = body.note;
    const end = changes.endMs === undefined ? old.endMs : changes.endMs;
    requireOrder(changes.startMs ?? old.startMs, end, 'endTime');
    if (Object.keys(changes).length > 0) await store.bookmarks.save(old.id, changes);
    const saved = bookmarkView(await requireBookmark(services, principal, old.id));
    audit.details = { changes: changesBetween(bookmarkView(old), saved) };
    return saved;
  });

  registrar.handle('deleteBookmark', async ({ principal, params }) => {
    const bookmark = await requireBookmark(services, principal, params.id);
    requireBookmarkOwner(principal, bookmark);
    await store.bookmarks.remove(bookmark.id);
    return {};
  });
}

/** A bookmark whose stream's archive the caller may watch. @throws Fault NotFound, Forbidden */
async function requireBookmark(
  services: BookmarkServices,
  principal: Principal,
  id: number,
): Promise<BookmarkRecord> {
  const bookmark = await services.store.bookmarks.byId(id);
  if (!bookmark) {
    if (principal.isAdmin) throw new Fault('NotFound', 'There is no such bookmark.');
    throw new Fault('Forbidden', 'The bookmark may not be seen.');
  }
  await requireStream(services.store.streamList, principal, bookmark.uid, 'archive');
  return bookmark;
}

function requireOrder(startMs: number, endMs: number | null, path: string): void {
  if (endMs === null || endMs >= startMs) return;
  throw fieldFault('ValidationError', path, 'The end lies before the start.');
}

function bookmarkView(row: BookmarkRecord): Bookmark {
  return {
    id: row.id,
    stream: row.uid,
    streamName: row.streamName,
    startTime: row.startMs,
    endTime: row.endMs,
    note: row.note,
    createdBy: row.creatorLogin,
    createdAt: row.createdMs,
  };
}

function annotationView(row: AnnotationRecord, uid: string): Annotation {
  return {
    id: row.id,
    streamId: uid,
    type: 'event',
    kind: row.kind,
    time: row.startMs,
    timeEnd: row.endMs,
    note: row.note,
  };
}
