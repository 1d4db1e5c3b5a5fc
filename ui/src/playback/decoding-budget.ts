/** One sample for the budget, taken several times a second. */
export interface DecodingLook {
  /** On the monotonic clock. */
  readonly nowMs: number;
  /** Frames presented since the element was created. */
  readonly shownFrames: number;
  /** Frame rate of the stream itself, frames per second; undefined while unknown. */
  readonly rate: number | undefined;
  readonly speed: number;
  /** Playing: not paused, seeking or waiting for the server. */
  readonly isPlaying: boolean;
  /** Playback ran out of data since the last sample. */
  readonly hasStalled: boolean;
}

/** Sampling period before a decision; shorter problems pass by themselves. */
const WINDOW_MS = 2_000;
/** Fewer frames per second than this look like stuttering rather than fast playback. */
const LEAST_FRAMES_PER_S = 6;
/** ... unless the stream itself has fewer: then this share of them must be shown. */
const LEAST_SHARE = 0.25;
const STALLS_LIMIT = 3;
const STALLS_WITHIN_MS = 8_000;

/**
 * Decides when this machine, or the connection to it, can't keep up with all frames at a speed above 1, so that
 * only key frames are decoded: a steady sequence of few frames instead of stuttering. A speed that was too fast
 * stays so.
 */
export class DecodingBudget {
  #window: { readonly sinceMs: number; readonly shownFrames: number } | undefined;
  #stalls: number[] = [];
  #tooFast = Infinity;

  /** Whether only key frames are played at a speed. */
  isKeyFramesOnly(speed: number): boolean {
    return speed >= this.#tooFast;
  }

  /** True when this sample has lowered the budget. */
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

  /** Something else is played: what was learned about this stream no longer applies. */
  reset(): void {
    this.#window = undefined;
    this.#stalls = [];
    this.#tooFast = Infinity;
  }
}
