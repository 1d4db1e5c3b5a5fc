import type { FileHandle } from 'node:fs/promises';
import { parseInit } from '@vidette/media/fmp4/read-init';
import type { FragmentHeader, FragmentTrackHeader } from '@vidette/media/fmp4/read-moof';
import {
  samplesShownBefore,
  subsetFragment,
  type FragmentSubset,
  type SampleSpan,
} from '@vidette/media/fmp4/subset';
import { rescaleTicks } from '@vidette/media/time';
import type { Track } from '@vidette/media/track';
import type { CatalogReads, SegmentRow, StreamRow } from './catalog-reads.ts';
import { openForReading } from './file-bytes.ts';
import { readFragmentHead } from './fragment-head.ts';
import type { FragmentPosition } from './fragment-index.ts';
import { JOIN_TICKS } from './intervals.ts';
import { CATALOG_TIMESCALE, segmentPath } from './layout.ts';

/** One fragment of a download: as it lies in its file but moved in time, or cut to the samples that are wanted. */
export interface DownloadPart {
  readonly segment: SegmentRow;
  readonly position: FragmentPosition;
  readonly sequence: number;
  /** By track id, ticks of the track. */
  readonly shiftTicks: ReadonlyMap<number, number>;
  readonly subset: FragmentSubset | undefined;
}

/** Catalog ticks throughout. */
export interface DownloadPlan {
  readonly tracks: readonly Track[];
  readonly parts: readonly DownloadPart[];
  readonly startTicks: number;
  readonly endTicks: number;
  readonly durationTicks: number;
  readonly gaps: readonly { readonly startTicks: number; readonly endTicks: number }[];
  /** The parameters of the decoder change there, so that the download ends before what was asked for. */
  readonly stopsAtChange: boolean;
}

interface Fragment {
  readonly segment: SegmentRow;
  readonly position: FragmentPosition;
  readonly endTicks: number;
}

/** Sound may not overlap itself where a gap is closed up: what is behind this point may not be there twice. */
type SoundEnds = Map<number, number>;

/**
 * Which bytes make a download, before the first is read: whole fragments by the catalog alone; at the ends and on both sides
 * of each gap the headers are read, because sound reaches over the pictures there.
 */
export async function planOf(
  reads: CatalogReads,
  root: string,
  stream: StreamRow,
  fromTicks: number,
  toTicks: number,
): Promise<DownloadPlan | undefined> {
  const { fragments, init, stopsAtChange } = reads.snapshot(() =>
    wantedFragments(reads, stream, fromTicks, toTicks),
  );
  const [first] = fragments;
  if (!first || !init) return undefined;
  const tracks = parseInit(init);
  const planner = new Planner(tracks, toTicks, (segment) =>
    segmentPath(root, stream.uid, segment.startTicks),
  );
  for (const [index, fragment] of fragments.entries()) {
    await planner.add(fragment, fragments[index - 1], fragments[index + 1]);
  }
  return { tracks, stopsAtChange, startTicks: first.position.startTicks, ...planner.result() };
}

/** From the key frame at or before the start; all with the same parameters as the first. */
function wantedFragments(
  reads: CatalogReads,
  stream: StreamRow,
  fromTicks: number,
  toTicks: number,
): { fragments: Fragment[]; init: Uint8Array | undefined; stopsAtChange: boolean } {
  const segments = reads.segments(stream.id, fromTicks, toTicks, Number.MAX_SAFE_INTEGER);
  const [first] = segments;
  if (!first) return { fragments: [], init: undefined, stopsAtChange: false };
  const init = reads.init(first.initId);
  const end = segments.findIndex(({ initId }) => initId !== first.initId);
  const fragments = segments
    .slice(0, end < 0 ? segments.length : end)
    .flatMap((segment) =>
      reads
        .fragments(segment, init.length)
        .map((position) => ({ segment, position, endTicks: position.startTicks + position.durationTicks })),
    );
  const start = fragments.findLastIndex(
    ({ position }, index) => index === 0 || (position.startsWithKey && position.startTicks <= fromTicks),
  );
  const wanted = fragments.slice(Math.max(0, start)).filter(({ position }) => position.startTicks < toTicks);
  return { fragments: wanted, init, stopsAtChange: end >= 0 };
}

class Planner {
  readonly #tracks: readonly Track[];
  readonly #primary: Track;
  readonly #toTicks: number;
  readonly #pathOf: (segment: SegmentRow) => string;
  readonly #parts: DownloadPart[] = [];
  readonly #gaps: { startTicks: number; endTicks: number }[] = [];
  readonly #soundEnds: SoundEnds = new Map();
  #outTicks = 0;
  #endTicks = 0;

