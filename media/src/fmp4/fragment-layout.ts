/** The layout of a fragment that becomes part of another file, and the bytes to be sent. */
import { ByteWriter } from '../bytes.ts';
import { parseAvcC } from '../codec/avcc.ts';
import { parseHvcC } from '../codec/hvcc.ts';
import type { VideoTrack } from '../track.ts';

/** The place of one track's samples in the new file. */
export interface TrackLayout {
  readonly trackId: number;
  /** The track's sample description that they need, from 1. */
  readonly descriptionIndex: number;
  /** Inserted before the first kept sample, see `parameterSetsOf`; empty if nothing is inserted. */
  readonly parameterSets: Uint8Array;
}

export interface FragmentLayout {
  /** The new sequence_number. */
  readonly sequence: number;
  /**
   * By track id of the original: ticks added to every decode time, negative to shift back; 0 for a missing
   * track.
   */
  readonly timeOffsetTicks: ReadonlyMap<number, number>;
  /** By track id of the original; a missing track keeps its id and uses its first description. */
  readonly layouts?: ReadonlyMap<number, TrackLayout>;
}

/** Bytes of the original fragment, from the start of its moof. */
export interface OriginalRange {
  readonly offset: number;
  readonly size: number;
}

/** A fragment made of new bytes and ranges of the original, to be sent in this order. */
export interface EditedFragment {
  readonly pieces: readonly (Uint8Array | OriginalRange)[];
  /** Total bytes of all pieces. */
  readonly size: number;
}

/**
 * The parameter sets of a track in the form in which samples carry them: NAL units, each preceded by its 4-byte
 * length.
 */
export function parameterSetsOf(track: VideoTrack): Uint8Array {
  const out = new ByteWriter(track.config.length * 2);
  for (const nal of nalsOf(track)) {
    out.u32(nal.length);
    out.bytes(nal);
  }
  return out.finish();
}

function nalsOf({ codec, config }: VideoTrack): Uint8Array[] {
  if (codec === 'h264') {
    const { sps, pps } = parseAvcC(config);
    return [...sps, ...pps];
  }
  const { vps, sps, pps } = parseHvcC(config);
  return [...vps, ...sps, ...pps];
}
