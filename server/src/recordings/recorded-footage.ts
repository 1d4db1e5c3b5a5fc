import type { Readable } from 'node:stream';
import type { Sample } from '@vidette/media/sample';
import type { VideoTrack } from '@vidette/media/track';
import type { Principal } from '../access/principal.ts';
import type { ArchiveReader, Download, SegmentBytes, WantedBytes } from '../archive/read/read.ts';
import type { LoadLevel } from '../base/load-level.ts';
import { requireKnownZone } from '../base/known-zone.ts';
import type { LiveSessions } from '../streams/live-sessions.ts';
import { transcodingViewer } from '../streams/transcoding-viewer.ts';
import type { WatchLog } from '../system/watch-log.ts';
import type { Transcoding } from '../transcoding/transcoding.ts';
import { begunBody } from './begun-body.ts';
import { watchedBody } from './watched-body.ts';

/** Who watches footage of which stream; permission has been checked. */
export interface FootageViewer {
  readonly principal: Principal;
  readonly uid: string;
  readonly ip: string;
}

/** A still, encoded unless the caller has it already. */
export interface Still {
  /** Of the frame, ms since the epoch. */
  readonly timeMs: number;
  /** Undefined: the caller's copy is still valid. */
  readonly jpeg: Uint8Array | undefined;
}

export interface RecordedFootageOptions {
  /** Of all nodes. */
  readonly archiveReader: ArchiveReader;
  readonly transcoding: Pick<Transcoding, 'gop'>;
  readonly watchLog: Pick<WatchLog, 'touch'>;
  readonly liveSessions: Pick<LiveSessions, 'addShort'>;
  readonly load: Pick<LoadLevel, 'requireRoom'>;
  /** Decodes one key frame to a JPEG. */
  readonly renderSnapshot: (track: VideoTrack, keySample: Sample, maxWidth: number) => Promise<Uint8Array>;
}

/**
 * The archive as its users watch it: which times are recorded, how much, and the footage itself. Reading
 * footage is recorded as watching, and ends when the right to it ends [R4.4].
 */
export class RecordedFootage {
  readonly #options: RecordedFootageOptions;

  constructor(options: RecordedFootageOptions) {
    this.#options = options;
  }

  /**
   * The ranges between two times, and the period of all footage; null: there is none.
   * @param resolutionSeconds shorter gaps don't count, and the span may be longer
   * @throws Fault TimeRangeIsTooLong
   */
  async ranges(uid: string, startMs: number, endMs: number, resolutionSeconds?: number) {
    const { archiveReader } = this.#options;
    const [period, ranges] = await Promise.all([
      archiveReader.period(uid),
      resolutionSeconds === undefined
        ? archiveReader.ranges(uid, startMs, endMs)
        : archiveReader.coarseRanges(uid, startMs, endMs, resolutionSeconds),
    ]);
    return { period: period ?? null, ...ranges };
  }

  /** How much is recorded, and which nodes did not respond. */
  async stats(uid: string) {
    const { withoutNodes, ...stats } = await this.#options.archiveReader.stats(uid);
    return { ...stats, ...(withoutNodes && { withoutNodes: [...withoutNodes] }) };
  }

  /**
   * The days with footage between two times, and the share of each that is recorded, 0 to 1.
   * @param zone a name, or minutes to add to UTC
   * @throws Fault ValidationError at `time_zone` for a name that this machine does not know
   */
  async days(uid: string, startMs: number, endMs: number, zone: string | number) {
    if (typeof zone === 'string') requireKnownZone(zone, 'time_zone');
    const days = await this.#options.archiveReader.recordedDays(uid, startMs, endMs, zone);
    return {
      days: days.map(({ day }) => day),
      shares: days.map(({ recordedMs, spanMs }) => Math.round((recordedMs / spanMs) * 1e5) / 1e5),
    };
  }

  /** What a span contains, shown before a download. */
  async extent(uid: string, startMs: number, endMs: number) {
    const { bytes, gaps, ...extent } = await this.#options.archiveReader.extent(uid, startMs, endMs);
    return { ...extent, bytes, gaps: [...gaps] };
  }

