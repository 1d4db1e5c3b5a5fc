import type { VideoTrack } from '@vidette/media/track';
import type { Sample } from '@vidette/media/sample';
import type { ArchiveReader } from '../archive/read/read.ts';
import { Fault } from '../base/fault.ts';

/** The video of a recorded GOP. */
export interface ClipGop {
  readonly track: VideoTrack;
  readonly samples: readonly Sample[];
  /** UTC ms, rounded up: a request for the end finds the next GOP. */
  readonly startMs: number;
  readonly endMs: number;
}

/** Below the longest request for ranges that can be configured. */
const rangesMs = 60_000;
/** How far to go on behind footage that can't be read. */
const stepMs = 1_000;

/**
 * The GOPs of a clip in order, one at a time; the first may begin before it. What can't be read is left out.
 * @throws what the archive throws, except that footage is missing or its node is offline
 */
export async function* clipGops(
  archive: Pick<ArchiveReader, 'ranges' | 'gopAt'>,
  uid: string,
  fromMs: number,
  toMs: number,
): AsyncGenerator<ClipGop, void, undefined> {
  let atMs = fromMs;
  for (let startMs = fromMs; startMs < toMs; startMs += rangesMs) {
    const endMs = Math.min(toMs, startMs + rangesMs);
    const { ranges } = await archive.ranges(uid, startMs, endMs);
    for (const [index, { date, status }] of ranges.entries()) {
      if (status === 'gap') continue;
      const untilMs = Math.min(endMs, ranges[index + 1]?.date ?? endMs);
      atMs = Math.max(atMs, date);
      while (atMs < untilMs) {
        const gop = await videoAt(archive, uid, atMs);
        if (gop && gop.endMs > atMs) yield gop;
        atMs = gop && gop.endMs > atMs ? gop.endMs : atMs + stepMs;
      }
    }
  }
}

async function videoAt(
  archive: Pick<ArchiveReader, 'gopAt'>,
  uid: string,
  atMs: number,
): Promise<ClipGop | undefined> {
  try {
    for (const { track, samples, endDts } of await archive.gopAt(uid, atMs)) {
      const [first] = samples;
      const ms = (ticks: number) => Math.ceil((ticks * 1000) / track.timescale);
      if (track.kind === 'video' && first) {
        return { track, samples, startMs: ms(first.dts), endMs: ms(endDts) };
      }
    }
    return undefined;
  } catch (error) {
    if (error instanceof Fault && (error.code === 'NotFound' || error.code === 'Unavailable'))
      return undefined;
    throw error;
  }
}
