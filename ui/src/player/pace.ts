import { spanAt, type BufferedSpan } from './media-element.ts';

/** What the pace is decided from, seconds. */
export interface PaceInput {
  readonly spans: readonly BufferedSpan[];
  readonly currentTime: number;
  /** The element had nothing to play since the last decision. */
  readonly hasStalled: boolean;
  /** Since the last decision. */
  readonly elapsedS: number;
}

/** What to do: play at `rate`, after going to `jumpTo` if there is one. */
export interface PaceDecision {
  readonly rate: number;
  readonly jumpTo?: number;
}

const LEAST_TARGET_S = 0.3;
const MOST_TARGET_S = 2;
/** Each stall asks for this much more in the buffer; quiet time gives it back slowly. */
const STALL_ADDS_S = 0.2;
const QUIET_TAKES_S_PER_S = 0.01;
/** Further behind than this is not caught up by playing faster. */
const FAR_BEHIND_S = 4;
/** At the start the GOP so far is in the buffer: the viewer wants now, not some seconds ago. */
const START_BEHIND_S = 1;
const FASTEST = 1.1;
const SLOW = 0.97;
/** With next to nothing in hand every late frame is a stall: build something up within seconds. */
const SLOWEST = 0.9;
/** Near enough to the target to play at the camera's own speed. */
const CALM_S = 0.12;

/**
 * Keeps live playback a fraction of a second behind what has arrived: a little faster when it fell behind, a little
 * slower when the buffer runs dry, a jump only when it is far behind or its data is gone. How much it keeps in hand
 * follows the connection: more after each stall, less again in quiet times.
 */
export class Pace {
  #targetS = LEAST_TARGET_S;
  #isStarting = true;

  /** How much is to lie ahead of the playhead, seconds. */
  get targetS(): number {
    return this.#targetS;
  }

  /** The next picture is the first one: go to the newest at once. */
  restart(): void {
    this.#isStarting = true;
  }

  decide(input: PaceInput): PaceDecision {
    const { spans, currentTime } = input;
    const newest = spans.at(-1);
    if (!newest) return { rate: 1 };
    if (this.#isStarting) {
      this.#isStarting = false;
      return this.#start(newest, currentTime);
    }
    if (input.hasStalled) this.#targetS = Math.min(MOST_TARGET_S, this.#targetS + STALL_ADDS_S);
    else {
      this.#targetS = Math.max(LEAST_TARGET_S, this.#targetS - QUIET_TAKES_S_PER_S * input.elapsedS);
    }
    const here = spanAt(spans, currentTime);
    const isCutOff =
      here === undefined ? newest.start > currentTime : here !== newest && here.end - currentTime < 0.1;
    if (isCutOff || newest.end - currentTime > FAR_BEHIND_S + this.#targetS) {
      return { rate: 1, jumpTo: this.#newestMoment(newest) };
    }
    const surplusS = newest.end - currentTime - this.#targetS;
    if (surplusS > CALM_S) return { rate: rounded(Math.min(FASTEST, 1.02 + 0.08 * surplusS)) };
    if (surplusS < -0.6 * this.#targetS) return { rate: SLOWEST };
    if (surplusS < -CALM_S) return { rate: SLOW };
    return { rate: 1 };
  }

  #start(newest: BufferedSpan, currentTime: number): PaceDecision {
    const isInside = currentTime >= newest.start && currentTime <= newest.end;
    if (isInside && newest.end - currentTime < START_BEHIND_S) return { rate: 1 };
    return { rate: 1, jumpTo: this.#newestMoment(newest) };
  }

  #newestMoment(newest: BufferedSpan): number {
    return Math.max(newest.start, newest.end - this.#targetS);
  }
}

/** Whole hundredths: the element is not told of every millisecond of difference. */
function rounded(rate: number): number {
  return Math.round(rate * 100) / 100;
}
