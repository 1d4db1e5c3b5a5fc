import type { EditedFragment, FragmentLayout } from '@vidette/media/fmp4/fragment-layout';
import type { FragmentHeader, FragmentTrackHeader } from '@vidette/media/fmp4/read-moof';
import { grownBytes } from '@vidette/media/fmp4/rebase';
import { samplesShownBefore, subsetFragment, type SampleSpan } from '@vidette/media/fmp4/subset';
import { msToTicks, rescaleTicks, ticksToMs } from '@vidette/media/time';
import type { Track } from '@vidette/media/track';
import type { SegmentRow, CatalogStreamRow } from '../catalog/catalog.ts';
import { DownloadTracks, type SegmentTracks } from './download-tracks.ts';
import { readFragmentHead } from './fragment-head.ts';
import {
  type IndexedPosition,
  CATALOG_TIMESCALE,
  driftMaxSeconds,
  type SegmentReader,
} from '../segments/segments.ts';
import type { PlaybackCatalog, SegmentOpener } from './playback-catalog.ts';
import { JOIN_TICKS } from './intervals.ts';

/** One fragment of a download: as stored in its file but rebased, or cut to the requested samples. */
export interface DownloadPart {
  readonly segment: SegmentRow;
  readonly position: IndexedPosition;
  readonly placing: FragmentLayout;
  /** Bytes in the download. */
  readonly size: number;
  readonly subset: EditedFragment | undefined;
}

/** All times in catalog ticks. */
export interface DownloadPlan {
  /** As `initSegment` takes them: each track once for every one of its sample descriptions. */
  readonly tracks: readonly Track[];
  /** By track id: the start of tracks that are not present from the beginning, ms of the download. */
  readonly startsMs: ReadonlyMap<number, number>;
  readonly parts: readonly DownloadPart[];
  readonly startTicks: number;
  readonly endTicks: number;
  readonly durationTicks: number;
  readonly gaps: readonly { readonly startTicks: number; readonly endTicks: number }[];
  /**
   * The footage that follows cannot be in the same file (see `DownloadTracks.add`): the download ends before
   * the requested end.
   */
  readonly stopsAtChange: boolean;
}

interface PlannedFragment {
  readonly segment: SegmentRow;
  readonly position: IndexedPosition;
  readonly endTicks: number;
}

/**
 * The end of the audio in the download so far: audio must not overlap itself where a gap is closed. By track id
 * of the download, in its ticks.
 */
type AudioEnds = Map<number, number>;

/** A fragment this far after the start of its run contains no audio from before it. */
const audioReachTicks = driftMaxSeconds * CATALOG_TIMESCALE;

/**
 * Plans the bytes of a download before the first one is read: whole fragments from the catalog alone; at the
 * ends and on both sides of each gap the headers are read, because audio extends past the video there. Headers
 * are also read after a start for as long as audio may lag: late audio is stored in the fragment that was open
 * when it arrived, and may be older than the start.
 */
export async function planOf(
  reads: PlaybackCatalog,
  open: SegmentOpener,
  stream: CatalogStreamRow,
  fromTicks: number,
  toTicks: number,
): Promise<DownloadPlan | undefined> {
  const { fragments, tracks, stopsAtChange } = reads.snapshot(() =>
    joinable(reads, wantedFragments(reads, stream, fromTicks, toTicks)),
  );
  const [first] = fragments;
  if (!first) return undefined;
  const headers = new HeaderReader(open);
  const planner = new Planner(tracks.segments(), toTicks, headers);
  try {
    for (const [index, fragment] of fragments.entries()) {
      await planner.add(fragment, fragments[index - 1], fragments[index + 1]);
    }
  } finally {
    await headers.close();
  }
  return {
    tracks: tracks.tracks,
    stopsAtChange,
    startTicks: first.position.startTicks,
    ...planner.result(),
  };
}

/** From the key frame at or before the start. */
function wantedFragments(
  reads: PlaybackCatalog,
  stream: CatalogStreamRow,
  fromTicks: number,
  toTicks: number,
): PlannedFragment[] {
  const fragments = reads
    .segments(stream.id, fromTicks, toTicks, Number.MAX_SAFE_INTEGER)
    .flatMap((segment) =>
      reads
        .fragments(segment, reads.initLength(segment.initId))
        .map((position) => ({ segment, position, endTicks: position.startTicks + position.durationTicks })),
    );
  const start = fragments.findLastIndex(
    ({ position }, index) => index === 0 || (position.startsWithKey && position.startTicks <= fromTicks),
  );
  return fragments.slice(Math.max(0, start)).filter(({ position }) => position.startTicks < toTicks);
}

/** The segments that can share one file with the first, up to the first that can't. */
function joinable(
  reads: PlaybackCatalog,
  wanted: readonly PlannedFragment[],
): { fragments: readonly PlannedFragment[]; tracks: DownloadTracks; stopsAtChange: boolean } {
  const tracks = new DownloadTracks();
  for (const [index, { segment }] of wanted.entries()) {
    if (!tracks.add(segment.initId, () => reads.init(segment.initId))) {
      return { fragments: wanted.slice(0, index), tracks, stopsAtChange: true };
    }
  }
  return { fragments: wanted, tracks, stopsAtChange: false };
}

