import type { MediaElement } from '../media-element.ts';

/** Frames that an element had to show, and those of them that it dropped. */
export interface FrameCount {
  readonly frames: number;
  readonly dropped: number;
}

/** Counts an element's frames between two readings. */
export class FrameCounter {
  readonly #video: MediaElement;
  #before: FrameCount = { frames: 0, dropped: 0 };

  constructor(video: MediaElement) {
    this.#video = video;
  }

  /** Since the last call. */
  take(): FrameCount {
    const { totalVideoFrames: frames, droppedVideoFrames: dropped } = this.#video.getVideoPlaybackQuality();
    const before = this.#before;
    this.#before = { frames, dropped };
    // A new source resets the counters.
    return {
      frames: Math.max(0, frames - before.frames),
      dropped: Math.max(0, dropped - before.dropped),
    };
  }
}
