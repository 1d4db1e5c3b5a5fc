import { existsSync } from 'node:fs';
import { stat, type FileHandle } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RemuxedSegment } from '@vidette/media/mp4/remux';
import { MalformedError } from '@vidette/media/malformed';
import type { Cancel, Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { isSqliteError } from '../../base/sqlite-trouble.ts';
import { ImportedCatalog, type ImportedFile, type SegmentRow } from '../catalog/catalog.ts';
import {
  type CatalogSlice,
  CoarseSpans,
  coarseSliceOf,
  type FootageFigures,
  footageFiguresOf,
  RecordedDayReader,
  type RecordedDay,
  type RecordingStats,
  type SegmentBytes,
  sliceOf,
  type SliceSpan,
  statsOf,
  streamOf,
  type TimeZone,
  wholeSlice,
} from '../read/read.ts';
import { type SegmentReader, systemCode } from '../segments/segments.ts';
import { openRecording, pathOf, readRecording } from './imported-file.ts';
import { ImportedSegment } from './imported-segment.ts';
import { LayoutCache } from './layout-cache.ts';
import { hasEntries } from './reading-trouble.ts';

export interface ImportedFootageOptions {
  /** Of the catalog; there is none until something is imported. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** How soon the server notices the first import. */
const lookEveryMs = 1_000;
/** And how soon it tries a catalog again that it can't open. */
const retryMs = 60_000;
/** A write that meets one of the command is not waited for: it is made later. */
const busyMs = 100;
/** How often the oldest files are looked for: the other program deletes them in this order. */
const sweepMs = 60_000;
const sweepMax = 500;
/** Files of a span that are looked for before it is played: three hours of ten seconds each. */
const lookOverMax = 1_100;
const filesAtATime = 4;

/** A recording that has changed since may be one that is still written. */
const growsMs = 7_200_000;

interface OpenRecording {
  readonly reader: ImportedSegment;
  readonly row: SegmentRow;
  readonly file: ImportedFile;
}

/** A file that was looked for. */
type Sought = ImportedFile & { readonly startTicks: number };

/**
 * The recordings of other programs, where those programs keep them. They are read only, and may change or vanish at any time:
 * what is gone becomes a gap. Nothing here writes, moves or deletes them.
 */
export class ImportedFootage {
  readonly #options: ImportedFootageOptions;
  readonly #layouts = new LayoutCache();
  readonly #cancelSweep: Cancel;
  #open: { readonly catalog: ImportedCatalog; readonly days: RecordedDayReader } | undefined;
  #lookAgainMs = -Infinity;
  #dataVersion: unknown;
  #sweeping: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: ImportedFootageOptions) {
    this.#options = options;
    this.#cancelSweep = options.clock.every(sweepMs, () => {
      this.#sweeping = this.#sweeping.then(() => this.#sweep());
    });
  }

  /** Whether there are recordings of a stream. */
  has(uid: string): boolean {
    return (this.#catalog?.reads.stream(uid)?.segments ?? 0) > 0;
  }

  /** The streams that have recordings. */
  uids(): string[] {
    return (this.#catalog?.reads.streams() ?? [])
      .filter(({ segments }) => segments > 0)
      .map(({ uid }) => uid);
  }

  /** Of all streams that have recordings, by uid. */
  async figures(): Promise<Map<string, FootageFigures>> {
    const catalog = this.#catalog;
    return catalog ? footageFiguresOf(catalog.reads) : new Map();
  }

  /** A part of the catalog, as nodes exchange it: as much of the span as one answer may contain. */
  async piece(uid: string, span: SliceSpan): Promise<CatalogSlice> {
    const { withFragments, joinTicks, fromTicks, toTicks } = span;
    if (joinTicks !== undefined && !withFragments) return this.slice(uid, span);
    const { reads } = this.#required;
    const missing = withFragments ? await this.#lookOver(uid, fromTicks, toTicks) : new Set<number>();
    const slice = reads.snapshot(() => sliceOf(reads, uid, false, span));
    // The caller goes on where a slice that is cut ends.
    if (slice.isCut) return slice;
    return { ...slice, segments: slice.segments.filter(({ startTicks }) => !missing.has(startTicks)) };
  }

  /** A part of the catalog, the whole span. */
  async slice(uid: string, span: SliceSpan): Promise<CatalogSlice> {
    const reads = this.#required.reads;
    const { joinTicks, withFragments, fromTicks, toTicks } = span;
    if (joinTicks !== undefined && !withFragments) {
      const stream = reads.stream(uid);
      const coarse = new CoarseSpans(reads, this.#options.clock);
      const spans = stream ? await coarse.of(stream.id, fromTicks, toTicks, joinTicks) : [];
      return reads.snapshot(() => coarseSliceOf(reads, uid, false, span, spans));
    }
    const missing = withFragments ? await this.#lookOver(uid, fromTicks, toTicks) : new Set<number>();
    const slice = await wholeSlice(span, async (piece) => {
      // A week of ten seconds each has sixty thousand segments.
      await nextTurn();
      return reads.snapshot(() => sliceOf(reads, uid, false, piece));
    });
    if (missing.size === 0) return slice;
    return { ...slice, segments: slice.segments.filter(({ startTicks }) => !missing.has(startTicks)) };
  }

  async stats(uid: string): Promise<RecordingStats> {
    const stats = statsOf(this.#required.reads, uid);
    return { ...stats, importedBytes: stats.bytes, recorded: null };
  }

  days(uid: string, startMs: number, endMs: number, zone: TimeZone): Promise<RecordedDay[]> {
    const { dataVersion } = this.#required;
    if (dataVersion !== this.#dataVersion) this.#open?.days.forget();
    this.#dataVersion = dataVersion;
    return this.#open?.days.of(uid, startMs, endMs, zone) ?? Promise.resolve([]);
  }

  /** Random access to a segment. @throws Fault NotFound when its file is gone, Unavailable when it can't be read */
  async open(uid: string, startTicks: number): Promise<SegmentReader> {
    return (await this.#reader(uid, startTicks)).reader;
  }

  /** @throws as `open` */
  async openSegment(uid: string, startTicks: number): Promise<SegmentBytes> {
    const { reader, row, file } = await this.#reader(uid, startTicks);
    return {
      size: row.bytes,
      // The next import may find more in it.
      isGrowing: this.#options.clock.wallMs() - file.modifiedMs < growsMs,
      stream: (start, endInclusive) =>
        streamOf(reader, start, Math.min(endInclusive, row.bytes - 1) - start + 1),
      close: () => reader.close(),
    };
  }

  /** Forgets the recordings of a stream; the files stay. */
  async forget(uid: string): Promise<void> {
    try {
      while (this.#catalog && !this.#catalog.forgetSome(uid, 1000)) await nextTurn();
    } catch (error) {
      // Rows of a stream that doesn't exist are never asked for.
      if (!isSqliteError(error)) throw error;
      this.#options.log.warn({ err: error, stream: uid }, 'Imported recordings could not be forgotten');
    }
    this.#open?.days.forget();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelSweep();
    await this.#sweeping;
    this.#open?.catalog.close();
    this.#open = undefined;
  }

  /** Undefined as long as nothing was imported. */
  get #catalog(): ImportedCatalog | undefined {
    const { path, clock, log } = this.#options;
    if (this.#open || this.#isClosed || clock.monotonicMs() < this.#lookAgainMs) return this.#open?.catalog;
    this.#lookAgainMs = clock.monotonicMs() + lookEveryMs;
    if (!existsSync(path)) return undefined;
    try {
      const catalog = ImportedCatalog.open(path, busyMs);
      this.#open = { catalog, days: new RecordedDayReader(catalog.reads, clock) };
      return catalog;
    } catch (error) {
      this.#lookAgainMs = clock.monotonicMs() + retryMs;
      log.warn({ err: error }, 'The catalog of imported recordings cannot be opened: they are not shown');
      return undefined;
    }
  }

  get #required(): ImportedCatalog {
    const catalog = this.#catalog;
    if (!catalog) throw new Fault('NotFound', 'Nothing is recorded for this stream.');
    return catalog;
  }

  async #reader(uid: string, startTicks: number): Promise<OpenRecording> {
    const { reads } = this.#required;
    const stream = reads.stream(uid);
    const row = stream && reads.segment(stream.id, startTicks);
    const file = row && this.#required.file(row.streamId, startTicks);
    if (!file) throw gone();
    const handle = await this.#openFile(uid, startTicks, file);
    try {
      const segment = await this.#layoutOf(handle, file, row);
      const known = segment && this.#partOf(segment, row);
      if (!known) {
        await this.#lose(uid, [{ ...file, startTicks }]);
        throw gone();
      }
      return { reader: new ImportedSegment(handle, known, startTicks), row, file };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async #openFile(uid: string, startTicks: number, file: ImportedFile): Promise<FileHandle> {
    try {
      return await openRecording(file);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      if (!isGone(error))
        throw new Fault('Unavailable', 'A recording of another program cannot be read.', { cause: error });
      await this.#lose(uid, [{ ...file, startTicks }]);
      throw gone(error);
    }
  }

  /** Undefined if the file is not what was imported. */
  async #layoutOf(
    handle: FileHandle,
    file: ImportedFile,
    { streamId, startTicks }: SegmentRow,
  ): Promise<RemuxedSegment | undefined> {
    const { size, mtimeMs } = await handle.stat();
    // A growing file is longer.
    if (size < file.bytes) return undefined;
    const key = `${pathOf(file)}\n${file.bytes}\n${mtimeMs}`;
    const cached = this.#layouts.get(key);
    if (cached) return cached;
    try {
      const samples = this.#required.samples(streamId, startTicks);
      const { segment } = await readRecording(handle, file.bytes, samples);
      this.#layouts.add(key, segment);
      return segment;
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
      return undefined;
    }
  }

  /** The fragments of which the catalog knows; undefined if they differ. */
  #partOf(segment: RemuxedSegment, row: SegmentRow): RemuxedSegment | undefined {
    const { reads } = this.#required;
    const init = reads.init(row.initId);
    const known = reads.fragments(row, init.length);
    const isSame =
      Buffer.compare(init, segment.init) === 0 &&
      known.every(({ bytes, durationTicks }, index) => {
        const found = segment.fragments[index];
        return found?.bytes === bytes && found.durationTicks === durationTicks;
      });
    return isSame ? { init, fragments: segment.fragments.slice(0, known.length) } : undefined;
  }

  /** Looks for the files of a span. Resolves to the starts of those that are missing, and still in the catalog. */
  async #lookOver(uid: string, fromTicks: number, toTicks: number): Promise<ReadonlySet<number>> {
    const { reads } = this.#required;
    const stream = reads.stream(uid);
    if (!stream) return new Set();
    const first = reads.segmentAtOrBefore(stream.id, fromTicks)?.startTicks ?? fromTicks;
    const files = this.#required
      .filesFrom(stream.id, first, lookOverMax)
      .filter(({ startTicks }) => startTicks < toTicks);
    const missing = await missingOf(files);
    await this.#lose(uid, missing);
    return new Set(missing.map(({ startTicks }) => startTicks));
  }

  /** Forgets the oldest files that are gone. */
  async #sweep(): Promise<void> {
    for (const { id, uid } of this.#catalog?.reads.streams() ?? []) {
      const files = this.#catalog?.filesFrom(id, 0, sweepMax) ?? [];
      for (let at = 0; at < files.length && !this.#isClosed; at += filesAtATime) {
        const some = files.slice(at, at + filesAtATime);
        const missing = await missingOf(some);
        await this.#lose(uid, missing);
        if (missing.length < some.length) break;
      }
    }
  }

  /** While their folder is not there, or empty as an unused mount point, the files are only out of reach. */
  async #lose(uid: string, files: readonly Sought[]): Promise<void> {
    const { log } = this.#options;
    const byRoot = Map.groupBy(files, ({ root }) => root);
    for (const [root, lost] of byRoot) {
      if (!(await hasEntries(root))) continue;
      try {
        this.#catalog?.commit(
          [],
          lost.map(({ startTicks }) => ({ uid, startTicks })),
        );
        this.#open?.days.forget();
        log.info({ stream: uid, files: lost.length }, 'Recordings of another program are gone');
      } catch (error) {
        // The command is writing: they are found missing again.
        if (!isSqliteError(error)) throw error;
      }
    }
  }
}

async function missingOf(files: readonly Sought[]): Promise<Sought[]> {
  const missing: Sought[] = [];
  for (let at = 0; at < files.length; at += filesAtATime) {
    const some = files.slice(at, at + filesAtATime);
    const are = await Promise.all(some.map(isThere));
    missing.push(...some.filter((_, index) => !are[index]));
  }
  return missing;
}

async function isThere(file: ImportedFile): Promise<boolean> {
  try {
    return (await stat(pathOf(file))).size >= file.bytes;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return !isGone(error);
  }
}

function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP', 'EXDEV', 'EISDIR'].includes(systemCode(error) ?? '');
}

function gone(cause?: unknown): Fault {
  return new Fault('NotFound', 'This recording of another program no longer exists.', { cause });
}
