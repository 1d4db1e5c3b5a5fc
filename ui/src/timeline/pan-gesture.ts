/** A press that moves less than this is a click. */
const CLICK_SLOP_PX = 5;
/** A throw is a drag that still moves when it is let go: at most so long ago, at least so fast. */
const THROW_WITHIN_MS = 60;
const THROW_OVER_PX_PER_S = 200;
/** Speed of what was thrown falls to a third in this time, and is over below so many pixels a second. */
const GLIDE_MS = 250;
const GLIDE_OVER_PX_PER_S = 20;

interface PanPress {
  readonly startPx: number;
  lastPx: number;
  lastMs: number;
  /** Of the pointer, px per second. */
  speed: number;
  hasMoved: boolean;
}

/** One pointer that presses: a click, or a drag that may glide on by itself when it is let go. Times are monotonic ms. */
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

  /** How far the pointer has dragged since the last call, px; undefined when it drags nothing. */
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

  /** What the press was; undefined when there was none. */
  release(nowMs: number): 'click' | 'drag' | undefined {
    const press = this.#press;
    this.#press = undefined;
    if (!press) return undefined;
    if (!press.hasMoved) return 'click';
    const isThrown = nowMs - press.lastMs < THROW_WITHIN_MS && Math.abs(press.speed) > THROW_OVER_PX_PER_S;
    this.#glideSpeed = isThrown ? press.speed : 0;
    return 'drag';
  }

  /** The press is given up, and nothing glides. */
  cancel(): void {
    this.#press = undefined;
    this.#glideSpeed = 0;
  }

  /** How far what was thrown goes on in some time, px. */
  glide(elapsedMs: number): number {
    const byPx = (this.#glideSpeed * elapsedMs) / 1000;
    this.#glideSpeed *= Math.exp((-1.1 * elapsedMs) / GLIDE_MS);
    if (Math.abs(this.#glideSpeed) < GLIDE_OVER_PX_PER_S) this.#glideSpeed = 0;
    return byPx;
  }
}
