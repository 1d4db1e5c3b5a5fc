/** A press that moves less than this is a click. */
const CLICK_SLOP_PX = 5;
/**
 * A throw is a drag that is still moving on release: the last move at most this long ago, at least this fast.
 */
const THROW_WITHIN_MS = 60;
const THROW_OVER_PX_PER_S = 200;
/** After a throw the speed falls to a third in this time, and gliding ends below this many pixels a second. */
const GLIDE_MS = 250;
const GLIDE_OVER_PX_PER_S = 20;

interface PanPress {
  readonly startPx: number;
  lastPx: number;
  lastMs: number;
  /** Speed of the pointer, px per second. */
  speed: number;
  hasMoved: boolean;
}

/** The press of one pointer: a click, or a drag that may glide on after release. Times are monotonic ms. */
export class PanGesture {
  #press: PanPress | undefined;
  #glideSpeed = 0;

  get isPressed(): boolean {
    return this.#press !== undefined;
  }

  get isDragging(): boolean {
    return this.#press?.hasMoved ?? false;
  }

  get isGliding(): boolean {
    return this.#glideSpeed !== 0;
  }

  press(px: number, nowMs: number): void {
    this.#glideSpeed = 0;
    this.#press = { startPx: px, lastPx: px, lastMs: nowMs, speed: 0, hasMoved: false };
  }

  /** Drag distance since the last call, px; undefined when nothing is dragged. */
  move(px: number, nowMs: number): number | undefined {
    const press = this.#press;
    if (!press || (!press.hasMoved && Math.abs(px - press.startPx) < CLICK_SLOP_PX)) return undefined;
    const byPx = px - press.lastPx;
    const elapsedMs = Math.max(1, nowMs - press.lastMs);
    press.hasMoved = true;
    press.speed = 0.6 * press.speed + 0.4 * ((byPx / elapsedMs) * 1000);
    press.lastPx = px;
    press.lastMs = nowMs;
    return byPx;
  }

  /** The kind of press; undefined when there was none. */
  release(nowMs: number): 'click' | 'drag' | undefined {
    const press = this.#press;
    this.#press = undefined;
    if (!press) return undefined;
    if (!press.hasMoved) return 'click';
    const isThrown = nowMs - press.lastMs < THROW_WITHIN_MS && Math.abs(press.speed) > THROW_OVER_PX_PER_S;
    this.#glideSpeed = isThrown ? press.speed : 0;
    return 'drag';
  }

  /** Cancels the press and any gliding. */
  cancel(): void {
    this.#press = undefined;
    this.#glideSpeed = 0;
  }

  /** Gliding distance in a given time, px. */
  glide(elapsedMs: number): number {
    const byPx = (this.#glideSpeed * elapsedMs) / 1000;
    this.#glideSpeed *= Math.exp((-1.1 * elapsedMs) / GLIDE_MS);
    if (Math.abs(this.#glideSpeed) < GLIDE_OVER_PX_PER_S) this.#glideSpeed = 0;
    return byPx;
  }
}
