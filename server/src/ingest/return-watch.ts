/**
 * How the end of an outage is noticed. Connecting costs a camera next to nothing, signing in does: so a camera that ran well
 * is connected to again and again while it is away, and signed in to when it has come back.
 */
import { delay, type Clock } from '../base/clock.ts';

/** Whether anything listens at the address of a source. */
export interface SourceContact {
  /** Connects and lets go; within a second. Rejects with the signal's reason only. */
  canConnect(signal: AbortSignal): Promise<boolean>;
  /** How long to wait for one's turn among all that came back with the same host, ms: a recorder of 64 channels is one. */
  turnMs(): number;
}

export interface AwaitReturnOptions {
  readonly clock: Clock;
  readonly reach: SourceContact;
  /** When the next attempt is due for a source that never went away, ms. */
  readonly pauseMs: number;
  /** Nothing listened there when it was looked at last. */
  readonly isAway: boolean;
  /** When the source was last there, monotonic ms. */
  readonly lastThereMs: number;
  readonly signal: AbortSignal;
}

/** Why the next attempt is made: its time has come, with nothing there or something, or the source came back. */
export type Returned = 'away' | 'there' | 'back';

/**
 * Between two connections, from the beginning of one to that of the next, a quarter more or less at random, ms: most cameras that
 * come back do so soon, and how long this takes is what is missing of the recording, beside the wait for a key frame;
 */
const earlyPeriodMs = 250;
/** from then on, ms, */
const earlyMs = 60_000;
/** this, ms. */
const periodMs = 1000;
/** While nothing listens an attempt is made so often all the same, ms: it has the words for what is wrong. */
const awayMs = 10_000;
/** Between those of one host that come back together, ms. */
const turnSpacingMs = 50;

/** Resolves when the next attempt should be made. Rejects with the signal's reason when it is aborted. */
export async function awaitReturn(options: AwaitReturnOptions): Promise<Returned> {
  const { clock, reach, pauseMs, lastThereMs, signal } = options;
  let { isAway } = options;
  const startMs = clock.monotonicMs();
  let probedMs = startMs;
  for (;;) {
    const nowMs = clock.monotonicMs();
    const period = nowMs - lastThereMs < earlyMs ? earlyPeriodMs : periodMs;
    const nextMs = probedMs + period * (0.75 + clock.random() / 2) - nowMs;
    const leftMs = startMs + pauseMs - nowMs;
    await delay(clock, Math.max(0, isAway ? nextMs : Math.min(nextMs, leftMs)), signal);
    probedMs = clock.monotonicMs();
    const isThere = await reach.canConnect(signal);
    const elapsedMs = clock.monotonicMs() - startMs;
    if (isThere && isAway) {
      await delay(clock, reach.turnMs(), signal);
      return 'back';
    }
    isAway = !isThere;
    if (elapsedMs >= (isAway ? Math.max(pauseMs, awayMs) : pauseMs)) return isAway ? 'away' : 'there';
  }
}

/** Spreads what comes back together at one host. */
export class ReturnTurns {
  readonly #clock: Clock;
  readonly #nextMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How long the next one waits, ms. */
  next(host: string): number {
    const nowMs = this.#clock.monotonicMs();
    for (const [other, nextMs] of this.#nextMs) if (nextMs <= nowMs) this.#nextMs.delete(other);
    const atMs = Math.max(nowMs, this.#nextMs.get(host) ?? nowMs);
    this.#nextMs.set(host, atMs + turnSpacingMs);
    return atMs - nowMs;
  }
}
