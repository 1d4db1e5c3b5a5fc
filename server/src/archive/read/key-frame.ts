import type { FragmentSample, FragmentTrackHeader } from '@vidette/media/fmp4/read-moof';
import { parseInit } from '@vidette/media/fmp4/read-init';
import type { Sample } from '@vidette/media/sample';
import { rescaleTicks } from '@vidette/media/time';
import type { VideoTrack } from '@vidette/media/track';
import { Fault } from '../../base/fault.ts';
import type { CatalogStreamRow } from '../catalog/catalog.ts';
import type { PlaybackCatalog, SegmentOpener } from './playback-catalog.ts';
import { likelyKeyBytes, readFragmentHead } from './fragment-head.ts';
import { CATALOG_TIMESCALE, catalogMs, catalogTicks } from '../segments/segments.ts';

/** A key frame with the parameters that a decoder needs. */
export interface RecordedKeyFrame {
  readonly track: VideoTrack;
  readonly keySample: Sample;
  /** Capture time, ms since the epoch. */
  readonly timeMs: number;
}

interface FoundKey {
  readonly sample: FragmentSample;
  /** Offset of its bytes in the fragment. */
  readonly offset: number;
  readonly dts: number;
}

/** The newest key frame of a fragment at or before a time (ticks of the track), or else its first one. */
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

/** No camera's key frames are larger. */
const keyFrameMaxBytes = 16 * 1024 * 1024;

/**
 * The newest recorded key frame at or before a time. @throws Fault NotFound if there is none, or no video, or
 * its file has been deleted
 */
export async function keyFrameAt(
  reads: PlaybackCatalog,
  open: SegmentOpener,
  stream: CatalogStreamRow,
  atMs: number,
): Promise<RecordedKeyFrame> {
  // Times are reported in whole ms, rounded down: a key frame within that ms is the one requested.
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
    const { header, start } = await readFragmentHead(reader, found.position, likelyKeyBytes);
    const run = header.tracks.find(({ trackId }) => trackId === track.id);
    const key = run && newestKey(run, rescaleTicks(atTicks, CATALOG_TIMESCALE, track.timescale));
    if (!key || key.sample.size > keyFrameMaxBytes) throw nothingThere();
    const { sample, dts } = key;
    const bytes =
      key.offset + sample.size <= start.length
        ? start.subarray(key.offset, key.offset + sample.size)
        : await reader.read(found.position.offset + key.offset, sample.size);
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

/** The error if nothing is recorded at the requested time. */
export function nothingThere(): Fault {
  return new Fault('NotFound', 'Nothing is recorded there.');
}
