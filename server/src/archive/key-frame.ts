import type { FragmentSample, FragmentTrackHeader } from '@vidette/media/fmp4/read-moof';
import { parseInit } from '@vidette/media/fmp4/read-init';
import type { Sample } from '@vidette/media/sample';
import { rescaleTicks } from '@vidette/media/time';
import type { VideoTrack } from '@vidette/media/track';
import { Fault } from '../base/fault.ts';
import type { CatalogStreamRow } from './catalog-reads.ts';
import type { PlaybackCatalog, SegmentOpener } from './playback-catalog.ts';
import { readFragmentHead } from './fragment-head.ts';
import { CATALOG_TIMESCALE, catalogMs, catalogTicks } from './layout.ts';

/** A picture that decodes alone, with what a decoder needs. */
export interface RecordedKeyFrame {
  readonly track: VideoTrack;
  readonly keySample: Sample;
  /** When it was taken, ms since the epoch. */
  readonly timeMs: number;
}

interface FoundKey {
  readonly sample: FragmentSample;
  /** Where its bytes begin, from the beginning of the fragment. */
  readonly offset: number;
  readonly dts: number;
}

/** The newest key frame of a fragment at or before a moment, ticks of the track; the first one that there is otherwise. */
function newestKey(run: FragmentTrackHeader, atTicks: number): FoundKey | undefined {
  let found: FoundKey | undefined;
  let offset = run.dataOffset;
  let dts = run.baseDts;
  for (const sample of run.samples) {
    if (found && dts > atTicks) break;
    if (sample.isKey) found = { sample, offset, dts };
    offset += sample.size;
    dts += sample.duration;
  }
  return found;
}

/** No camera's key frame is larger. */
const keyFrameMaxBytes = 16 * 1024 * 1024;

/**
 * The newest recorded key frame at or before a moment.
 * @throws Fault NotFound when there is none, or no video, or its file is gone
 */
export async function keyFrameAt(
  reads: PlaybackCatalog,
  open: SegmentOpener,
  stream: CatalogStreamRow,
  atMs: number,
): Promise<RecordedKeyFrame> {
  // Moments are told in whole ms, rounded down: a key frame of that very ms is the one that is meant.
  const atTicks = catalogTicks(atMs + 1) - 1;
  const found = reads.snapshot(() => {
    const segment = reads.segmentAtOrBefore(stream.id, atTicks);
    if (!segment) return undefined;
    const init = reads.init(segment.initId);
    const position = reads
      .fragments(segment, init.length)
      .findLast(({ startTicks, startsWithKey }) => startsWithKey && startTicks <= atTicks);
    return position && { segment, init, position };
  });
  const track = found && parseInit(found.init).find((candidate) => candidate.kind === 'video');
  if (!found || !track) throw nothingThere();
  const reader = await open(found.segment);
  try {
    const { header } = await readFragmentHead(reader, found.position);
    const run = header.tracks.find(({ trackId }) => trackId === track.id);
    const key = run && newestKey(run, rescaleTicks(atTicks, CATALOG_TIMESCALE, track.timescale));
    if (!key || key.sample.size > keyFrameMaxBytes) throw nothingThere();
    const { sample, dts } = key;
    const bytes = await reader.read(found.position.offset + key.offset, sample.size);
    const keySample: Sample = {
      trackId: track.id,
      dts,
      pts: dts + sample.compositionOffset,
      isKey: true,
      isDamaged: sample.isDamaged,
      data: [bytes],
      size: bytes.length,
    };
    return { track, keySample, timeMs: catalogMs(rescaleTicks(dts, track.timescale, CATALOG_TIMESCALE)) };
  } finally {
    await reader.close();
  }
}

/** What is asked for where nothing of it is recorded. */
export function nothingThere(): Fault {
  return new Fault('NotFound', 'Nothing is recorded there.');
}