  /** What a lower archive depth would delete; without hours, what the pending lower depth will delete. */
  async loss(uid: string, depthHours: number | undefined) {
    const { withoutNodes, ...loss } = await this.#options.archiveReader.loss(uid, depthHours);
    return { ...loss, ...(withoutNodes && { withoutNodes: [...withoutNodes] }) };
  }

  /** An HLS playlist. @throws Fault TimeRangeIsTooLong, NotFound */
  async playlist(uid: string, startMs: number, endMs: number, entryMs: number): Promise<string> {
    return this.#options.archiveReader.playlist(uid, startMs, endMs, entryMs);
  }

  /** A segment by its name in the playlist. @throws Fault NotFound, Unavailable */
  async segment(viewer: FootageViewer, name: string, wanted?: WantedBytes): Promise<SegmentBytes> {
    const bytes = await this.#options.archiveReader.openSegment(viewer.uid, name, wanted);
    this.#noteWatched('watchArchive', viewer);
    return {
      size: bytes.size,
      isGrowing: bytes.isGrowing,
      stream: async (start, end) => this.#watched(viewer, await bytes.stream(start, end)),
      close: () => bytes.close(),
    };
  }

  /**
   * A span as one file, whose first bytes have already been read. @throws Fault TimeRangeIsTooLong, NotFound,
   * Unavailable
   */
  async download(
    viewer: FootageViewer,
    startMs: number,
    endMs: number,
  ): Promise<{ readonly facts: Omit<Download, 'stream'>; readonly body: Readable }> {
    const download = await this.#options.archiveReader.download(viewer.uid, startMs, endMs);
    return { facts: download, body: this.#watched(viewer, await begunBody(download.stream())) };
  }

  /**
   * Finds the group of pictures at a time, for a viewer who already has it transcoded. @throws Fault NotFound
   */
  async requireGop(viewer: FootageViewer, timeMs: number): Promise<void> {
    await this.#options.archiveReader.gopAt(viewer.uid, timeMs);
    this.#noteWatched('watchArchive', viewer);
  }

  /** The group of pictures at a time, transcoded. @throws Fault NotFound, ActionNotAcceptable, QuotaReached, ServerOverloaded */
  async transcodedGop(viewer: FootageViewer, timeMs: number, signal: AbortSignal): Promise<Uint8Array> {
    const { archiveReader, transcoding } = this.#options;
    const { principal, uid } = viewer;
    const read = () => archiveReader.gopAt(uid, timeMs);
    const gop = await transcoding.gop(transcodingViewer(principal, uid), read, signal);
    this.#noteWatched('watchArchive', viewer);
    return gop;
  }

  /**
   * The frame at or before a time. `isHeld` says whether the caller has the still of the frame at that time: one
   * that the browser shows from its cache counts as viewed, too.
   * @param width of the JPEG at most, pixels
   * @throws Fault NotFound, ServerOverloaded
   */
  async still(
    viewer: FootageViewer,
    timeMs: number,
    width: number,
    isHeld: (frameMs: number) => boolean,
  ): Promise<Still> {
    const { archiveReader, renderSnapshot, load } = this.#options;
    load.requireRoom('thumbnails');
    const frame = await archiveReader.frameAt(viewer.uid, timeMs);
    const jpeg = isHeld(frame.timeMs) ? undefined : await renderSnapshot(frame.track, frame.keySample, width);
    this.#noteWatched('watchStills', viewer);
    return { timeMs: frame.timeMs, jpeg };
  }

  #watched({ principal, uid }: FootageViewer, body: Readable): Readable {
    return watchedBody(this.#options.liveSessions, principal, [uid], body);
  }

  #noteWatched(mode: 'watchArchive' | 'watchStills', { principal, uid, ip }: FootageViewer): void {
    this.#options.watchLog.touch({ mode, uid, login: principal.user.login, ip });
  }
}