class Planner {
  readonly #tracks: ReadonlyMap<number, SegmentTracks>;
  readonly #toTicks: number;
  readonly #headers: HeaderReader;
  readonly #parts: DownloadPart[] = [];
  readonly #gaps: { startTicks: number; endTicks: number }[] = [];
  readonly #audioEnds: AudioEnds = new Map();
  #outTicks = 0;
  #endTicks = 0;
  /** Where the current run begins in the archive; */
  #runStartTicks = 0;
  /** and the earliest time of each of its audio tracks, by track id of the segment, ticks of the track. */
  #audioStarts: ReadonlyMap<number, number> = new Map();
  readonly #startsMs = new Map<number, number>();
  /** By how much presentation lags behind decoding in the run. */
  #delayTicks = 0;

  constructor(tracks: ReadonlyMap<number, SegmentTracks>, toTicks: number, headers: HeaderReader) {
    this.#tracks = tracks;
    this.#toTicks = toTicks;
    this.#headers = headers;
  }

  async add(
    fragment: PlannedFragment,
    previous: PlannedFragment | undefined,
    next: PlannedFragment | undefined,
  ): Promise<void> {
    const { position, segment, endTicks } = fragment;
    const within = this.#tracks.get(segment.initId);
    if (!within) throw new RangeError('a fragment has unknown tracks');
    const pauseTicks = previous ? position.startTicks - previous.endTicks : 0;
    const isGap = pauseTicks > JOIN_TICKS;
    if (previous && isGap) {
      this.#gaps.push({ startTicks: previous.endTicks, endTicks: position.startTicks });
    } else {
      // Two nodes date the same key frame by their own clocks, so the next segment may seem to begin too early.
      this.#outTicks += Math.max(0, pauseTicks);
    }
    const opensRun = !previous || !adjoins(previous, fragment);
    const closesRun = !next || !adjoins(fragment, next);
    if (opensRun) this.#runStartTicks = position.startTicks;
    const isWhole = !opensRun && !closesRun && endTicks <= this.#toTicks;
    const mayHoldOldAudio =
      within.tracks.length > 1 && position.startTicks - this.#runStartTicks < audioReachTicks;
    const header = isWhole && !mayHoldOldAudio ? undefined : await this.#headers.read(fragment);
    if (header && opensRun) {
      this.#makeRoom(within, header, isGap ? 0 : pauseTicks);
      this.#beginTracks(within);
    }
    const layouts = position.startsWithKey ? within.atKey : within.withinGop;
    const timeOffsetTicks = this.#shift(within, position.startTicks);
    const placing = { sequence: this.#parts.length + 1, layouts, timeOffsetTicks };
    if (opensRun) this.#audioStarts = this.#audioStartsOf(within, timeOffsetTicks);
    if (!header || (isWhole && !this.#hasOldAudio(within, header))) {
      const primaryLayout = layouts.get(within.primary.id);
      const size = position.bytes + (primaryLayout ? grownBytes(primaryLayout) : 0);
      this.#parts.push({ segment, position, placing, size, subset: undefined });
      this.#advance(position.startTicks, position.durationTicks);
      return;
    }
    const keep = this.#keep(within, header, timeOffsetTicks, endTicks);
    const subset = subsetFragment(header, { ...placing, keep });
    const kept = keep.get(within.primary.id)?.to ?? 0;
    if (!subset || kept === 0) return;
    this.#parts.push({ segment, position, placing, size: subset.size, subset });
    this.#advance(position.startTicks, lengthOf(within, header, kept));
  }

  result(): Pick<DownloadPlan, 'startsMs' | 'parts' | 'gaps' | 'durationTicks' | 'endTicks'> {
    return {
      startsMs: this.#startsMs,
      parts: this.#parts,
      gaps: this.#gaps,
      durationTicks: this.#outTicks,
      endTicks: this.#endTicks,
    };
  }

  #advance(startTicks: number, durationTicks: number): void {
    this.#outTicks += durationTicks;
    this.#endTicks = startTicks + durationTicks;
  }

  /**
   * Where video with reordered frames is followed by video without, the last old frames would be presented
   * together with the first new ones: the new run is delayed by this much.
   */
  #makeRoom({ primary }: SegmentTracks, header: FragmentHeader, pauseTicks: number): void {
    const run = header.tracks.find(({ trackId }) => trackId === primary.id);
    const delay = run?.samples[0]?.compositionOffset ?? 0;
    const delayTicks = rescaleTicks(delay, primary.timescale, CATALOG_TIMESCALE);
    if (this.#parts.length > 0) this.#outTicks += Math.max(0, this.#delayTicks - delayTicks - pauseTicks);
    this.#delayTicks = delayTicks;
  }

  /**
   * Each track counts from the run in which it first appears. If it counted from the start of the file, FFmpeg
   * and Chromium would include the time before it in its duration and report the file as longer than it is.
   */
  #beginTracks({ atKey }: SegmentTracks): void {
    for (const { trackId } of atKey.values()) {
      if (!this.#startsMs.has(trackId))
        this.#startsMs.set(trackId, ticksToMs(this.#outTicks, CATALOG_TIMESCALE));
    }
  }

  /** By track id of the segment, ticks of the track. */
  #shift({ tracks, atKey }: SegmentTracks, startTicks: number): Map<number, number> {
    return new Map(
      tracks.map(({ id, timescale }) => {
        const trackStartMs = this.#startsMs.get(atKey.get(id)?.trackId ?? id) ?? 0;
        const outTicks = rescaleTicks(this.#outTicks, CATALOG_TIMESCALE, timescale);
        const inTicks = rescaleTicks(startTicks, CATALOG_TIMESCALE, timescale);
        return [id, outTicks - msToTicks(trackStartMs, timescale) - inTicks];
      }),
    );
  }

  /** Not before its run, and not where the download already has audio. */
  #audioStartsOf(
    { tracks, atKey }: SegmentTracks,
    timeOffsetTicks: ReadonlyMap<number, number>,
  ): Map<number, number> {
    return new Map(
      tracks.map(({ id, timescale }) => {
        const audioEnd = this.#audioEnds.get(atKey.get(id)?.trackId ?? id) ?? 0;
        const runStart = rescaleTicks(this.#runStartTicks, CATALOG_TIMESCALE, timescale);
        return [id, Math.max(runStart, audioEnd - (timeOffsetTicks.get(id) ?? 0))];
      }),
    );
  }

  #hasOldAudio({ primary }: SegmentTracks, header: FragmentHeader): boolean {
    return header.tracks.some(
      ({ trackId, baseDts }) => trackId !== primary.id && baseDts < (this.#audioStarts.get(trackId) ?? 0),
    );
  }

  #keep(
    within: SegmentTracks,
    header: FragmentHeader,
    timeOffsetTicks: ReadonlyMap<number, number>,
    endTicks: number,
  ): Map<number, SampleSpan> {
    const keep = new Map<number, SampleSpan>();
    const primary = header.tracks.find(({ trackId }) => trackId === within.primary.id);
    if (!primary) return keep;
    const { timescale } = within.primary;
    const to =
      endTicks <= this.#toTicks
        ? primary.samples.length
        : samplesShownBefore(primary, rescaleTicks(this.#toTicks, CATALOG_TIMESCALE, timescale));
    keep.set(primary.trackId, { from: 0, to });
    const primaryEnd = decodeTimes(primary)[to] ?? primary.endDts;
    for (const run of header.tracks) {
      const track = within.tracks.find(({ id }) => id === run.trackId);
      const place = within.atKey.get(run.trackId);
      if (run === primary || !track || !place) continue;
      const times = decodeTimes(run);
      const end = rescaleTicks(primaryEnd, timescale, track.timescale);
      const span = {
        from: indexFrom(times, this.#audioStarts.get(run.trackId) ?? 0, run.samples.length),
        to: indexFrom(times, end, run.samples.length),
      };
      keep.set(run.trackId, span);
      const shift = timeOffsetTicks.get(run.trackId) ?? 0;
      this.#audioEnds.set(place.trackId, (times[span.to] ?? run.endDts) + shift);
    }
    return keep;
  }
}

/** Reads headers of fragments, which are usually in the segment of the one before. */
class HeaderReader {
  readonly #open: SegmentOpener;
  #current: { readonly segment: SegmentRow; readonly reader: SegmentReader } | undefined;

  constructor(open: SegmentOpener) {
    this.#open = open;
  }

  async read({ segment, position }: PlannedFragment): Promise<FragmentHeader> {
    if (this.#current?.segment !== segment) {
      await this.close();
      this.#current = { segment, reader: await this.#open(segment) };
    }
    return (await readFragmentHead(this.#current.reader, position)).header;
  }

  async close(): Promise<void> {
    const open = this.#current;
    this.#current = undefined;
    await open?.reader.close();
  }
}

/** The two are contiguous and use the same parameters, so the audio continues from one to the other. */
function adjoins(before: PlannedFragment, after: PlannedFragment): boolean {
  return before.endTicks >= after.position.startTicks && before.segment.initId === after.segment.initId;
}

/** Catalog ticks of the first `count` samples of the frames. */
function lengthOf({ primary }: SegmentTracks, header: FragmentHeader, count: number): number {
  const run = header.tracks.find(({ trackId }) => trackId === primary.id);
  if (!run) return 0;
  const { timescale } = primary;
  const endDts = decodeTimes(run)[count] ?? run.endDts;
  return (
    rescaleTicks(endDts, timescale, CATALOG_TIMESCALE) -
    rescaleTicks(run.baseDts, timescale, CATALOG_TIMESCALE)
  );
}

/** Decode time of each sample, ticks of the track. */
function decodeTimes(run: FragmentTrackHeader): number[] {
  let dts = run.baseDts;
  return run.samples.map(({ duration }) => {
    const at = dts;
    dts += duration;
    return at;
  });
}

function indexFrom(times: readonly number[], least: number, otherwise: number): number {
  const index = times.findIndex((time) => time >= least);
  return index < 0 ? otherwise : index;
}
