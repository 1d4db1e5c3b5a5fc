/**
 * Wall clock and timers as a parameter of every class of the player and the timeline, so that tests control
 * time.
 */
export interface PageClock {
  /** Milliseconds since the epoch by this machine's clock, which may step. */
  wallMs(): number;
  /** Monotonic milliseconds, from an arbitrary start. They may stop while the machine sleeps. */
  monotonicMs(): number;
  /** Calls `run` once after `delayMs`; the returned function cancels. */
  after(delayMs: number, run: () => void): Disposer;
  /** Calls `run` every `periodMs` until cancelled. */
  every(periodMs: number, run: () => void): Disposer;
  /** A number in [0, 1) for jitter. */
  random(): number;
}

export type Disposer = () => void;

export const browserClock: PageClock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
  every(periodMs, run) {
    const timer = setInterval(run, periodMs);
    return () => clearInterval(timer);
  },
  random: () => Math.random(),
};
