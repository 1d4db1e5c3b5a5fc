import type { Disposer, PageClock } from '../base/clock.ts';
import type { StillFrame, StillSource } from './key-frame-stills.ts';

export interface ScrubberOptions {
  readonly clock: PageClock;
  readonly stills: StillSource;
  /** A still frame that could not be fetched: reported once for each; the scrubber continues. */
  readonly onError: (error: unknown) => void;
}

/** The requested moment and its still frame. */
export interface Scrub {
  /** The requested moment; undefined when the viewer isn't scrubbing. */
  readonly requestedMs: number | undefined;
  /** The newest still frame; of an earlier request while the current one is in progress. */
  readonly still: StillFrame | undefined;
  /** Counts the still frames: the same element may show another frame. */
  readonly count: number;
}

/** A request that takes longer is abandoned when there is a newer one: the viewer has moved on. */
const PATIENCE_MS = 250;

/**
 * Shows the recorded frame at the moment that the viewer scrubs to. The latest request wins: while one still
 * frame loads, requests replace each other and only the last one is sent next.
 */
export class Scrubber {
  readonly #options: ScrubberOptions;
  readonly #listeners = new Set<() => void>();
  #scrub: Scrub = { requestedMs: undefined, still: undefined, count: 0 };
  #asking:
    { readonly controller: AbortController; readonly sinceMs: number; readonly ms: number } | undefined;
  #cancelPatience: Disposer | undefined;

  constructor(options: ScrubberOptions) {
    this.#options = options;
  }

  /** The same object until something changes. */
  readonly getScrub = (): Scrub => this.#scrub;

  readonly subscribe = (listener: () => void): Disposer => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Requests the frame of a moment, or ends scrubbing. */
  request(utcMs: number | undefined): void {
    if (utcMs === this.#scrub.requestedMs) return;
    this.#change({ requestedMs: utcMs, ...(utcMs === undefined ? { still: undefined } : {}) });
    if (utcMs === undefined) this.#giveUp();
    else if (!this.#asking) this.#ask(utcMs);
    else this.#losePatience(this.#asking.sinceMs);
  }

  /** Idempotent. */
  dispose(): void {
    this.#giveUp();
    this.#listeners.clear();
    this.#options.stills.dispose();
  }

  #ask(utcMs: number): void {
    const { clock, stills, onError } = this.#options;
    const controller = new AbortController();
    const asking = { controller, sinceMs: clock.monotonicMs(), ms: utcMs };
    this.#asking = asking;
    stills.at(utcMs, controller.signal).then(
      (still) => {
        if (this.#asking === asking) this.#answered(asking.ms, still);
      },
      (error: unknown) => {
        if (this.#asking !== asking) return;
        if (!controller.signal.aborted) onError(error);
        this.#answered(asking.ms, undefined);
      },
    );
  }

  #answered(ms: number, still: StillFrame | undefined): void {
    this.#asking = undefined;
    this.#cancelPatience?.();
    const { requestedMs } = this.#scrub;
    if (requestedMs === undefined) return;
    if (requestedMs === ms || still) this.#change({ still });
    if (requestedMs !== ms) this.#ask(requestedMs);
  }

  #losePatience(sinceMs: number): void {
    const { clock } = this.#options;
    this.#cancelPatience?.();
    const leftMs = Math.max(0, sinceMs + PATIENCE_MS - clock.monotonicMs());
    this.#cancelPatience = clock.after(leftMs, () => {
      const asking = this.#asking;
      if (!asking || this.#scrub.requestedMs === asking.ms) return;
      asking.controller.abort();
      this.#answered(asking.ms, undefined);
    });
  }

  #giveUp(): void {
    this.#cancelPatience?.();
    this.#asking?.controller.abort();
    this.#asking = undefined;
  }

  #change(change: Partial<Omit<Scrub, 'count'>>): void {
    this.#scrub = { ...this.#scrub, ...change, count: this.#scrub.count + 1 };
    for (const listener of this.#listeners) listener();
  }
}
