import { AsyncLocalStorage } from 'node:async_hooks';
import { asNoStream } from './stream-context.ts';

/** See `Clock`. */
interface SingleTimers {
  monotonicMs(): number;
  after(delayMs: number, run: () => void): () => void;
}

interface PeriodicTimer {
  readonly ticks: number;
  readonly run: () => void;
  /** What was current when the timer was set, such as the stream to which it belongs. */
  readonly inContext: ReturnType<typeof AsyncLocalStorage.snapshot>;
  isCancelled: boolean;
}

/** Timers fire at multiples of this time only, or up to so much before, as the system's timers may be early... */
const tickMs = 50;
const earlyMs = 2;
/** ...preferably at every fifth. */
const preferredTicks = 5;
/** The second in which the number of timers of each tick is known. */
const cycleTicks = 20;
/** Beyond this, timers are given another tick, so that no turn of the event loop becomes long. */
const mostTogether = 64;

/**
 * Timers that fire again and again, many of them in the same turn of the event loop: for a process that has little to do, to
 * wake up costs more than what it does then, and with a timer of its own for each use, a server with thirty streams woke up
 * 300 times a second. A timer first fires up to a quarter of a second late, and is punctual from then on.
 */
export class PeriodicTimers {
  readonly #clock: SingleTimers;
  readonly #due = new Map<number, PeriodicTimer[]>();
  readonly #perTick = Array.from({ length: cycleTicks }, () => 0);
  #next: { readonly tick: number; readonly cancel: () => void } | undefined;

  constructor(clock: SingleTimers) {
    this.#clock = clock;
  }

  /** Whether this is for timers of that period. */
  static takes(periodMs: number): boolean {
    return periodMs >= preferredTicks * tickMs && periodMs % tickMs === 0;
  }

  /** See `Clock.every`. */
  every(periodMs: number, run: () => void): () => void {
    const timer: PeriodicTimer = {
      ticks: periodMs / tickMs,
      run,
      inContext: AsyncLocalStorage.snapshot(),
      isCancelled: false,
    };
    const tick = this.#freeTick(Math.ceil(this.#clock.monotonicMs() / tickMs) + timer.ticks);
    const phase = tick % cycleTicks;
    this.#perTick[phase] = this.#countAt(tick) + 1;
    this.#add(tick, timer);
    asNoStream(() => this.#sleep());
    return () => {
      if (timer.isCancelled) return;
      timer.isCancelled = true;
      this.#perTick[phase] = this.#countAt(phase) - 1;
    };
  }

  #countAt(tick: number): number {
    return this.#perTick[tick % cycleTicks] ?? 0;
  }

  /** The first preferred tick from this one on, or another that has room. */
  #freeTick(from: number): number {
    const preferred = Math.ceil(from / preferredTicks) * preferredTicks;
    const others = Array.from({ length: preferredTicks }, (_, index) => from + index);
    const free = [preferred, ...others].find((tick) => this.#countAt(tick) < mostTogether);
    return free ?? others.reduce((best, tick) => (this.#countAt(tick) < this.#countAt(best) ? tick : best));
  }

  #add(tick: number, timer: PeriodicTimer): void {
    const together = this.#due.get(tick);
    if (together) together.push(timer);
    else this.#due.set(tick, [timer]);
  }

  #sleep(): void {
    const tick = Math.min(...this.#due.keys());
    if (this.#next && this.#next.tick <= tick) return;
    this.#next?.cancel();
    this.#next = undefined;
    if (this.#due.size === 0) return;
    const delayMs = Math.max(1, Math.ceil(tick * tickMs - this.#clock.monotonicMs()));
    this.#next = { tick, cancel: this.#clock.after(delayMs, () => this.#wake()) };
  }

  #wake(): void {
    this.#next = undefined;
    const nowTick = Math.floor((this.#clock.monotonicMs() + earlyMs) / tickMs);
    const due = [...this.#due].filter(([tick]) => tick <= nowTick);
    for (const [tick] of due) this.#due.delete(tick);
    for (const [tick, timers] of due) {
      for (const timer of timers) {
        if (timer.isCancelled) continue;
        // One that is late fires once for all the times that it missed.
        const missed = Math.floor((nowTick - tick) / timer.ticks);
        this.#add(tick + (missed + 1) * timer.ticks, timer);
      }
    }
    this.#sleep();
    for (const [, timers] of due) for (const timer of timers) runAlone(timer);
  }
}

/** Its failure is uncaught as that of any timer, and the others run. */
function runAlone(timer: PeriodicTimer): void {
  if (timer.isCancelled) return;
  try {
    timer.inContext(timer.run);
  } catch (error) {
    timer.inContext(() =>
      setImmediate(() => {
        throw error;
      }),
    );
  }
}
