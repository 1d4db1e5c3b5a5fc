import type { IncomingHttpHeaders } from 'node:http';
import type { SegmentBytes } from '../../archive/read/read.ts';
import type { ChangeSearches } from '../../recordings/change-searches.ts';
import type { FootageViewer, RecordedFootage } from '../../recordings/recorded-footage.ts';
import { parseByteRange } from '../byte-range.ts';
import type { CallContext, MediaAnswer } from '../call-context.ts';
import { dispositionOf } from '../disposition.ts';
import type { Registrar } from '../registrar.ts';

/** The dependencies of the archive calls. */
export interface ArchiveServices {
  readonly footage: RecordedFootage;
  readonly changeSearches: Pick<ChangeSearches, 'search'>;
}

const playlistType = 'application/vnd.apple.mpegurl';

/** The archive: which times are recorded, how much, and the footage itself. */
export function registerArchive(registrar: Registrar, { footage, changeSearches }: ArchiveServices): void {
  registerFigures(registrar, footage);
  registerFootage(registrar, footage);
  registerStills(registrar, footage);
  registrar.handle('searchArchiveChanges', async (context) => {
    const { start_time: startMs, end_time: endMs, ...region } = context.query;
    const part = { startMs, endMs, region };
    const body = await changeSearches.search(viewerIn(context), part, context.signal);
    // A proxy must pass each line on as it comes.
    const headers = { 'cache-control': 'no-store', 'x-accel-buffering': 'no' };
    return { contentType: 'application/x-ndjson', body, headers };
  });
}

/** Which times are recorded, and how much. */
function registerFigures(registrar: Registrar, footage: RecordedFootage): void {
  registrar.handle('getArchiveRanges', ({ stream, query }) =>
    footage.ranges(stream.stream.uid, query.start_time, query.end_time, query.resolution_seconds),
  );

  registrar.handle('getArchiveStats', ({ stream }) => footage.stats(stream.stream.uid));

  registrar.handle('getArchiveDays', ({ stream, query }) => {
    const { start_time: startMs, end_time: endMs, timezone_offset: offset, time_zone: zone } = query;
    return footage.days(stream.stream.uid, startMs, endMs, zone ?? offset);
  });

  registrar.handle('getArchiveExtent', ({ stream, query }) =>
    footage.extent(stream.stream.uid, query.start_time, query.end_time),
  );

  registrar.handle('getArchiveLoss', ({ stream, query }) =>
    footage.loss(stream.stream.uid, query.depth_hours),
  );
}

/** The recorded bytes: playlists, segments and downloads. */
function registerFootage(registrar: Registrar, footage: RecordedFootage): void {
  registrar.handle('getArchivePlaylist', async ({ stream, query }) => {
    const { start_time: startMs, end_time: endMs, entry_seconds: entrySeconds } = query;
    const body = await footage.playlist(stream.stream.uid, startMs, endMs, entrySeconds * 1000);
    return { contentType: playlistType, body };
  });

  registrar.handle('getArchiveSegment', async (context) => {
    const name = context.params.file.replace(/\.mp4$/, '');
    const { headers } = context.request;
    const bytes = await footage.segment(viewerIn(context), name, (size) => {
      // With `if-range` it may be the whole file.
      const range = headers['if-range'] === undefined && parseByteRange(headers.range, size);
      return typeof range === 'object' ? range : undefined;
    });
    return segmentAnswer(bytes, `"${name}-${bytes.size}"`, headers);
  });

  registrar.handle('downloadArchive', async (context) => {
    const { stream, query } = context;
    const { facts, body } = await footage.download(viewerIn(context), query.start_time, query.end_time);
    return {
      contentType: 'video/mp4',
      body,
      headers: {
        'content-length': String(facts.contentLength),
        'content-disposition': dispositionOf(
          stream.stream.name,
          query.start_time,
          query.timezone_offset,
          'mp4',
        ),
        'x-archive-start': String(facts.startMs),
        'x-archive-end': String(facts.endMs),
        'x-archive-duration': String(facts.durationMs),
        'x-archive-exact': facts.exact,
        'x-archive-stops-at-change': String(facts.stopsAtChange),
      },
    };
  });
}

