import type { MediaElement } from '../media-element.ts';

/** The part of its video element that a wall's tile uses; tests supply their own. */
export interface TileVideo extends MediaElement {
  getVideoPlaybackQuality(): { readonly totalVideoFrames: number; readonly droppedVideoFrames: number };
}

/**
 * The feed of a tile: the live video, its key frames, or the archive. Created and disposed with each change of
 * them.
 */
export interface TileFeed {
  /** Called several times a second. */
  tick(): void;
  /** Everything appended was lost. */
  onSinkBroken(): void;
  /** The element began to show frames. */
  onPlaying?(): void;
  /** The element ran out of data. */
  onStalled?(): void;
  /** The network is back. */
  wake?(): void;
  /** Idempotent. */
  dispose(): void;
}
