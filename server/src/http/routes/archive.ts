import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { SegmentBytes } from '../../archive/read/read.ts';
import { begunBody } from '../begun-body.ts';
import { parseByteRange } from '../byte-range.ts';
import type { CallContext, MediaAnswer } from '../call-context.ts';
import { dispositionOf } from '../disposition.ts';
import { requireKnownZone } from '../../base/known-zone.ts';
import type { Registrar } from '../registrar.ts';
import type { ArchiveReader } from '../../archive/read/read.ts';
import type { Transcoding } from '../../transcoding/transcoding.ts';
import type { WatchLog } from '../../system/watch-log.ts';
import type { LiveSessions } from '../../streams/live-sessions.ts';
import type { VideoTrack } from '@vidette/media/track';
import type { Sample } from '@vidette/media/sample';
import { transcodingViewer } from '../../streams/transcoding-viewer.ts';
import { watchedBody } from '../../streams/watched-body.ts';

/** What the archive needs. */
export interface ArchiveServices {
  /** Of all nodes. */
  readonly archiveReader: ArchiveReader;
  readonly transcoding: Pick<Transcoding, 'gop'>;
  readonly watchLog: Pick<WatchLog, 'touch'>;
  readonly liveSessions: Pick<LiveSessions, 'addShort'>;
  /** One coded key frame as a JPEG, for the archive's stills. */
  readonly renderSnapshot: (track: VideoTrack, keySample: Sample, maxWidth: number) => Promise<Uint8Array>;
}

const playlistType = 'application/vnd.apple.mpegurl';

/** The archive: which times are recorded, how much, and the footage itself. */
export function registerArchive(registrar: Registrar, services: ArchiveServices): void {
  const { archiveReader, transcoding, renderSnapshot, watchLog, liveSessions } = services;

  const noteWatched = (
    mode: 'watchArchive' | 'watchStills',
    { principal, stream, ip }: Pick<CallContext<'getArchiveSegment'>, 'principal' | 'stream' | 'ip'>,
  ) => watchLog.touch({ mode, uid: stream.stream.uid, login: principal.user.login, ip });

  registrar.handle('getArchiveRanges', async ({ stream, query }) => {
    const { uid } = stream.stream;
    const [period, ranges] = await Promise.all([
      archiveReader.period(uid),
      archiveReader.ranges(uid, query.start_time, query.end_time),
    ]);
    return { period: period ?? null, ...ranges };
  });

  registrar.handle('getArchiveStats', async ({ stream }) => {
    const { withoutNodes, ...stats } = await archiveReader.stats(stream.stream.uid);
    return { ...stats, ...(withoutNodes && { withoutNodes: [...withoutNodes] }) };
  });

  registrar.handle('getArchiveDays', async ({ stream, query }) => {
    const { start_time: startMs, end_time: endMs, timezone_offset: offset, time_zone: zone } = query;
    if (zone !== undefined) requireKnownZone(zone, 'time_zone');
    const days = await archiveReader.recordedDays(stream.stream.uid, startMs, endMs, zone ?? offset);
    return {
      days: days.map(({ day }) => day),
      shares: days.map(({ recordedMs, spanMs }) => Math.round((recordedMs / spanMs) * 1e5) / 1e5),
    };
  });

  registrar.handle('getArchivePlaylist', async ({ stream, query }) => {
    const { start_time: startMs, end_time: endMs, entry_seconds: entrySeconds } = query;
    const body = await archiveReader.playlist(stream.stream.uid, startMs, endMs, entrySeconds * 1000);
    return { contentType: playlistType, body };
  });

  registrar.handle('getArchiveSegment', async ({ stream, principal, params, request, ip }) => {
    const { uid } = stream.stream;
    const name = params.file.replace(/\.mp4$/, '');
    const bytes = await archiveReader.openSegment(uid, name);
    noteWatched('watchArchive', { principal, stream, ip });
    const answer = await segmentAnswer(bytes, `"${name}-${bytes.size}"`, request.headers);
    if (answer.body instanceof Readable) watchedBody(liveSessions, principal, [uid], answer.body);
    return answer;
  });

  registrar.handle('getArchiveExtent', async ({ stream, query }) => {
    const { bytes, gaps, ...extent } = await archiveReader.extent(
      stream.stream.uid,
      query.start_time,
      query.end_time,
    );
    return { ...extent, bytes, gaps: [...gaps] };
  });

  registrar.handle('getArchiveLoss', async ({ stream, query }) => {
    const { withoutNodes, ...loss } = await archiveReader.loss(stream.stream.uid, query.depth_hours);
    return { ...loss, ...(withoutNodes && { withoutNodes: [...withoutNodes] }) };
  });

  registrar.handle('downloadArchive', async ({ stream, principal, query, audit }) => {
    audit.details = { ...query };
    const { uid, name } = stream.stream;
    const download = await archiveReader.download(uid, query.start_time, query.end_time);
    const body = await begunBody(download.stream());
    return {
      contentType: 'video/mp4',
      body: watchedBody(liveSessions, principal, [uid], body),
      headers: {
        'content-length': String(download.contentLength),
        'content-disposition': dispositionOf(name, query.start_time, query.timezone_offset, 'mp4'),
        'x-archive-start': String(download.startMs),
        'x-archive-end': String(download.endMs),
        'x-archive-duration': String(download.durationMs),
        'x-archive-exact': download.exact,
        'x-archive-stops-at-change': String(download.stopsAtChange),
      },
    };
  });

  registrar.handle('getArchiveConverted', async ({ stream, principal, query, signal, ip, request }) => {
    const { uid } = stream.stream;
    const read = () => archiveReader.gopAt(uid, query.time);
    const headers = validatedBy(`"gop-${query.time}"`);
    const contentType = 'video/mp4';
    if (isHeld(request.headers, headers.etag)) {
      await read();
      noteWatched('watchArchive', { principal, stream, ip });
      return { contentType, status: 304, headers, body: '' };
    }
    const body = await transcoding.gop(transcodingViewer(principal, uid), read, signal);
    noteWatched('watchArchive', { principal, stream, ip });
    return { contentType, body, headers };
  });

  registrar.handle('getArchivePicture', async ({ stream, principal, query, ip, request }) => {
    const frame = await archiveReader.frameAt(stream.stream.uid, query.time);
    const headers = {
      ...validatedBy(`"still-${frame.timeMs}-${query.width}"`),
      'x-picture-time': String(frame.timeMs),
    };
    const contentType = 'image/jpeg';
    const isCached = isHeld(request.headers, headers.etag);
    const body = isCached ? '' : await renderSnapshot(frame.track, frame.keySample, query.width);
    // A still that the browser shows from its cache counts as viewed, too.
    noteWatched('watchStills', { principal, stream, ip });
    return { contentType, ...(isCached && { status: 304 }), body, headers };
  });
}

/**
 * A browser may cache footage, and revalidates before each use (RFC 9111, 5.2.2.4): the next user of the
 * browser may be another person, and rights may be revoked.
 */
function validatedBy(etag: string): { readonly etag: string; readonly 'cache-control': string } {
  return { etag, 'cache-control': 'private, no-cache' };
}

/** Whether the caller has what the tag names (RFC 9110, 13.1.2). */
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
  // A range of a file that has changed is answered whole (RFC 9110, 13.1.5).
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
