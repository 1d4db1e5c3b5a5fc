import { MalformedError } from '@vidette/media/malformed';
import { parseInit } from '@vidette/media/fmp4/read-init';
import { shownFrames } from '@vidette/media/fmp4/shown-frames';

/** One frame: shown from `startMs` until `endMs`, UTC. */
export interface Frame {
  readonly startMs: number;
  readonly endMs: number;
}

/** An hour of frames at the rates of fast cameras is far below this; beyond it the oldest are dropped. */
const FRAMES_LIMIT = 100_000;
/** Times that differ by less are equal: rounding between ticks and milliseconds, ms. */
const SAME_MS = 0.5;

/**
 * The frames in the buffer, by presentation time, so that playback can step from one to the next whatever the
 * frame rate and the order of arrival. Fed with the same bytes that are appended.
 */
export class FrameIndex {
  #frames: Frame[] = [];
  #track: { readonly id: number; readonly timescale: number } | undefined;

  /** An init segment or whole fragments. Anything else has no frames here; the element judges it. */
  add(bytes: Uint8Array): void {
    try {
      if (isInit(bytes)) {
        this.#track = parseInit(bytes).find((track) => track.kind === 'video');
        return;
      }
      if (!this.#track) return;
      const { id, timescale } = this.#track;
      const toMs = (ticks: number) => (ticks / timescale) * 1000;
      this.#insert(
        shownFrames(bytes, id).map(({ startPts, endPts }) => ({
          startMs: toMs(startPts),
          endMs: toMs(endPts),
        })),
      );
    } catch (error) {
      if (!(error instanceof MalformedError)) throw error;
    }
  }

  /** Removes the frames that begin in a span, ms of UTC. */
  remove(startMs: number, endMs: number): void {
    const from = this.#indexFrom(startMs);
    this.#frames.splice(from, this.#indexFrom(endMs) - from);
  }

  clear(): void {
    this.#frames = [];
  }

  /** The frame on screen at a moment: the last that has begun. */
  at(ms: number): Frame | undefined {
    const frame = this.#frames[this.#indexFrom(ms + SAME_MS) - 1];
    return frame;
  }

  /** The frame after or before the one at a moment. */
  neighbour(ms: number, direction: 1 | -1): Frame | undefined {
    const here = this.#indexFrom(ms + SAME_MS) - 1;
    return this.#frames[here + direction];
  }

  /** Frame rate around a moment, from consecutive frames; undefined where fewer than two are known. */
  rateAt(ms: number): number | undefined {
    const end = this.#indexFrom(ms + SAME_MS);
    const shown = this.#frames.slice(Math.max(0, end - 25), end);
    const [first] = shown;
    const last = shown.at(-1);
    if (!first || !last || shown.length < 2) return undefined;
    return ((shown.length - 1) * 1000) / (last.startMs - first.startMs);
  }

  /** The first frame that begins at or after a moment. */
  #indexFrom(ms: number): number {
    let low = 0;
    let high = this.#frames.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#frames[middle]?.startMs ?? 0) < ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #insert(added: readonly Frame[]): void {
    const [first] = added;
    const last = added.at(-1);
    if (!first || !last) return;
    const from = this.#indexFrom(first.startMs - SAME_MS);
    const to = this.#indexFrom(last.endMs - SAME_MS);
    this.#frames.splice(from, to - from, ...added);
    if (this.#frames.length > FRAMES_LIMIT) this.#frames.splice(0, this.#frames.length - FRAMES_LIMIT);
  }
}

/** ISO/IEC 14496-12, 4.3: an init segment of ours begins with its file type box. */
export function isInit(bytes: Uint8Array): boolean {
  return bytes[4] === 0x66 && bytes[5] === 0x74 && bytes[6] === 0x79 && bytes[7] === 0x70;
}
