import type { PlayerState } from '../player/state.ts';

/** What a screen shows of a tile; a new value at each change. */
export interface TileSnapshot {
  readonly state: PlayerState;
  /** Only key frames are shown, to spare the machine. */
  readonly isKeyFrames: boolean;
  /** The shared moment of the archive is not recorded here. */
  readonly isInGap: boolean;
  readonly isArchive: boolean;
  /** The codec that the server converts for this tile, as people call it; undefined while it comes as it is. */
  readonly converted: string | undefined;
}

/** Before anything is wanted of it. */
export const emptyTile: TileSnapshot = {
  state: { name: 'idle' },
  isKeyFrames: false,
  isInGap: false,
  isArchive: false,
  converted: undefined,
};

/** Whether the server answers but no frames come of the source; the server may know why. */
export function isSourceAway(state: PlayerState): boolean {
  return state.name === 'waiting' && (state.reason === 'source' || state.reason === 'silent');
}
