import { parseInit } from '@vidette/media/fmp4/read-init';
import type { Sample } from '@vidette/media/sample';
import type { VideoTrack } from '@vidette/media/track';
import { Fault } from '../base/fault.ts';
import type { StreamRow } from './catalog-reads.ts';
import type { FootageReads, OpenSegment } from './footage-reads.ts';
import { readFragmentHead } from './fragment-head.ts';
import { catalogMs, catalogTicks } from './layout.ts';

/** A picture that decodes alone, with what a decoder needs. */
export interface KeyFrame {
  readonly track: VideoTrack;
  readonly keySample: Sample;
  /** When it was taken, ms since the epoch. */
  readonly timeMs: number;
}

/** No camera's key frame is larger. */
const keyFrameMaxBytes = 16 * 1024 * 1024;

/**
 * The newest recorded key frame at or before a moment.
 * @throws Fault NotFound when there is none, or no video, or its file is gone
 */
export async function keyFrameAt(
  reads: FootageReads,
  open: OpenSegment,
  stream: StreamRow,
  atMs: number,
): Promise<KeyFrame> {
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
    const first = run?.samples[0];
    if (!run || !first || first.size > keyFrameMaxBytes) throw nothingThere();
    const bytes = await reader.read(found.position.offset + run.dataOffset, first.size);
    const keySample: Sample = {
      trackId: track.id,
      dts: run.baseDts,
      pts: run.baseDts + first.compositionOffset,
      isKey: true,
      isDamaged: first.isDamaged,
      data: [bytes],
      size: bytes.length,
    };
    return { track, keySample, timeMs: catalogMs(found.position.startTicks) };
  } finally {
    await reader.close();
  }
}

/** What is asked for where nothing of it is recorded. */
export function nothingThere(): Fault {
  return new Fault('NotFound', 'Nothing is recorded there.');
}
