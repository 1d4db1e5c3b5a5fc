import type { Disposer } from '../../base/clock.ts';

/** Calls back before the next paint with a monotonic time, ms; the returned function cancels. */
export type RequestFrame = (run: (nowMs: number) => void) => Disposer;

export const browserFrames: RequestFrame = (run) => {
  const id = requestAnimationFrame(run);
  return () => cancelAnimationFrame(id);
};

/** Intervals between paints, kept until they are read. A longer one means that the page was hidden. */
const AWAY_MS = 5000;

/** The page's real paint rate, which reflects the load that a user perceives. */
export class RenderLoadMeter {
  readonly #request: RequestFrame;
  #cancel: Disposer | undefined;
  #lastMs: number | undefined;
  #waitsMs: number[] = [];

  constructor(request: RequestFrame) {
    this.#request = request;
    this.#watch();
  }

  /** 90th percentile of the intervals between paints since the last call, ms; undefined without any. */
  take(): number | undefined {
    const waits = this.#waitsMs.sort((a, b) => a - b);
    this.#waitsMs = [];
    return waits[Math.floor(waits.length * 0.9)];
  }

  /** Idempotent. */
  dispose(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #watch(): void {
    this.#cancel = this.#request((nowMs) => {
      const waitMs = this.#lastMs === undefined ? undefined : nowMs - this.#lastMs;
      if (waitMs !== undefined && waitMs < AWAY_MS) this.#waitsMs.push(waitMs);
      this.#lastMs = nowMs;
      this.#watch();
    });
  }
}
