import type { NothingSpec } from '../feed-spec.ts';
import type { TileArchive, TileSpec } from './tile-spec.ts';

/** Whether a tile is enlarged, covered by an enlarged one, or neither. */
export type TileSetting = 'enlarged' | 'covered' | 'among others';

/** Visibility and size of a tile, device pixels. */
export interface TileSight {
  readonly isInSight: boolean;
  readonly widthPx: number;
  readonly heightPx: number;
}

/** What determines what a tile shows, besides its size. */
export interface TileCircumstances {
  /** The page is visible, or has been hidden for a short while only. */
  readonly isAwake: boolean;
  readonly place: TileSetting;
  /** What the budget allows: all frames, or key frames only. */
  readonly isMoving: boolean;
  /** The sub-stream sends nothing. */
  readonly isSubAway: boolean;
  /** Undefined: live. */
  readonly archive: TileArchive | undefined;
}

/**
 * Tiles up to this width get the sub-stream, if there is one; they switch back to the main stream only well
 * above.
 */
const SMALL_PX = 700;
const SMALL_UNTIL_PX = 800;

/**
 * What a tile is to show, from its place and size on the page, the wall's budget and the viewer's request. Out
 * of view it holds neither data nor a channel.
 */
export class TileConditions {
  #sight: TileSight = { isInSight: false, widthPx: 0, heightPx: 0 };
  #isSmall = true;
  #now: TileCircumstances = {
    isAwake: true,
    place: 'among others',
    isMoving: false,
    isSubAway: false,
    archive: undefined,
  };

  get now(): TileCircumstances {
    return this.#now;
  }

  /** Area on the screen. */
  get pixels(): number {
    return this.#sight.widthPx * this.#sight.heightPx;
  }

  get spec(): TileSpec | NothingSpec {
    const { isAwake, place, isMoving, isSubAway, archive } = this.#now;
    if (!this.#sight.isInSight || !isAwake || place === 'covered') return { kind: 'nothing' };
    if (archive) return { kind: 'syncedArchive', archive };
    const isSub = this.#isSmall && place !== 'enlarged' && !isSubAway;
    return { kind: 'live', stream: isSub ? 'sub' : 'main', frames: isMoving ? 'moving' : 'keyFrames' };
  }

  /** The tile came into view, left it, or was resized. */
  see(sight: TileSight): void {
    this.#sight = sight;
    this.#isSmall = sight.widthPx <= (this.#isSmall ? SMALL_UNTIL_PX : SMALL_PX);
  }

  change(change: Partial<TileCircumstances>): void {
    this.#now = { ...this.#now, ...change };
  }
}
