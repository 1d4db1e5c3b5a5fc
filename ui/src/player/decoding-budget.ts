/** What the budget is judged from, looked at some times a second. */
export interface DecodingLook {
  /** On the monotonic clock. */
  readonly nowMs: number;
  /** Pictures that reached the screen since the element began. */
  readonly shownFrames: number;
  /** Of the stream itself, frames a second; undefined while that is not known. */
  readonly rate: number | undefined;
  readonly speed: number;
  /** It is playing: not paused, seeking or waiting for the server. */
  readonly isPlaying: boolean;
  /** It plays, but ran out of data since the last look. */
  readonly hasStalled: boolean;
}

/** Looked at for so long before anything is decided; shorter troubles pass. */
const WINDOW_MS = 2_000;
/** Fewer frames a second than this look like a stutter rather than like speed. */
const LEAST_FRAMES_PER_S = 6;
/** ... unless the stream itself has no more: then this share of them must be shown. */
const LEAST_SHARE = 0.25;
const STALLS_LIMIT = 3;
const STALLS_WITHIN_MS = 8_000;

/**
 * Says when this machine, or the way to it, can't keep up with all frames at a speed above 1, so that only key frames
 * are decoded: a steady row of few frames instead of a stuttering one. What was too fast once stays so.
 */
export class DecodingBudget {
  #window: { readonly sinceMs: number; readonly shownFrames: number } | undefined;
  #stalls: number[] = [];
  #tooFast = Infinity;

  /** Whether only key frames are to be played at a speed. */
  isKeyFramesOnly(speed: number): boolean {
    return speed >= this.#tooFast;
  }

  /** True when this look has lowered the budget. */
  look(look: DecodingLook): boolean {
    const { nowMs, speed, shownFrames } = look;
    if (speed <= 1 || !look.isPlaying || this.isKeyFramesOnly(speed)) {
      this.#window = undefined;
      return false;
    }
    if (look.hasStalled) this.#stalls.push(nowMs);
    this.#stalls = this.#stalls.filter((atMs) => nowMs - atMs < STALLS_WITHIN_MS);
    this.#window ??= { sinceMs: nowMs, shownFrames };
    const elapsedMs = nowMs - this.#window.sinceMs;
    const isStalling = this.#stalls.length >= STALLS_LIMIT;
    if (elapsedMs < WINDOW_MS && !isStalling) return false;
    const perSecond = ((shownFrames - this.#window.shownFrames) * 1000) / Math.max(1, elapsedMs);
    const wanted = look.rate === undefined ? LEAST_FRAMES_PER_S : look.rate * speed * LEAST_SHARE;
    this.#window = undefined;
    if (!isStalling && perSecond >= Math.min(LEAST_FRAMES_PER_S, wanted)) return false;
    this.#stalls = [];
    this.#tooFast = speed;
    return true;
  }

  /** Something else is played: what was learnt of this stream's size no longer holds. */
  reset(): void {
    this.#window = undefined;
    this.#stalls = [];
    this.#tooFast = Infinity;
  }
}
