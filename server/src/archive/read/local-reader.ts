import { archiveDefaults } from '@vidette/contract/constants';
import { Fault } from '../../base/fault.ts';
import type { CatalogReads, CatalogStreamRow, SegmentRow } from '../catalog/catalog.ts';
import type { RetentionLoss } from '../retention/retention.ts';
import { catalogTicks, DamagedFootage, RecordingFailure, type SegmentReader } from '../segments/segments.ts';
import type { ArchiveReader, SegmentBytes, WantedBytes } from './archive-reader.ts';
import { type CatalogSlice, coarseSliceOf, sliceOf, type SliceSpan } from './catalog-slice.ts';
import type { CoarseSpans } from './coarse-spans.ts';
import type { Damage, DamageLook } from './damage.ts';
import { type Download, planDownload } from './download.ts';
import { extentOf, type RecordedExtent, splitPointOf } from './extent.ts';
import { type FootageFigures, footageFiguresOf } from './footage-figures.ts';
import { gopAt, type RecordingRun } from './gop.ts';
import {
  assertCoarseSpan,
  assertSpan,
  intervalsOf,
  joinTicksAt,
  nothingRecorded,
  rangesAnswerOf,
  type RecordedInterval,
  type RecordedRanges,
} from './intervals.ts';
import { keyFrameAt, type RecordedKeyFrame } from './key-frame.ts';
import { vodPlaylistOf } from './playlist.ts';
import type { RecordedDay, RecordedDayReader, TimeZone } from './recorded-days.ts';
import type { CoverageWindows, RecordingCoverage, RecordingSpan } from './recording-coverage.ts';
import type { StoredSegments } from './stored-segments.ts';
import { periodOf, type RecordedPeriod, type RecordingStats, statsOf } from './stream-stats.ts';
import type { WholeReads } from './whole-reads.ts';

/** Longest spans of a request; longer ones get TimeRangeIsTooLong. */
export interface ReadLimits {
  readonly rangesMaxMs: number;
  readonly playlistMaxMs: number;
  readonly downloadMaxMs: number;
}

interface LocalReaderTools {
  /** The rows as written, regardless of damage. */
  readonly reads: CatalogReads;
  /** The playable footage. */
  readonly whole: WholeReads;
  readonly damage: Damage;
  readonly segments: StoredSegments;
  readonly days: RecordedDayReader;
  readonly coarse: CoarseSpans;
  readonly continuity: RecordingCoverage;
  readonly limits: ReadLimits;
  /** Whether footage of the stream is being written now. */
  isLive(uid: string): boolean;
  /** See `ArchiveReader.loss`. */
  loss(uid: string, hours?: number): RetentionLoss;
}

/** Two-hour files, each read at about sixty places. */
const lookOverMax = 120;
/** Flushes need the other threads of the pool. */
const filesAtATime = 3;
/**
 * Each attempt that meets damage has it marked; a disk on which more attempts than this fail in a row is given
 * up.
 */
const triesAround = 20;

/** Reads the footage that this node recorded. */
export class LocalReader implements ArchiveReader {
  readonly #tools: LocalReaderTools;

  constructor(tools: LocalReaderTools) {
    this.#tools = tools;
  }

  get downloadMaxMs(): number {
    return this.#tools.limits.downloadMaxMs;
  }

