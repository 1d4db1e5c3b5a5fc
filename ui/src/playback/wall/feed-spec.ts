/** Whether a tile is enlarged, covered by an enlarged one, or neither. */
export type TileSetting = 'enlarged' | 'covered' | 'among others';

/** What a tile is to show; an equal string means that nothing has to change. */
export type FeedSpec = 'nothing' | 'archive' | `live ${'main' | 'sub'} ${'moving' | 'keyFrames'}`;

/**
 * What a codec belongs to: a camera's main stream and sub-stream may have different codecs, and its recordings
 * a third.
 */
export type StreamVariant = 'main' | 'sub' | 'archive';

export function variantOf(spec: FeedSpec): StreamVariant {
  if (spec === 'archive') return 'archive';
  return spec.includes(' sub ') ? 'sub' : 'main';
}
