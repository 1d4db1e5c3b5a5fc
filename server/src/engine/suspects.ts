import type { Clock } from '../base/clock.ts';

/** Deaths further apart than this are not compared. */
export const suspicionMs = 3_600_000;
/** Two could be a coincidence. */
const deathsMin = 3;

/** What follows from a death that no note explains. */
export interface Suspicion {
  /** The only stream that was in all processes that died, after enough deaths. */
  readonly culprit: string | undefined;
  /** The streams of the dead process that are to run in another one, so that the next death says more. */
  readonly apart: readonly string[];
  /** The other half, which must not run together with those. */
  readonly left: readonly string[];
}

const noSuspicion: Suspicion = { culprit: undefined, apart: [], left: [] };

/** What the crashes so far have said. */
export interface SuspectsState {
  /** The streams that were in all processes that crashed. */
  readonly uids: readonly string[];
  readonly deaths: number;
  /** Of the last one, monotonic: the clock of the machine. */
  readonly deathMs: number;
}

/**
 * Finds the stream whose data crashes its process in a way that the process can't note, as when its heap is full: it
 * was in each process that crashed. From the second crash within an hour on, the streams that were in all of them are divided, while
 * their process is down anyway, until one is left.
 */
export class Suspects {
  readonly #clock: Clock;
  #uids: ReadonlySet<string> = new Set();
  #deathMs = -Infinity;
  #deaths = 0;

  /** @param earlier of an earlier front of the same run of the server */
  constructor(clock: Clock, earlier?: SuspectsState) {
    this.#clock = clock;
    if (!earlier) return;
    this.#uids = new Set(earlier.uids);
    this.#deaths = earlier.deaths;
    this.#deathMs = earlier.deathMs;
  }

  /** For the next front. */
  get state(): SuspectsState {
    return { uids: [...this.#uids], deaths: this.#deaths, deathMs: this.#deathMs };
  }

  /** A process that ran these streams crashed without a note. */
  noteDeath(streams: readonly string[]): Suspicion {
    const nowMs = this.#clock.monotonicMs();
    const common = nowMs - this.#deathMs < suspicionMs ? streams.filter((uid) => this.#uids.has(uid)) : [];
    this.#deathMs = nowMs;
    if (common.length === 0) {
      // Another cause than before.
      this.#uids = new Set(streams);
      this.#deaths = 1;
      return noSuspicion;
    }
    this.#uids = new Set(common);
    this.#deaths++;
    const [only, another] = common;
    if (another === undefined)
      return { ...noSuspicion, culprit: this.#deaths < deathsMin ? undefined : only };
    const half = Math.floor(common.length / 2);
    return { culprit: undefined, apart: common.slice(0, half), left: common.slice(half) };
  }
}
