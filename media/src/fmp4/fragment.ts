/**
 * Builds a fragment from samples: one moof and one mdat, for the archive (a GOP) and for live video (a frame).
 */
import { JoinedData } from '../placed-sample.ts';
import type { Sample } from '../sample.ts';
import type { Track } from '../track.ts';
import { moofAndMdatHeader } from './moof.ts';
import type { TrackRun, TrunSample } from './moof.ts';
import { sampleFlags } from './sample-flags.ts';

export interface FragmentTrack {
  readonly track: Track;
  /** In decoding order; a track without samples is omitted from the fragment. */
  readonly samples: readonly Sample[];
  /** Where the last sample ends, ticks since the epoch: the decode time of the next one, or an estimate. */
  readonly endDts: number;
}

export interface FragmentInput {
  /** sequence_number of mfhd: increases from fragment to fragment of one file or session; taken modulo 2^32. */
  readonly sequence: number;
  readonly tracks: readonly FragmentTrack[];
}

export interface Fragment {
  /** moof and mdat header, then the samples' bytes where they lie, without copying: write them in order. */
  readonly slices: readonly Uint8Array[];
  /** Total bytes of all slices. */
  readonly size: number;
}

/**
 * Builds moof and mdat, one traf per track, with absolute decode times.
 * @throws RangeError if decode times do not strictly increase up to `endDts`, or a field cannot hold its value
 */
export function fragment(input: FragmentInput): Fragment {
  const runs: TrackRun[] = [];
  const joined = new JoinedData();
  let size = 0;
  for (const { track, samples, endDts } of input.tracks) {
    const [first] = samples;
    if (first === undefined) continue;
    const rows: TrunSample[] = [];
    samples.forEach((sample, index) => {
      rows.push({
        duration: (samples[index + 1]?.dts ?? endDts) - sample.dts,
        size: sample.size,
        flags: sampleFlags(sample.isKey, sample.isDamaged),
        compositionOffset: sample.pts - sample.dts,
      });
      joined.add(sample);
      size += sample.size;
    });
    runs.push({ trackId: track.id, baseDts: first.dts, samples: rows });
  }
  const head = moofAndMdatHeader(input.sequence, runs);
  return { slices: [head, ...joined.slices()], size: head.length + size };
}
