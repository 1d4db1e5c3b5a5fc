/** Presentation times of the frames in fragments, for stepping from frame to frame. */
import { walkBoxes } from './box.ts';
import { parseFragmentHeader } from './read-moof.ts';

/** One picture on the screen, ticks of its track; `endPts` is the next one's beginning. */
export interface ShownFrame {
  readonly startPts: number;
  readonly endPts: number;
}

/**
 * The frames of one track in whole fragments, in the order in which they are shown.
 * @param bytes moof and mdat, any number of times; other boxes are passed over
 * @throws MalformedError when one is cut short or has another layout than ours (see `parseFragmentHeader`)
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
