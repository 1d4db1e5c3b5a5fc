import type { MediaElement } from '../player/media-element.ts';

/** What a wall's tile uses of its video element; a test gives its own. */
export interface TileVideo extends MediaElement {
  getVideoPlaybackQuality(): { readonly totalVideoFrames: number; readonly droppedVideoFrames: number };
}

/** What fills a tile: the live video, its key frames, or the archive. Made and disposed with each change of them. */
export interface TileFeed {
  /** Called some times a second. */
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
