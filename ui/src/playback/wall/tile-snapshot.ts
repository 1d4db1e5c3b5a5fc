import type { PlayerState } from '../state.ts';

/** What a screen shows of a tile; a new value on each change. */
export interface TileSnapshot {
  readonly state: PlayerState;
  /** Only key frames are shown, to save resources. */
  readonly isKeyFrames: boolean;
  /** The server is overloaded and sends only key frames. */
  readonly isReduced: boolean;
  /** The shared moment of the archive is not recorded here. */
  readonly isInGap: boolean;
  readonly isArchive: boolean;
  /**
   * Common name of the codec that the server transcodes for this tile; undefined while the stream is
   * unmodified.
   */
  readonly converted: string | undefined;
}

/** Before any request. */
export const emptyTile: TileSnapshot = {
  state: { name: 'idle' },
  isKeyFrames: false,
  isReduced: false,
  isInGap: false,
  isArchive: false,
  converted: undefined,
};

/** Whether the server answers but no frames arrive from the source; the server may know why. */
export function isSourceAway(state: PlayerState): boolean {
  return state.name === 'waiting' && (state.reason === 'source' || state.reason === 'silent');
}