  constructor(tracks: readonly Track[], toTicks: number, pathOf: (segment: SegmentRow) => string) {
    const primary = tracks.find(({ kind }) => kind === 'video') ?? tracks[0];
    if (!primary) throw new RangeError('a download without tracks');
    this.#tracks = tracks;
    this.#primary = primary;
    this.#toTicks = toTicks;
    this.#pathOf = pathOf;
  }

  async add(fragment: Fragment, previous: Fragment | undefined, next: Fragment | undefined): Promise<void> {
    const { position, segment, endTicks } = fragment;
    const pauseTicks = previous ? position.startTicks - previous.endTicks : 0;
    if (previous && pauseTicks > JOIN_TICKS) {
      this.#gaps.push({ startTicks: previous.endTicks, endTicks: position.startTicks });
    } else {
      this.#outTicks += pauseTicks;
    }
    const opensRun = !previous || pauseTicks > 0;
    const closesRun = !next || next.position.startTicks > endTicks;
    const shiftTicks = this.#shift(position.startTicks);
    const sequence = this.#parts.length + 1;
    if (!opensRun && !closesRun && endTicks <= this.#toTicks) {
      this.#parts.push({ segment, position, sequence, shiftTicks, subset: undefined });
      this.#advance(position.startTicks, position.durationTicks);
      return;
    }
    const header = await this.#header(fragment);
    const keep = this.#keep(header, shiftTicks, opensRun, endTicks);
    const subset = subsetFragment(header, { sequence, shiftTicks, keep });
    const kept = keep.get(this.#primary.id)?.to ?? 0;
    if (!subset || kept === 0) return;
    this.#parts.push({ segment, position, sequence, shiftTicks, subset });
    this.#advance(position.startTicks, this.#lengthOf(header, kept));
  }

  result(): Pick<DownloadPlan, 'parts' | 'gaps' | 'durationTicks' | 'endTicks'> {
    return { parts: this.#parts, gaps: this.#gaps, durationTicks: this.#outTicks, endTicks: this.#endTicks };
  }

  #advance(startTicks: number, durationTicks: number): void {
    this.#outTicks += durationTicks;
    this.#endTicks = startTicks + durationTicks;
  }

  #shift(startTicks: number): Map<number, number> {
    return new Map(
      this.#tracks.map(({ id, timescale }) => [
        id,
        rescaleTicks(this.#outTicks, CATALOG_TIMESCALE, timescale) -
          rescaleTicks(startTicks, CATALOG_TIMESCALE, timescale),
      ]),
    );
  }

  #keep(
    header: FragmentHeader,
    shiftTicks: ReadonlyMap<number, number>,
    opensRun: boolean,
    endTicks: number,
  ): Map<number, SampleSpan> {
    const keep = new Map<number, SampleSpan>();
    const primary = header.tracks.find(({ trackId }) => trackId === this.#primary.id);
    if (!primary) return keep;
    const { timescale } = this.#primary;
    const to =
      endTicks <= this.#toTicks
        ? primary.samples.length
        : samplesShownBefore(primary, rescaleTicks(this.#toTicks, CATALOG_TIMESCALE, timescale));
    keep.set(primary.trackId, { from: 0, to });
    const primaryEnd = decodeTimes(primary)[to] ?? primary.endDts;
    for (const run of header.tracks) {
      const track = this.#tracks.find(({ id }) => id === run.trackId);
      if (run === primary || !track) continue;
      const times = decodeTimes(run);
      const shift = shiftTicks.get(run.trackId) ?? 0;
      const least = Math.max(
        rescaleTicks(primary.baseDts, timescale, track.timescale),
        (this.#soundEnds.get(run.trackId) ?? 0) - shift,
      );
      const end = rescaleTicks(primaryEnd, timescale, track.timescale);
      const span = {
        from: opensRun ? indexFrom(times, least, run.samples.length) : 0,
        to: indexFrom(times, end, run.samples.length),
      };
      keep.set(run.trackId, span);
      this.#soundEnds.set(run.trackId, (times[span.to] ?? run.endDts) + shift);
    }
    return keep;
  }

  /** Catalog ticks of the first `count` samples of the pictures. */
  #lengthOf(header: FragmentHeader, count: number): number {
    const run = header.tracks.find(({ trackId }) => trackId === this.#primary.id);
    if (!run) return 0;
    const { timescale } = this.#primary;
    const endDts = decodeTimes(run)[count] ?? run.endDts;
    return (
      rescaleTicks(endDts, timescale, CATALOG_TIMESCALE) -
      rescaleTicks(run.baseDts, timescale, CATALOG_TIMESCALE)
    );
  }

  async #header({ segment, position }: Fragment): Promise<FragmentHeader> {
    const handle: FileHandle = await openForReading(this.#pathOf(segment));
    try {
      return (await readFragmentHead(handle, position)).header;
    } finally {
      await handle.close();
    }
  }
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