  period(uid: string): RecordedPeriod | undefined {
    return periodOf(this.#tools.reads, uid);
  }

  ranges(uid: string, startMs: number, endMs: number): RecordedRanges {
    return rangesAnswerOf(this.intervals(uid, startMs, endMs));
  }

  /** The same as one list. @throws Fault TimeRangeIsTooLong, BadRequest */
  intervals(uid: string, startMs: number, endMs: number): RecordedInterval[] {
    const { reads, whole, limits } = this.#tools;
    assertSpan(startMs, endMs, limits.rangesMaxMs);
    const stream = reads.stream(uid);
    if (!stream || startMs === endMs) return nothingRecorded(startMs, endMs);
    return reads.snapshot(() => intervalsOf(whole, stream, startMs, endMs, this.#tools.isLive(uid)));
  }

  async coarseRanges(
    uid: string,
    startMs: number,
    endMs: number,
    resolutionSeconds: number,
  ): Promise<RecordedRanges> {
    const { reads, whole, limits, coarse } = this.#tools;
    assertCoarseSpan(startMs, endMs, limits.rangesMaxMs, resolutionSeconds);
    const stream = reads.stream(uid);
    if (!stream || startMs === endMs) return rangesAnswerOf(nothingRecorded(startMs, endMs));
    const joinTicks = joinTicksAt(resolutionSeconds);
    const spans = await coarse.of(stream.id, catalogTicks(startMs), catalogTicks(endMs), joinTicks);
    const resolution = { joinTicks, spans };
    return reads.snapshot(() =>
      rangesAnswerOf(intervalsOf(whole, stream, startMs, endMs, this.#tools.isLive(uid), resolution)),
    );
  }

  stats(uid: string): RecordingStats {
    return { ...statsOf(this.#tools.reads, uid), recorded: this.#tools.continuity.of(uid) ?? null };
  }

  /** Of all streams that have footage, by uid. */
  figures(): Promise<Map<string, FootageFigures>> {
    return footageFiguresOf(this.#tools.reads);
  }

  /** How much was recorded of the spans in which a stream was assigned to this node. */
  recorded(uid: string, spans: readonly RecordingSpan[]): CoverageWindows {
    return this.#tools.continuity.over(uid, spans);
  }

  async recordedDays(uid: string, startMs: number, endMs: number, zone: TimeZone): Promise<RecordedDay[]> {
    assertSpan(startMs, endMs, Number.POSITIVE_INFINITY);
    return this.#tools.days.of(uid, startMs, endMs, zone);
  }

  async playlist(
    uid: string,
    startMs: number,
    endMs: number,
    entryMs = archiveDefaults.playlistEntrySeconds * 1000,
  ): Promise<string> {
    assertSpan(startMs, endMs, this.#tools.limits.playlistMaxMs);
    await this.#lookOver(uid, startMs, endMs, () => 'ends');
    return vodPlaylistOf(this.#tools.whole, this.#stream(uid), startMs, endMs, entryMs);
  }

  async openSegment(uid: string, name: string, wanted?: WantedBytes): Promise<SegmentBytes> {
    return this.#tools.segments.bytes(uid, name, wanted);
  }

  /** The catalog slice of a span, for another node that merges it with its own. */
  slice(uid: string, span: SliceSpan): CatalogSlice {
    const { reads, whole } = this.#tools;
    return reads.snapshot(() => sliceOf(whole, uid, this.#tools.isLive(uid), span));
  }

  /** The same, in which segments may be joined as the span says. */
  async anySlice(uid: string, span: SliceSpan): Promise<CatalogSlice> {
    const { reads, whole, coarse } = this.#tools;
    const { joinTicks, withFragments } = span;
    if (joinTicks === undefined || withFragments) return this.slice(uid, span);
    const stream = reads.stream(uid);
    const spans = stream ? await coarse.of(stream.id, span.fromTicks, span.toTicks, joinTicks) : [];
    return reads.snapshot(() => coarseSliceOf(whole, uid, this.#tools.isLive(uid), span, spans));
  }

  /** Random access to a segment of the slice. @throws Fault NotFound, FarArchiveUnavailable */
  openFile(uid: string, startTicks: number): Promise<SegmentReader> {
    return this.#tools.segments.open(uid, startTicks);
  }

  extent(uid: string, startMs: number, endMs: number): RecordedExtent {
    const { reads, whole, limits } = this.#tools;
    assertSpan(startMs, endMs, limits.playlistMaxMs);
    const stream = reads.stream(uid);
    return reads.snapshot(() => extentOf(whole, stream, startMs, endMs, this.#tools.isLive(uid)));
  }

  loss(uid: string, hours?: number): RetentionLoss {
    return this.#tools.loss(uid, hours);
  }

  splitPoint(uid: string, fromMs: number, toMs: number): number {
    const stream = this.#tools.reads.stream(uid);
    return stream ? splitPointOf(this.#tools.whole, stream, fromMs, toMs) : toMs;
  }

  async download(uid: string, startMs: number, endMs: number): Promise<Download> {
    const { whole, segments, limits } = this.#tools;
    assertSpan(startMs, endMs, limits.downloadMaxMs);
    const within = { fromTicks: catalogTicks(startMs), toTicks: catalogTicks(endMs) };
    // Of the first and the last file only a part is read.
    await this.#lookOver(uid, startMs, endMs, ({ startTicks, endTicks }) =>
      startTicks >= within.fromTicks && endTicks <= within.toTicks ? 'fragments' : within,
    );
    return aroundDamage(() => planDownload(whole, segments.of(uid), this.#stream(uid), startMs, endMs));
  }

  async frameAt(uid: string, atMs: number): Promise<RecordedKeyFrame> {
    const { whole, segments } = this.#tools;
    return aroundDamage(() => keyFrameAt(whole, segments.of(uid, 'length'), this.#stream(uid), atMs));
  }

  async gopAt(uid: string, atMs: number): Promise<readonly RecordingRun[]> {
    const { whole, segments } = this.#tools;
    return aroundDamage(() => gopAt(whole, segments.of(uid, 'length'), this.#stream(uid), atMs));
  }

  /**
   * Checks the files of a span before a read is planned, so that damage is skipped in advance instead of being
   * hit halfway. For long spans only the first files are checked; the others when they are opened.
   */
  async #lookOver(
    uid: string,
    startMs: number,
    endMs: number,
    lookAt: (row: SegmentRow) => DamageLook,
  ): Promise<void> {
    const { reads, damage } = this.#tools;
    const stream = reads.stream(uid);
    if (!stream) return;
    const rows = reads.segments(stream.id, catalogTicks(startMs), catalogTicks(endMs), lookOverMax);
    try {
      for (let index = 0; index < rows.length; index += filesAtATime) {
        const some = rows.slice(index, index + filesAtATime);
        await Promise.all(
          some.map((row) => damage.isAsKnown(uid, row.streamId, row.startTicks, lookAt(row))),
        );
      }
    } catch (error) {
      // Another disk is mounted: its files prove nothing.
      if (!(error instanceof RecordingFailure)) throw error;
    }
  }

  #stream(uid: string): CatalogStreamRow {
    const stream = this.#tools.reads.stream(uid);
    if (!stream) throw new Fault('NotFound', 'Nothing is recorded for this stream.');
    return stream;
  }
}

/** Plans and reads again if damage was found, which the new plan leaves out. @throws what reading throws */
async function aroundDamage<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof DamagedFootage) || tries === triesAround) throw error;
    }
  }
}
