import type { Principal } from '../../access/principal.ts';
import { requireExportOwner } from '../../access/export-policy.ts';
import type { Exports } from '../../export/exports.ts';
import type { ExportRecord } from '../../store/exports.ts';
import { parseByteRange } from '../byte-range.ts';
import type { MediaAnswer } from '../call-context.ts';
import { dispositionOf } from '../disposition.ts';
import type { Registrar } from '../registrar.ts';
import type { Store } from '../../store/store.ts';
import type { LiveSessions } from '../../streams/live-sessions.ts';
import { requireStream } from '../../access/stream-policy.ts';
import { watchedBody } from '../../streams/watched-body.ts';

/** What exports need. */
export interface ExportServices {
  readonly store: Pick<Store, 'exports' | 'streamList'>;
  readonly exports: Exports;
  readonly liveSessions: Pick<LiveSessions, 'addShort'>;
}

/** Packages of footage: requested, tracked, downloaded, removed. */
export function registerExports(registrar: Registrar, services: ExportServices): void {
  const { exports, store, liveSessions } = services;

  const own = async (principal: Principal, id: number): Promise<ExportRecord> =>
    requireExportOwner(principal, await store.exports.byId(id));

  registrar.handle('listExports', async ({ principal, query }) => {
    const { items, total } = await store.exports.list(principal.user.id, query);
    return { items: await Promise.all(items.map((record) => exports.view(record))), total, ...query };
  });

  registrar.handle('addExport', async ({ principal, body, audit }) => {
    const { startTime, endTime, name } = body;
    const uids = [...new Set(body.streams)];
    audit.target = uids.join(' ');
    audit.details = { startTime, endTime };
    const streams = [];
    for (const uid of uids) {
      const { stream } = await requireStream(store.streamList, principal, uid, 'archive');
      streams.push({ uid, name: stream.name });
    }
    return exports.add({ userId: principal.user.id, streams, startMs: startTime, endMs: endTime, name });
  });

  registrar.handle('getExport', async ({ principal, params }) =>
    exports.view(await own(principal, params.id)),
  );

  registrar.handle('retryExport', async ({ principal, params, audit }) => {
    audit.target = String(params.id);
    return exports.retry(await own(principal, params.id));
  });

  registrar.handle('deleteExport', async ({ principal, params, audit }) => {
    audit.target = String(params.id);
    await exports.remove(await own(principal, params.id));
    return {};
  });

  registrar.handle('downloadExport', async ({ principal, params, request, audit }): Promise<MediaAnswer> => {
    const record = await own(principal, params.id);
    const uids = record.streams.map(({ uid }) => uid);
    audit.target = String(record.id);
    audit.details = { streams: uids };
    for (const uid of uids) await requireStream(store.streamList, principal, uid, 'archive');
    const found = await exports.package(record);
    const { bytes } = found;
    const contentType = 'application/zip';
    const range = parseByteRange(request.headers.range, bytes);
    if (range === 'unsatisfiable') {
      return { contentType, status: 416, headers: { 'content-range': `bytes */${bytes}` }, body: '' };
    }
    const { start, end } = range ?? { start: 0, end: bytes - 1 };
    return {
      contentType,
      status: range ? 206 : 200,
      headers: {
        'accept-ranges': 'bytes',
        'content-length': String(end - start + 1),
        'content-disposition': dispositionOf(record.name || `export ${record.id}`, record.startMs, 0, 'zip'),
        ...(range ? { 'content-range': `bytes ${start}-${end}/${bytes}` } : {}),
      },
      body: watchedBody(liveSessions, principal, uids, await found.stream(start, end)),
    };
  });
}