/** What is encoded for its reader: single frames, and video that their browser can't decode. */
function registerStills(registrar: Registrar, footage: RecordedFootage): void {
  registrar.handle('getArchiveConverted', async (context) => {
    const { query, signal, request } = context;
    const headers = validatedBy(`"gop-${query.time}"`);
    const contentType = 'video/mp4';
    if (isHeld(request.headers, headers.etag)) {
      await footage.requireGop(viewerIn(context), query.time);
      return { contentType, status: 304, headers, body: '' };
    }
    return { contentType, headers, body: await footage.transcodedGop(viewerIn(context), query.time, signal) };
  });

  registrar.handle('getArchivePicture', async (context) => {
    const { query, request } = context;
    const etagOf = (timeMs: number) => `"still-${timeMs}-${query.width}"`;
    const { timeMs, jpeg } = await footage.still(viewerIn(context), query.time, query.width, (frameMs) =>
      isHeld(request.headers, etagOf(frameMs)),
    );
    return {
      contentType: 'image/jpeg',
      ...(!jpeg && { status: 304 }),
      body: jpeg ?? '',
      headers: { ...validatedBy(etagOf(timeMs)), 'x-picture-time': String(timeMs) },
    };
  });
}

function viewerIn({
  principal,
  stream,
  ip,
}: Pick<CallContext<'getArchiveSegment'>, 'principal' | 'stream' | 'ip'>): FootageViewer {
  return { principal, uid: stream.stream.uid, ip };
}

/**
 * A browser may cache footage, and revalidates before each use (RFC 9111, 5.2.2.4): the next person at the
 * browser may be another user, and rights may be revoked.
 */
function validatedBy(etag: string): { readonly etag: string; readonly 'cache-control': string } {
  return { etag, 'cache-control': 'private, no-cache' };
}

/** Whether the caller has the content that the tag identifies (RFC 9110, 13.1.2). */
function isHeld(headers: IncomingHttpHeaders, etag: string): boolean {
  return (headers['if-none-match'] ?? '').split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}

/** A segment's file, whole or one range of it (RFC 9110, 14). */
async function segmentAnswer(
  bytes: SegmentBytes,
  etag: string,
  requested: IncomingHttpHeaders,
): Promise<MediaAnswer> {
  const contentType = 'video/mp4';
  // Written bytes never change; a growing file is only longer next time.
  const caching = bytes.isGrowing ? { 'cache-control': 'no-store' } : validatedBy(etag);
  const headers = { 'accept-ranges': 'bytes', ...caching };
  if (!bytes.isGrowing && isHeld(requested, etag)) {
    await bytes.close();
    return { contentType, status: 304, headers, body: '' };
  }
  // If the file has changed, the answer to a range request is the whole file (RFC 9110, 13.1.5).
  const ifRange = requested['if-range'];
  const isSame = ifRange === undefined || (!bytes.isGrowing && ifRange === etag);
  const range = parseByteRange(isSame ? requested.range : undefined, bytes.size);
  if (range === 'unsatisfiable' || bytes.size === 0) {
    await bytes.close();
    return { contentType, status: 416, headers: { 'content-range': `bytes */${bytes.size}` }, body: '' };
  }
  const { start, end } = range ?? { start: 0, end: bytes.size - 1 };
  return {
    contentType,
    status: range ? 206 : 200,
    headers: {
      ...headers,
      'content-length': String(end - start + 1),
      ...(range ? { 'content-range': `bytes ${start}-${end}/${bytes.size}` } : {}),
    },
    body: await bytes.stream(start, end),
  };
}
