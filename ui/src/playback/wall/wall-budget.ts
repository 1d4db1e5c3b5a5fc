/** Measurements of one visible tile since the last decision. */
export interface TileLoad {
  readonly id: string;
  /** Its area on the screen. */
  readonly pixels: number;
  /** The enlarged tile; it is the last to stop moving. */
  readonly isEnlarged: boolean;
  /** All frames are requested, not key frames only. */
  readonly isMoving: boolean;
  /** Frames that the browser had to show, and those of them that it dropped. */
  readonly frames: number;
  readonly dropped: number;
}

/** Measurements of the whole page since the last decision. */
export interface BudgetInput {
  readonly tiles: readonly TileLoad[];
  /** 90th percentile of the intervals between paints, ms; undefined when nothing was measured. */
  readonly paintMs: number | undefined;
  readonly nowMs: number;
}

const FIRST_TILES = 4;
/**
 * The share of dropped frames and the interval between paints that count as strain; and those that count as
 * overload.
 */
const STRAIN = { dropped: 0.05, paintMs: 70 };
const OVERLOAD = { dropped: 0.2, paintMs: 150 };
/** Shares of fewer frames are not significant. */
const LEAST_FRAMES = 20;
/** How long a change takes to have an effect. */
const SETTLE_MS = 2000;
const CALM_MS = 8000;
const LONGEST_CALM_MS = 300_000;
/** An increase reverted within this time was one too many: the next is tried later. */
const REGRET_MS = 20_000;

/**
 * How many tiles of a wall may move, determined on the actual machine: a few at first, more while all goes
 * well, fewer at the first sign of strain; the rest show key frames. The largest tiles move first.
 */
export class WallBudget {
  #allowed = FIRST_TILES;
  #hasStrained = false;
  #calmMs = CALM_MS;
  #changedMs = -Infinity;
  #raisedMs = -Infinity;
  #calmSinceMs: number | undefined;

  /** The number of tiles that may move simultaneously. */
  get allowed(): number {
    return this.#allowed;
  }

  /** Ids of the tiles that may move from now on. */
  decide(input: BudgetInput): ReadonlySet<string> {
    const moving = input.tiles.filter(({ isMoving }) => isMoving);
    if (input.nowMs - this.#changedMs >= SETTLE_MS) this.#weigh(input, moving);
    const ranked = [...input.tiles].sort(
      (a, b) => Number(b.isEnlarged) - Number(a.isEnlarged) || b.pixels - a.pixels,
    );
    return new Set(ranked.slice(0, this.#allowed).map(({ id }) => id));
  }

  #weigh({ tiles, paintMs = 0, nowMs }: BudgetInput, moving: readonly TileLoad[]): void {
    const frames = moving.reduce((sum, tile) => sum + tile.frames, 0);
    const dropped = moving.reduce((sum, tile) => sum + tile.dropped, 0);
    const share = frames < LEAST_FRAMES ? 0 : dropped / frames;
    const exceeds = (limit: typeof STRAIN) => share > limit.dropped || paintMs > limit.paintMs;
    if (exceeds(STRAIN)) {
      this.#lower(moving.length, exceeds(OVERLOAD) ? 0.5 : 0.8, nowMs);
      return;
    }
    this.#calmSinceMs ??= nowMs;
    // A limit above the number of tiles has not been tested.
    if (moving.length < this.#allowed || this.#allowed >= tiles.length) return;
    if (!this.#hasStrained) this.#raise(this.#allowed * 2, nowMs);
    else if (nowMs - this.#calmSinceMs >= this.#calmMs) this.#raise(this.#allowed + 1, nowMs);
  }

  #lower(moving: number, share: number, nowMs: number): void {
    if (this.#hasStrained && nowMs - this.#raisedMs < REGRET_MS) {
      this.#calmMs = Math.min(LONGEST_CALM_MS, this.#calmMs * 2);
    }
    this.#hasStrained = true;
    // Other processes strain a machine as well, and one moving video is no more than any page with a video
    // needs.
    this.#allowed = Math.max(1, Math.floor(moving * share));
    this.#calmSinceMs = undefined;
    this.#changedMs = nowMs;
  }

  #raise(allowed: number, nowMs: number): void {
    this.#allowed = allowed;
    this.#raisedMs = this.#changedMs = nowMs;
    this.#calmSinceMs = undefined;
  }
}
