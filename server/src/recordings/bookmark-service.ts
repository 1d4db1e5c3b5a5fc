import type { z } from 'zod';
import type { Calls } from '@vidette/contract/calls';
import type { Annotation, Bookmark } from '@vidette/contract/entities';
import { requireBookmarkOwner } from '../access/bookmark-policy.ts';
import type { Principal } from '../access/principal.ts';
import { requireStream, viewerOf } from '../access/stream-policy.ts';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { fieldFault } from '../base/field-fault.ts';
import { requireUnchanged } from '../base/unchanged.ts';
import type { Config } from '../config/schema.ts';
import type { JournalWriter } from '../events/journal-writer.ts';
import type { AnnotationRecord } from '../store/annotations.ts';
import type { BookmarkChanges, BookmarkRecord } from '../store/bookmarks.ts';
import type { Store } from '../store/store.ts';
import { changesBetween } from '../system/audit-changes.ts';
import type { AuditNote } from '../system/audit-event.ts';

type AnnotationQuery = z.output<Calls['listAnnotations']['query']>;
type AnnotationToAdd = z.output<Calls['addAnnotation']['body']>;
type BookmarkQuery = z.output<Calls['listBookmarks']['query']>;
type BookmarkToAdd = z.output<Calls['addBookmark']['body']>;
type BookmarkToSave = z.output<Calls['saveBookmark']['body']>;

export interface BookmarkServiceOptions {
  readonly config: Pick<Config, 'archive'>;
  readonly clock: Clock;
  readonly store: Pick<Store, 'annotations' | 'bookmarks' | 'streamList'>;
  readonly journalWriter: Pick<JournalWriter, 'write'>;
}

/**
 * Marks on the timeline: users' bookmarks and detectors' annotations. A user who may watch the archive of a stream
 * sees both; only its editors add annotations.
 */
export class BookmarkService {
  readonly #options: BookmarkServiceOptions;

  constructor(options: BookmarkServiceOptions) {
    this.#options = options;
  }

  /** @throws Fault NotFound, Forbidden, ValidationError at `to`, TimeRangeIsTooLong */
  async annotations(principal: Principal, query: AnnotationQuery): Promise<Annotation[]> {
    const { store, config } = this.#options;
    const { stream } = await requireStream(store.streamList, principal, query.streamId, 'archive');
    requireOrder(query.from, query.to, 'to');
    const { playlistMaxSeconds, rangesMaxSeconds } = config.archive;
    if (query.to - query.from > Math.max(playlistMaxSeconds, rangesMaxSeconds) * 1_000) {
      throw new Fault('TimeRangeIsTooLong', 'The span is longer than a playlist or ranges may be.');
    }
    const rows = await store.annotations.ofStream(stream.id, query.from, query.to);
    return rows.map((row) => annotationView(row, stream.uid));
  }

  /** @throws Fault NotFound, Forbidden, ValidationError at `timeEnd` */
  async addAnnotation(principal: Principal, body: AnnotationToAdd, note: AuditNote): Promise<Annotation> {
    const { store, journalWriter } = this.#options;
    note.target = body.streamId;
    const { stream } = await requireStream(store.streamList, principal, body.streamId, 'edit');
    requireOrder(body.time, body.timeEnd, 'timeEnd');
    const { type, kind, time: startMs, timeEnd: endMs, note: text } = body;
    const annotation = { streamId: stream.id, type, kind, startMs, endMs, note: text };
    const [{ uid }, { login: user }] = [stream, principal.user];
    let row: AnnotationRecord | undefined;
    await journalWriter.write(async (db) => {
      row = await store.annotations.add(annotation, db);
      const key = String(row.id);
      const detail = { code: kind, user };
      return [{ type: 'put', kind: 'annotation', uid, key, startMs, endMs, note: text, detail }];
    });
    if (!row) throw new Fault('InternalServerError', 'The annotation was not written.');
    return annotationView(row, uid);
  }

  /** Bookmarks of streams whose archive the caller may watch. */
  async list(principal: Principal, query: BookmarkQuery): Promise<{ items: Bookmark[]; total: number }> {
    const { page, pageSize, stream, searchingValues: words } = query;
    const { items, total } = await this.#options.store.bookmarks.list(viewerOf(principal), {
      page,
      pageSize,
      stream,
      words,
    });
    return { items: items.map(bookmarkView), total };
  }

  /** @throws Fault NotFound, Forbidden, ValidationError at `endTime` */
  async add(principal: Principal, body: BookmarkToAdd, note: AuditNote): Promise<Bookmark> {
    const { store, clock } = this.#options;
    note.target = body.stream;
    const { stream } = await requireStream(store.streamList, principal, body.stream, 'archive');
    requireOrder(body.startTime, body.endTime, 'endTime');
    const id = await store.bookmarks.add({
      streamId: stream.id,
      userId: principal.user.id,
      startMs: body.startTime,
      endMs: body.endTime,
      note: body.note,
      createdMs: clock.wallMs(),
    });
    return bookmarkView(await this.#require(principal, id));
  }

  /** @throws Fault NotFound, Forbidden, ValidationError at the field */
  async save(principal: Principal, id: number, body: BookmarkToSave, note: AuditNote): Promise<Bookmark> {
    const { bookmarks } = this.#options.store;
    const old = await this.#require(principal, id);
    requireBookmarkOwner(principal, old);
    requireUnchanged(body, bookmarkView(old), ['id', 'stream', 'streamName', 'createdBy', 'createdAt']);
    const changes: BookmarkChanges = {};
    if (body.startTime !== undefined) changes.startMs = body.startTime;
    if (body.endTime !== undefined) changes.endMs = body.endTime;
    if (body.note !== undefined) changes.note = body.note;
    const end = changes.endMs === undefined ? old.endMs : changes.endMs;
    requireOrder(changes.startMs ?? old.startMs, end, 'endTime');
    if (Object.keys(changes).length > 0) await bookmarks.save(old.id, changes);
    const saved = bookmarkView(await this.#require(principal, old.id));
    note.targetName = saved.streamName;
    note.details = { changes: changesBetween(bookmarkView(old), saved) };
    return saved;
  }

  /** @throws Fault NotFound, Forbidden */
  async remove(principal: Principal, id: number, note: AuditNote): Promise<void> {
    const bookmark = await this.#require(principal, id);
    const { streamName, note: text } = bookmarkView(bookmark);
    note.targetName = streamName;
    note.details = { note: text };
    requireBookmarkOwner(principal, bookmark);
    await this.#options.store.bookmarks.remove(bookmark.id);
  }

  /** A bookmark whose stream's archive the caller may watch. @throws Fault NotFound, Forbidden */
  async #require(principal: Principal, id: number): Promise<BookmarkRecord> {
    const { bookmarks, streamList } = this.#options.store;
    const bookmark = await bookmarks.byId(id);
    if (!bookmark) {
      if (principal.isAdmin) throw new Fault('NotFound', 'There is no such bookmark.');
      throw new Fault('Forbidden', 'The bookmark may not be seen.');
    }
    await requireStream(streamList, principal, bookmark.uid, 'archive');
    return bookmark;
  }
}

function requireOrder(startMs: number, endMs: number | null, path: string): void {
  if (endMs === null || endMs >= startMs) return;
  throw fieldFault('ValidationError', path, 'The end is before the start.');
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
