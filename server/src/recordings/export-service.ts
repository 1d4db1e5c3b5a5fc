import type { z } from 'zod';
import type { Calls } from '@vidette/contract/calls';
import { digestSpanMaxDays, planOf } from '@vidette/contract/digest-plan';
import type { Export } from '@vidette/contract/entities';
import { requireExportOwner } from '../access/export-policy.ts';
import type { Principal } from '../access/principal.ts';
import { requireStream } from '../access/stream-policy.ts';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { requireKnownZone } from '../base/known-zone.ts';
import type { JournalService } from '../events/journal-service.ts';
import type { Exports, ReadyPackage } from '../export/exports.ts';
import type { ExportRecord } from '../store/exports.ts';
import type { Store } from '../store/store.ts';
import type { LiveSessions } from '../streams/live-sessions.ts';
import type { AuditNote } from '../system/audit-event.ts';
import { digestEntries } from './digest-entries.ts';
import { watchedBody } from './watched-body.ts';

type ExportToAdd = z.output<Calls['addExport']['body']>;
type DigestToAdd = z.output<Calls['addDigestExport']['body']>;

const digestSpanMaxMs = digestSpanMaxDays * 86_400_000;

/** A package as its owner downloads it. */
export interface ExportPackage extends ReadyPackage {
  readonly kind: Export['kind'];
  readonly name: string;
  /** Start and end of the span, ms since the epoch. */
  readonly startMs: number;
}

export interface ExportServiceOptions {
  readonly store: Pick<Store, 'exports' | 'streamList'>;
  readonly exports: Exports;
  readonly liveSessions: Pick<LiveSessions, 'addShort'>;
  readonly clock: Pick<Clock, 'wallMs'>;
}

/** Packages of footage: requested, tracked, downloaded and removed by their owner. */
export class ExportService {
  readonly #options: ExportServiceOptions;
  readonly #journal: Pick<JournalService, 'page'>;

  constructor(options: ExportServiceOptions, journal: Pick<JournalService, 'page'>) {
    this.#options = options;
    this.#journal = journal;
  }

  /** The caller's own exports, newest first. */
  async list(
    principal: Principal,
    query: { page: number; pageSize: number },
  ): Promise<{ items: Export[]; total: number }> {
    const { store, exports } = this.#options;
    const { items, total } = await store.exports.list(principal.user.id, query);
    return { items: await Promise.all(items.map((record) => exports.view(record))), total };
  }

  /** @throws Fault NotFound, Forbidden, TimeRangeIsTooLong, QuotaReached */
  async add(principal: Principal, body: ExportToAdd, note: AuditNote): Promise<Export> {
    const { store, exports } = this.#options;
    const { startTime, endTime, name } = body;
    const uids = [...new Set(body.streams)];
    note.target = uids.join(' ');
    note.details = { startTime, endTime };
    const streams = [];
    for (const uid of uids) {
      const { stream } = await requireStream(store.streamList, principal, uid, 'archive');
      streams.push({ uid, name: stream.name });
    }
    note.targetName = exportName({ name, streams });
    return exports.add({ userId: principal.user.id, streams, startMs: startTime, endMs: endTime, name });
  }

  /**
   * A digest of what the caller's journal has, by the same plan as in the player.
   * @throws Fault NotFound, Forbidden, TimeRangeIsTooLong, QuotaReached, Unavailable without FFmpeg
   */
  async addDigest(principal: Principal, body: DigestToAdd, note: AuditNote): Promise<Export> {
    const { store, exports, clock } = this.#options;
    const { startTime, endTime, name, timeZone, language } = body;
    const uids = [...new Set(body.streams)];
    note.target = uids.join(' ');
    note.details = { startTime, endTime };
    if (endTime - startTime > digestSpanMaxMs)
      throw new Fault('TimeRangeIsTooLong', `A digest can't have more than ${digestSpanMaxDays} days.`);
    requireKnownZone(timeZone, 'timeZone');
    for (const uid of uids) await requireStream(store.streamList, principal, uid, 'archive');
    const span = { fromMs: startTime, toMs: endTime };
    const entries = await digestEntries(this.#journal, principal, { ...span, streams: uids, tag: body.tag });
    const plan = planOf(entries, { ...span, nowMs: clock.wallMs() });
    const names = new Map(plan.parts.map((part) => [part.uid, part.name]));
    if (names.size === 0) throw new Fault('NotFound', 'Nothing happened in this time.');
    const streams = [...names].map(([uid, streamName]) => ({ uid, name: streamName }));
    note.target = streams.map(({ uid }) => uid).join(' ');
    note.targetName = exportName({ name, streams });
    const places = new Map(streams.map(({ uid }, place) => [uid, place]));
    const { speed, lengthMs } = plan;
    const parts = plan.parts.map(
      ({ type, uid, fromMs, toMs }) =>
        [type, places.get(uid) ?? 0, Math.floor(fromMs), Math.ceil(toMs)] as const,
    );
    return exports.addDigest(
      { userId: principal.user.id, streams, startMs: startTime, endMs: endTime, name },
      { speed, lengthMs, timeZone, language, parts },
    );
  }

  /** @throws Fault NotFound */
  async get(principal: Principal, id: number): Promise<Export> {
    return this.#options.exports.view(await this.#own(principal, id));
  }

  /** @throws Fault NotFound, ActionNotAcceptable unless the export failed */
  async retry(principal: Principal, id: number, note: AuditNote): Promise<Export> {
    note.target = String(id);
    const record = await this.#own(principal, id);
    note.targetName = exportName(record);
    return this.#options.exports.retry(record);
  }

  /** Cancels the export, or deletes its package. @throws Fault NotFound */
  async remove(principal: Principal, id: number, note: AuditNote): Promise<void> {
    note.target = String(id);
    const record = await this.#own(principal, id);
    note.targetName = exportName(record);
    await this.#options.exports.remove(record);
  }

  /**
   * The package of an export whose streams' archive the caller may still watch; the download ends when they lose
   * that right on any of them.
   * @throws Fault NotFound, Forbidden, ActionNotAcceptable while it isn't ready, Unavailable
   */
  async package(principal: Principal, id: number, note: AuditNote): Promise<ExportPackage> {
    const { store, exports, liveSessions } = this.#options;
    const record = await this.#own(principal, id);
    const uids = record.streams.map(({ uid }) => uid);
    note.target = String(record.id);
    note.targetName = exportName(record);
    note.details = { streams: uids };
    for (const uid of uids) await requireStream(store.streamList, principal, uid, 'archive');
    const found = await exports.package(record);
    return {
      kind: record.digest ? 'digest' : 'package',
      name: record.name || `export ${record.id}`,
      startMs: record.startMs,
      bytes: found.bytes,
      stream: async (start, end) =>
        watchedBody(liveSessions, principal, uids, await found.stream(start, end)),
    };
  }

  async #own(principal: Principal, id: number): Promise<ExportRecord> {
    return requireExportOwner(principal, await this.#options.store.exports.byId(id));
  }
}

/** What the audit log calls an export: by its name, or by its streams. */
function exportName({ name, streams }: Pick<ExportRecord, 'name' | 'streams'>): string {
  return name || streams.map((stream) => stream.name).join(', ');
}
