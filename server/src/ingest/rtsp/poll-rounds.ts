import type { Cancel, Clock } from '../../base/clock.ts';

/** Minimum and maximum duration of a round, ms. */
const minRoundMs = 80;
const maxRoundMs = 100;
/** Maximum number of connections read in one turn: viewers of other streams wait for them, about 15 ms. */
const maxMembers = 32;

/**
 * The shared rounds of all connections without low-latency readers: paused connections are woken together at
 * the end of the round. Rounds have random lengths, so that no camera's frames fall at the same position of
 * every round and seem to arrive later than they do (`timing.ts` uses the fastest recent packets).
 */
export class PollRounds {
  readonly #clock: Clock;
  /** The connections paused in the current round; undefined between rounds. */
  #members: Set<() => void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Calls `wake` at the end of the round, which begins with the first paused connection; cancelled by leaving
   * it.
   */
  rest(wake: () => void): Cancel {
    const members =
      this.#members && this.#members.size < maxMembers ? this.#members : (this.#members = this.#begin());
    members.add(wake);
    return () => members.delete(wake);
  }

  #begin(): Set<() => void> {
    const members = new Set<() => void>();
    const roundMs = minRoundMs + this.#clock.random() * (maxRoundMs - minRoundMs);
    this.#clock.after(roundMs, () => {
      if (this.#members === members) this.#members = undefined;
      for (const wake of members) wake();
    });
    return members;
  }
}
