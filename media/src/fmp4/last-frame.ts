/** The last frame of a track in a fragment: its duration may be known only when the next fragment arrives. */
import { MalformedError } from '../malformed.ts';
import { findBox, walkBoxes } from './box.ts';
import { parseFragmentHeader, TRUN } from './read-moof.ts';

/** Times in ticks, as the fragment states them. */
export interface LastFrame {
  /** Decode time of the first frame. */
  readonly firstDts: number;
  /** Decode time of the last frame. */
  readonly dts: number;
  readonly duration: number;
  /** Where the duration is written, bytes from the start of the fragment. */
  readonly durationAt: number;
}

/** version and flags, sample_count, data_offset: what precedes the samples in a trun of this project. */
const ROWS_AT = 12;

/**
 * Undefined if the fragment has no sample of the track.
 * @param fragment one moof, and what follows it
 * @throws MalformedError if it is truncated or has another layout than that of `moof.ts`
 */
export function lastFrame(fragment: Uint8Array, trackId: number): LastFrame | undefined {
  const moof = findBox(fragment, 'moof');
  if (!moof) throw new MalformedError('no moof');
  const header = parseFragmentHeader(fragment.subarray(moof.offset, moof.offset + moof.size));
  const index = header.tracks.findIndex((track) => track.trackId === trackId);
  const track = header.tracks[index];
  const last = track?.samples.at(-1);
  if (!track || !last) return undefined;
  const traf = [...walkBoxes(moof.body)].filter(({ type }) => type === 'traf')[index];
  const trun = traf && findBox(traf.body, 'trun')?.body;
  if (!trun) throw new MalformedError('no trun');
  const has = new DataView(trun.buffer, trun.byteOffset).getUint32(0) & 0xffffff;
  if ((has & (TRUN.dataOffset | TRUN.firstSampleFlags | TRUN.duration)) !== (TRUN.dataOffset | TRUN.duration))
    throw new MalformedError('trun of another layout');
  const fields = [TRUN.duration, TRUN.size, TRUN.flags, TRUN.compositionOffset];
  const rowBytes = 4 * fields.filter((field) => (has & field) !== 0).length;
  const rowAt = ROWS_AT + (track.samples.length - 1) * rowBytes;
  return {
    firstDts: track.baseDts,
    dts: track.endDts - last.duration,
    duration: last.duration,
    durationAt: trun.byteOffset - fragment.byteOffset + rowAt,
  };
}

/** Replaces the stated duration in the fragment from which the frame was read. */
export function setDuration(fragment: Uint8Array, { durationAt }: LastFrame, duration: number): void {
  new DataView(fragment.buffer, fragment.byteOffset).setUint32(durationAt, duration);
}
