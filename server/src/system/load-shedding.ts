import { yieldOrder } from '@vidette/contract/overload';
import type { Cancel, Clock } from '../base/clock.ts';
import type { LoadLevel } from '../base/load-level.ts';
import type { Log } from '../base/log.ts';

/** How hard recording has it, of the process or stream that has it hardest. */
export interface LoadFigures {
  /** The longest delay of an event loop that records, in its last report, ms. */
  readonly eventLoopDelayMs: number;
  /** How long the write that is in progress has taken so far, ms. */
  readonly writeDelayMs: number;
  /** What waits in memory to be written, of one stream. */
  readonly waitingBytes: number;
  /** The same of all streams of a process, relative to the limit beyond which footage is dropped. */
  readonly backlogPercent: number;
}

interface FigureLimits {
  /** From here on the server is overloaded. */
  readonly overloaded: number;
  /** Below this it is calm. In between, everything stays as it is. */
  readonly calm: number;
  /** The highest level that this figure leads to. */
  readonly highestLevel: number;
}

/** Only these read or write the archive's disk in amounts: pausing the others does not make a disk faster. */
const diskLevel = yieldOrder.indexOf('thumbnails') + 1;

/** How they were chosen: design/engines.md. */
const limits: Readonly<Record<keyof LoadFigures, FigureLimits>> = {
  eventLoopDelayMs: { overloaded: 250, calm: 125, highestLevel: yieldOrder.length },
  writeDelayMs: { overloaded: 2_000, calm: 1_000, highestLevel: diskLevel },
  waitingBytes: { overloaded: 4 * 1024 * 1024, calm: 2 * 1024 * 1024, highestLevel: diskLevel },
  backlogPercent: { overloaded: 25, calm: 12, highestLevel: diskLevel },
};
const kinds = Object.keys(limits) as (keyof LoadFigures)[];

const lookMs = 1_000;
/** So many overloaded looks in a row lead to the next level: one hiccup never does. */
const overloadedLooks = 3;
/** So long a calm leads back by one level; doubled by each relapse, up to the longest. */
const calmMs = 4_000;
const longestCalmMs = 128_000;
/** An overload within this time after a step back is a relapse: what had gone on was too much. */
const relapseMs = 30_000;
/** After this long without anything waiting, earlier relapses are forgotten. */
const forgetMs = 300_000;

export interface LoadSheddingOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly load: LoadLevel;
  /** Called once a second. */
  readonly figures: () => LoadFigures;
}

/**
 * Decides what waits so that recording goes on: one level further after some seconds of overload in a row, one level
 * back after a calm.
 */
export class LoadShedding {
  readonly #options: LoadSheddingOptions;
  readonly #cancel: Cancel;
  #overloadedLooks = 0;
  /** Monotonic, as all times here; undefined while it is not calm. */
  #calmSinceMs: number | undefined;
  #calmMs = calmMs;
  /** Of the last step back. */
  #backMs = Number.NEGATIVE_INFINITY;

  constructor(options: LoadSheddingOptions) {
    this.#options = options;
    this.#cancel = options.clock.every(lookMs, () => this.#look());
  }

  close(): void {
    this.#cancel();
  }

  #look(): void {
    const { clock, load } = this.#options;
    const figures = this.#options.figures();
    const nowMs = clock.monotonicMs();
    const cause = kinds.find(
      (kind) => figures[kind] >= limits[kind].overloaded && limits[kind].highestLevel > load.level,
    );
    this.#overloadedLooks = cause === undefined ? 0 : this.#overloadedLooks + 1;
    const isCalm = kinds.every(
      (kind) => figures[kind] < limits[kind].calm || limits[kind].highestLevel < load.level,
    );
    this.#calmSinceMs = isCalm ? (this.#calmSinceMs ?? nowMs) : undefined;
    if (cause !== undefined && this.#overloadedLooks >= overloadedLooks) this.#goOn(cause, figures, nowMs);
    else if (this.#calmSinceMs !== undefined) this.#rest(nowMs - this.#calmSinceMs, nowMs);
  }

  #goOn(cause: keyof LoadFigures, figures: LoadFigures, nowMs: number): void {
    const { load, log } = this.#options;
    if (nowMs - this.#backMs < relapseMs) this.#calmMs = Math.min(longestCalmMs, this.#calmMs * 2);
    // Further steps of the same overload are no relapses.
    this.#backMs = Number.NEGATIVE_INFINITY;
    this.#overloadedLooks = 0;
    load.set(load.level + 1);
    const facts = { level: load.level, waiting: load.waiting, cause, figure: Math.round(figures[cause]) };
    log.warn(facts, `The server is overloaded: ${load.waiting.join(', ')} must wait`);
  }

  #rest(calmForMs: number, nowMs: number): void {
    const { load, log } = this.#options;
    if (load.level === 0) {
      if (calmForMs >= forgetMs) this.#calmMs = calmMs;
      return;
    }
    if (calmForMs < this.#calmMs) return;
    this.#calmSinceMs = nowMs;
    this.#backMs = nowMs;
    const continued = load.waiting.at(-1);
    load.set(load.level - 1);
    log.info(
      { level: load.level, waiting: load.waiting, calmMs: this.#calmMs },
      `${continued}: goes on again`,
    );
  }
}
