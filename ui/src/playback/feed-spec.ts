/** Nothing at all: no data, no channel, no buffer. */
export interface NothingSpec {
  readonly kind: 'nothing';
}

export interface LiveSpec {
  readonly kind: 'live';
  readonly stream: 'main' | 'sub';
  /** All frames, or the first frame of each GOP. */
  readonly frames: 'moving' | 'keyFrames';
}

/** The recordings of one stream, from a moment on. */
export interface ArchiveSpec {
  readonly kind: 'archive';
  readonly direction: 'forwards' | 'backwards';
}

/** What a player can show, apart from the moment. A wall's tiles have kinds of their own (`wall/tile-spec.ts`). */
export type PlayerSpec = LiveSpec | ArchiveSpec;

/**
 * What a codec belongs to: a camera's main stream and sub-stream may have different codecs, and its recordings
 * a third.
 */
export type StreamVariant = 'main' | 'sub' | 'archive';

/** How media is requested: as the camera sent it, transcoded by the server, or not at all. */
export type MediaForm = 'original' | 'transcoded' | 'none';
