/**
 * The first frame of a fragment as a fragment of its own with the duration of the whole: needed for seeking, or
 * for playback too fast to decode every frame.
 */
import { readBoxHeader } from './box.ts';
import { moofAndMdatHeader } from './moof.ts';
import { MAX_MOOF_BYTES, parseFragmentHeader } from './read-moof.ts';
import type { FragmentTrackHeader } from './read-moof.ts';
import { MalformedError } from '../malformed.ts';

export type KeyFragment =
  /**
   * This many bytes from the start of the fragment are needed; a second call with them may once request more.
   */
  | { readonly type: 'needs'; readonly bytes: number }
  | {
      readonly type: 'whole';
      /** moof and mdat with one sample. */
      readonly bytes: Uint8Array<ArrayBuffer>;
      /** Presentation time of the frame, and of the first frame of the next fragment, ticks of the track. */
      readonly startPts: number;
      readonly endPts: number;
      /** Number of bytes of the original that were read. */
      readonly usedBytes: number;
    }
  /** The fragment does not begin with a frame of this track. */
  | { readonly type: 'none' };

/**
 * @param bytes the fragment from its first byte on, as far as it is known
 * @param trackId of the frames
 * @throws MalformedError for a fragment with another layout than that of this project (see
 * `parseFragmentHeader`)
 */
export function keyFragment(bytes: Uint8Array, trackId: number): KeyFragment {
  const box = readBoxHeader(bytes);
  if (!box) return { type: 'needs', bytes: 16 };
  const moofSize = box.size ?? 0;
  if (box.type !== 'moof' || moofSize === 0 || moofSize > MAX_MOOF_BYTES) {
    throw new MalformedError('not a fragment');
  }
  if (bytes.length < moofSize) return { type: 'needs', bytes: moofSize };
  const header = parseFragmentHeader(bytes.subarray(0, moofSize));
  const track = header.tracks.find((one) => one.trackId === trackId);
  const first = track?.samples[0];
  if (!track || !first?.isKey) return { type: 'none' };
  const usedBytes = track.dataOffset + first.size;
  if (bytes.length < usedBytes) return { type: 'needs', bytes: usedBytes };
  const { startPts, endPts } = shownSpan(track);
  const head = moofAndMdatHeader(header.sequence, [
    {
      trackId,
      descriptionIndex: track.descriptionIndex,
      baseDts: track.baseDts,
      samples: [{ ...first, duration: track.endDts - track.baseDts }],
    },
  ]);
  const whole = new Uint8Array(head.length + first.size);
  whole.set(head);
  whole.set(bytes.subarray(track.dataOffset, usedBytes), head.length);
  return { type: 'whole', bytes: whole, startPts, endPts, usedBytes };
}

function shownSpan(track: FragmentTrackHeader): { startPts: number; endPts: number } {
  const startPts = track.baseDts + (track.samples[0]?.compositionOffset ?? 0);
  return { startPts, endPts: startPts + track.endDts - track.baseDts };
}
