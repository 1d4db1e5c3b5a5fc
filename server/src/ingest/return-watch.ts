/**
 * Detects the end of an outage. Opening a connection costs a camera next to nothing, unlike a login: so a
 * camera that ran well is polled with TCP connections while it is offline, and logged in to when it is back.
 */
import { delay, type Clock } from '../base/clock.ts';

/** Checks whether anything listens at the address of a source. */
export interface SourceContact {
  /** Connects and disconnects, within a second. Rejects only with the signal's reason. */
  canConnect(signal: AbortSignal): Promise<boolean>;
  /**
   * Delay before the reconnect of each source that returns together with others on the same host, ms; such a
   * host is a 64-channel recorder.
   */
  turnMs(): number;
}

export interface AwaitReturnOptions {
  readonly clock: Clock;
  readonly reach: SourceContact;
  /** When the next attempt is due for a source that was never offline, ms. */
  readonly pauseMs: number;
  /** Nothing listened there at the last check. */
  readonly isAway: boolean;
  /** When the source was last online, monotonic ms. */
  readonly lastThereMs: number;
  readonly signal: AbortSignal;
}

/** Why the next attempt is made: it is due, with or without a listener, or the source returned. */
export type Returned = 'away' | 'there' | 'back';

/**
 * Interval between connections, from the start of one to the start of the next, with a random variation of a
 * quarter, ms: most cameras that return do so soon, and this delay, like the wait for a key frame, is missing
 * from the recording...
 */
const earlyPeriodMs = 250;
/** ...after this time, ms... */
const earlyMs = 60_000;
/** ...this interval, ms. */
const periodMs = 1000;
/**
 * Interval of attempts at a source that is reachable and does not send, ms: a media server without its publisher, a
 * recorder that starts. Less often where an attempt is a sign-in, or starts a job of FFmpeg.
 */
const askPeriodsMs = { cheap: { early: 250, later: 1000 }, costly: { early: 1000, later: 5000 } };
/** Interval of attempts while nothing listens, ms: each attempt provides the error message. */
export const awayMs = 10_000;
/** Between sources of one host that return together, ms... */
const turnSpacingMs = 50;
/** ...and between those of all hosts: two hundred cameras behind one switch. */
const anyTurnSpacingMs = 3;

/** The pause before the next attempt at a source that ran well until a moment ago, ms. */
export function askAgainMs(sinceMs: number, isCostly: boolean, clock: Pick<Clock, 'random'>): number {
  const { early, later } = isCostly ? askPeriodsMs.costly : askPeriodsMs.cheap;
  return (sinceMs < earlyMs ? early : later) * (0.75 + clock.random() / 2);
}

/** Resolves when the next attempt should be made. Rejects with the signal's reason if it is aborted. */
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

/** Spreads the reconnects of sources that return together, at one host or behind one switch. */
export class ReturnTurns {
  readonly #clock: Clock;
  readonly #nextMs = new Map<string, number>();
  #anyNextMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Delay of the next one, ms. */
  next(host: string): number {
    const nowMs = this.#clock.monotonicMs();
    for (const [other, nextMs] of this.#nextMs) if (nextMs <= nowMs) this.#nextMs.delete(other);
    const anyMs = Math.max(nowMs, this.#anyNextMs);
    this.#anyNextMs = anyMs + anyTurnSpacingMs;
    const atMs = Math.max(anyMs, this.#nextMs.get(host) ?? anyMs);
    this.#nextMs.set(host, atMs + turnSpacingMs);
    return atMs - nowMs;
  }
}
