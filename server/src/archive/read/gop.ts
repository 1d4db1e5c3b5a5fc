import { parseInit } from '@vidette/media/fmp4/read-init';
import type { Sample } from '@vidette/media/sample';
import type { Track } from '@vidette/media/track';
import type { CatalogStreamRow } from '../catalog/catalog.ts';
import type { PlaybackCatalog, SegmentOpener } from './playback-catalog.ts';
import { readFragmentHead } from './fragment-head.ts';
import { nothingThere } from './key-frame.ts';
import { catalogTicks } from '../segments/segments.ts';

/** The part of a recorded GOP that belongs to one track. */
export interface RecordingRun {
  readonly track: Track;
  readonly samples: readonly Sample[];
  /** Decode time at which the last sample ends, ticks. */
  readonly endDts: number;
}

/** A GOP of a camera lasts seconds and has at most this many bytes; no more is read into memory. */
const gopMaxBytes = 64 * 1024 * 1024;

/**
 * The recorded samples from the newest key frame at or before a time to the next key frame, video and audio.
 * @throws Fault NotFound if nothing is recorded there, or its file has been deleted
 */
export async function gopAt(
  reads: PlaybackCatalog,
  open: SegmentOpener,
  stream: CatalogStreamRow,
  atMs: number,
): Promise<readonly RecordingRun[]> {
  // Times are reported in whole ms, rounded down: a key frame within that ms is the one requested.
  const atTicks = catalogTicks(atMs + 1) - 1;
  const found = reads.snapshot(() => {
    const segment = reads.segmentAtOrBefore(stream.id, atTicks);
    if (!segment) return undefined;
    const init = reads.init(segment.initId);
    const all = reads.fragments(segment, init.length);
    const first = all.findLastIndex(
      ({ startsWithKey, startTicks }) => startsWithKey && startTicks <= atTicks,
    );
    if (first < 0) return undefined;
    const next = all.findIndex(({ startsWithKey }, index) => index > first && startsWithKey);
    return { segment, init, fragments: all.slice(first, next < 0 ? all.length : next) };
  });
  if (!found) throw nothingThere();
  const { segment, init, fragments } = found;
  if (fragments.reduce((sum, { bytes }) => sum + bytes, 0) > gopMaxBytes) throw nothingThere();
  const runs = parseInit(init).map((track) => ({ track, samples: [] as Sample[], endDts: 0 }));
  const reader = await open(segment);
  try {
    for (const position of fragments) {
      const { header } = await readFragmentHead(reader, position);
      const bytes = await reader.read(position.offset, position.bytes);
      for (const read of header.tracks) {
        const run = runs.find(({ track }) => track.id === read.trackId);
        if (!run) continue;
        let at = read.dataOffset;
        let dts = read.baseDts;
        for (const { duration, size, isKey, isDamaged, compositionOffset } of read.samples) {
          const data = [bytes.subarray(at, at + size)];
          run.samples.push({
            trackId: read.trackId,
            dts,
            pts: dts + compositionOffset,
            isKey,
            isDamaged,
            data,
            size,
          });
          at += size;
          dts += duration;
        }
        run.endDts = read.endDts;
      }
    }
  } finally {
    await reader.close();
  }
  return runs.filter(({ samples }) => samples.length > 0);
}
