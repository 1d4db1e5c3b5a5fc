import { PeriodicTimers } from './periodic-timers.ts';

/**
 * Wall clock, monotonic clock, timers and randomness, passed to every consumer so that tests control time.
 * Nothing else in the server calls Date.now, performance.now, setTimeout or Math.random (tools/import-rules.mjs checks it).
 */
export interface Clock {
  /**
   * Milliseconds since the epoch on the machine's clock, which may step. For display and initial anchors only.
   */
  wallMs(): number;
  /** Milliseconds that never step or go back, from an arbitrary start that all processes of the machine share. */
  monotonicMs(): number;
  /**
   * Calls `run` once after `delayMs`; the returned function cancels. The timer does not keep the process alive.
   */
  after(delayMs: number, run: () => void): Cancel;
  /** Calls `run` every `periodMs` until cancelled, for the first time up to 250 ms later than that. */
  every(periodMs: number, run: () => void): Cancel;
  /** A number in [0, 1) for jitter; never for secrets. */
  random(): number;
}

export type Cancel = () => void;

/** `performance.now` begins with the process, the clock under it with the machine. */
const processStartMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();

const singleTimers = {
  monotonicMs: () => processStartMs + performance.now(),
  after(delayMs: number, run: () => void): Cancel {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
const periodicTimers = new PeriodicTimers(singleTimers);

export const systemClock: Clock = {
  ...singleTimers,
  wallMs: () => Date.now(),
  every(periodMs, run) {
    if (PeriodicTimers.takes(periodMs)) return periodicTimers.every(periodMs, run);
    const timer = setInterval(run, periodMs);
    timer.unref();
    return () => clearInterval(timer);
  },
  random: () => Math.random(),
};

/** A reading of both clocks that took longer than this, ms, is repeated, up to so many times. */
const readingMaxMs = 0.5;
const readings = 5;

/**
 * By how much the wall clock is ahead of the monotonic one, ms. The process may be suspended between reading one and the
 * other, on a busy machine for a tenth of a second and more: the quickest of some readings counts.
 */
export function wallOffsetMs(clock: Pick<Clock, 'wallMs' | 'monotonicMs'>): number {
  let quickestMs = Number.POSITIVE_INFINITY;
  let offsetMs = 0;
  for (let reading = 0; reading < readings && quickestMs > readingMaxMs; reading++) {
    const monotonicMs = clock.monotonicMs();
    const wallMs = clock.wallMs();
    const tookMs = clock.monotonicMs() - monotonicMs;
    if (tookMs >= quickestMs) continue;
    quickestMs = tookMs;
    offsetMs = wallMs - monotonicMs;
  }
  return offsetMs;
}

/** Resolves after `delayMs`, or rejects with the signal's reason if it is aborted first. */
export function delay(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
