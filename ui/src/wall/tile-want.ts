/** Whether somebody looks at a tile in particular, or at another that lies over it. */
export type TilePlace = 'enlarged' | 'covered' | 'among others';

/** What a tile is to show at the moment; the same text means that nothing has to change. */
export type Want = 'nothing' | 'archive' | `live ${'main' | 'sub'} ${'moving' | 'keyFrames'}`;

/** What a codec belongs to: a camera's two pictures may have two, and its recordings a third. */
export type Material = 'main' | 'sub' | 'archive';

export function materialOf(want: Want): Material {
  if (want === 'archive') return 'archive';
  return want.includes(' sub ') ? 'sub' : 'main';
}
