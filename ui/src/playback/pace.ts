import { spanAt, type BufferedSpan } from './media-element.ts';

/** The input of a pace decision, seconds. */
export interface PaceInput {
  readonly spans: readonly BufferedSpan[];
  readonly currentTime: number;
  /** The element had nothing to play since the last decision. */
  readonly hasStalled: boolean;
  /** Time since the last decision. */
  readonly elapsedS: number;
}

/** The decision: play at `rate`, after a jump to `jumpTo` if present. */
export interface PaceDecision {
  readonly rate: number;
  readonly jumpTo?: number;
}

const LEAST_TARGET_S = 0.3;
const MOST_TARGET_S = 2;
/** Each stall raises the buffer target by this much; playback without stalls lowers it slowly. */
const STALL_ADDS_S = 0.2;
const QUIET_TAKES_S_PER_S = 0.01;
/** A delay greater than this is not caught up by playing faster. */
const FAR_BEHIND_S = 4;
/** At the start the buffer contains the GOP so far: the viewer wants the present, not some seconds ago. */
const START_BEHIND_S = 1;
const FASTEST = 1.1;
const SLOW = 0.97;
/** With an almost empty buffer every late frame causes a stall: build up a reserve within seconds. */
const SLOWEST = 0.9;
/** Close enough to the target to play at normal speed. */
const CALM_S = 0.12;

/**
 * Keeps live playback a fraction of a second behind the received media: slightly faster when it is behind,
 * slightly slower when the buffer runs low, a jump only when it is far behind or its data is gone. The target
 * follows the connection: larger after each stall, smaller again in quiet times.
 */
export class Pace {
  #targetS = LEAST_TARGET_S;
  #isStarting = true;

  /** Target amount of media ahead of the playhead, seconds. */
  get targetS(): number {
    return this.#targetS;
  }

  /** The next frame is a first one: jump to the newest immediately. */
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

/** Whole hundredths: the element's rate does not follow every tiny difference. */
function rounded(rate: number): number {
  return Math.round(rate * 100) / 100;
}
