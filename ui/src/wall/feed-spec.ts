/** Whether somebody looks at a tile in particular, or at another that lies over it. */
export type TileSetting = 'enlarged' | 'covered' | 'among others';

/** What a tile is to show at the moment; the same text means that nothing has to change. */
export type FeedSpec = 'nothing' | 'archive' | `live ${'main' | 'sub'} ${'moving' | 'keyFrames'}`;

/** What a codec belongs to: a camera's two frames may have two, and its recordings a third. */
export type StreamVariant = 'main' | 'sub' | 'archive';

export function variantOf(spec: FeedSpec): StreamVariant {
  if (spec === 'archive') return 'archive';
  return spec.includes(' sub ') ? 'sub' : 'main';
}
