import { Readable } from 'node:stream';
import { changeSearch, type ChangeLine } from '@vidette/contract/archive-changes';
import type { ArchiveReader } from '../archive/read/read.ts';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { LoadLevel } from '../base/load-level.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config/schema.ts';
import type { FfmpegPool } from '../ffmpeg/pool.ts';
import type { FrameRegion } from '../ffmpeg/protocol.ts';
import { ThumbnailReader } from '../ffmpeg/thumbnail-reader.ts';
import type { LiveSessions } from '../streams/live-sessions.ts';
import type { WatchLog } from '../system/watch-log.ts';
import { changeOf } from './frame-change.ts';
import { huntChanges } from './change-hunt.ts';
import type { FootageViewer } from './recorded-footage.ts';
import { recordedSpans, type RecordedSpan } from './recorded-spans.ts';
import { SearchedFrames, SearchLimit, untilAborted } from './searched-frames.ts';

export interface ChangeSearchesOptions {
  /** Of all nodes. */
  readonly archiveReader: ArchiveReader;
  readonly pool: Pick<FfmpegPool, 'open'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly load: Pick<LoadLevel, 'requireRoom'>;
  readonly config: Pick<Config, 'archive'>;
  readonly liveSessions: Pick<LiveSessions, 'addShort'>;
  readonly watchLog: Pick<WatchLog, 'touch'>;
}

/** What is searched: a part of the frame, in a span of time. */
export interface SearchedPart {
  readonly startMs: number;
  readonly endMs: number;
  readonly region: FrameRegion;
}

interface Running {
  readonly userId: number;
  readonly abort: AbortController;
}

const dayMs = 86_400_000;
const retryAfterSeconds = 5;

/**
 * Searches for the moment at which a part of the frame changed. Frames are decoded in a child process of the search; each
 * user has one search, and the server few. A search ends with its caller, with the right to the footage [R4.4], and at
 * limits of frames and time.
 */
export class ChangeSearches {
  readonly #options: ChangeSearchesOptions;
  readonly #running = new Set<Running>();

  constructor(options: ChangeSearchesOptions) {
    this.#options = options;
  }

  /**
   * Begins a search; the lines of the body tell its results as they are found.
   * @param signal aborted when the caller leaves
   * @throws Fault TimeRangeIsTooLong, NotFound if nothing is recorded, TooManyRequests, ServerOverloaded, Unavailable if the search ends before
   * it is known what is recorded
   */
  async search(viewer: FootageViewer, part: SearchedPart, signal: AbortSignal): Promise<Readable> {
    const { clock, load, liveSessions } = this.#options;
    if (part.endMs - part.startMs > changeSearch.spanMaxDays * dayMs)
      throw new Fault('TimeRangeIsTooLong', `At most ${changeSearch.spanMaxDays} days can be searched.`);
    load.requireRoom('thumbnails');
    const running = this.#begin(viewer);
    const { abort } = running;
    const leave = () => abort.abort(gone());
    const ends: (() => void)[] = [() => this.#running.delete(running)];
    const end = () => {
      for (const one of ends.splice(0)) one();
    };
    try {
      const timeIsOver = () => abort.abort(new SearchLimit('time'));
      ends.push(clock.after(changeSearch.secondsMax * 1000, timeIsOver));
      signal.addEventListener('abort', leave, { once: true });
      ends.push(() => signal.removeEventListener('abort', leave));
      // They may have left while their right to the archive was read.
      if (signal.aborted) leave();
      ends.push(
        liveSessions.addShort({
          principal: viewer.principal,
          uid: viewer.uid,
          right: 'archive',
          end: (code) => abort.abort(new Fault(code, 'The right to the archive has ended.')),
        }),
      );
      const found = await untilAborted(this.#look(viewer.uid, part), abort.signal);
      // A caller who does not read doesn't keep the search: its lines are few.
      const body = new Readable({ read: () => {} });
      body.once('close', leave);
      const tell = (line: ChangeLine) => {
        if (!body.destroyed) body.push(`${JSON.stringify(line)}\n`);
      };
      void this.#run(viewer, part.region, found, abort.signal, tell).finally(() => {
        end();
        body.push(null);
      });
      return body;
    } catch (error) {
      end();
      if (!(error instanceof SearchLimit)) throw error;
      throw new Fault('Unavailable', 'The archive did not answer before the search ended.', { cause: error });
    }
  }

