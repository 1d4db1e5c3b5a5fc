/** Presentation times of the frames in fragments, for stepping from frame to frame. */
import { walkBoxes } from './box.ts';
import { parseFragmentHeader } from './read-moof.ts';

/** One displayed picture, ticks of its track; `endPts` is the start of the next one. */
export interface ShownFrame {
  readonly startPts: number;
  readonly endPts: number;
}

/**
 * The frames of one track in complete fragments, in presentation order.
 * @param bytes moof and mdat, any number of them; other boxes are skipped
 * @throws MalformedError if one is truncated or has another layout than that of this project (see
 * `parseFragmentHeader`)
 */
export function shownFrames(bytes: Uint8Array, trackId: number): ShownFrame[] {
  const frames: ShownFrame[] = [];
  for (const box of walkBoxes(bytes)) {
    if (box.type !== 'moof') continue;
    const { tracks } = parseFragmentHeader(bytes.subarray(box.offset, box.offset + box.size));
    const track = tracks.find((one) => one.trackId === trackId);
    if (!track) continue;
    let dts = track.baseDts;
    const shown: ShownFrame[] = [];
    for (const { duration, compositionOffset } of track.samples) {
      shown.push({ startPts: dts + compositionOffset, endPts: dts + compositionOffset + duration });
      dts += duration;
    }
    shown.sort((a, b) => a.startPts - b.startPts);
    shown.forEach((frame, index) => {
      frames.push({ startPts: frame.startPts, endPts: shown[index + 1]?.startPts ?? frame.endPts });
    });
  }
  return frames;
}