  /** Ends all searches. */
  close(): void {
    for (const { abort } of this.#running) abort.abort(new Fault('Unavailable', 'The server stops.'));
  }

  /** @throws Fault TooManyRequests */
  #begin({ principal }: FootageViewer): Running {
    const userId = principal.user.id;
    for (const other of this.#running) {
      if (other.userId !== userId) continue;
      other.abort.abort(new SearchLimit('replaced'));
      this.#running.delete(other);
    }
    if (this.#running.size >= changeSearch.atOnceMax) {
      const details = { retryAfterSeconds };
      throw new Fault('TooManyRequests', 'Other users are searching the archive.', { details });
    }
    const running = { userId, abort: new AbortController() };
    this.#running.add(running);
    return running;
  }

  /** What is recorded in the span, and which nodes did not say. @throws Fault NotFound */
  async #look(uid: string, { startMs, endMs }: SearchedPart) {
    const { archiveReader, config } = this.#options;
    const { startTime, endTime, withoutNodes = [] } = await archiveReader.stats(uid);
    const fromMs = Math.max(startMs, startTime ?? Infinity);
    const toMs = Math.min(endMs, endTime ?? -Infinity);
    const rangesMaxMs = config.archive.rangesMaxSeconds * 1000;
    const spans = await recordedSpans(archiveReader, uid, fromMs, toMs, rangesMaxMs);
    if (spans.length === 0) throw new Fault('NotFound', 'Nothing is recorded in this time.');
    return { spans, withoutNodes };
  }

  /** Never rejects. */
  async #run(
    viewer: FootageViewer,
    region: FrameRegion,
    { spans, withoutNodes }: { spans: readonly RecordedSpan[]; withoutNodes: readonly string[] },
    signal: AbortSignal,
    tell: (line: ChangeLine) => void,
  ): Promise<void> {
    const { archiveReader, pool, clock, log, load, watchLog } = this.#options;
    const { framesMax } = changeSearch;
    const { principal, uid, ip } = viewer;
    const thumbnails = new ThumbnailReader(pool, clock, region);
    const frames = new SearchedFrames({
      read: (atMs) => {
        watchLog.touch({ mode: 'watchStills', uid, login: principal.user.login, ip });
        return archiveReader.frameAt(uid, atMs);
      },
      thumbnails,
      framesMax,
      signal,
      requireRoom: () => load.requireRoom('thumbnails'),
    });
    const [startTime, endTime] = [spans[0]?.startMs ?? 0, spans.at(-1)?.endMs ?? 0];
    tell({ type: 'begin', startTime, endTime, withoutNodes });
    const finish = (reason: SearchLimit['reason'] | 'complete') =>
      tell({ type: 'end', reason, frames: frames.count, unreadable: frames.unreadable });
    try {
      await huntChanges({ frames, spans, changeOf: changeOf(region), framesMax, tell });
      finish('complete');
    } catch (error) {
      if (error instanceof SearchLimit) finish(error.reason);
      else if (error instanceof Fault) tell({ type: 'failed', code: error.code });
      else {
        log.error({ err: error, stream: uid }, 'a search for changes failed');
        tell({ type: 'failed', code: 'InternalServerError' });
      }
    } finally {
      thumbnails.close();
    }
  }
}

/** What a search ends with when no one reads it. */
function gone(): Fault {
  return new Fault('Unavailable', 'The caller has left.');
}
