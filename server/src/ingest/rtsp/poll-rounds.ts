import type { Cancel, Clock } from '../../base/clock.ts';

/** How long a round is at least and at most, ms. */
const minRoundMs = 80;
const maxRoundMs = 100;
/** Most connections that are read in one go: viewers of other streams wait for so many, about 15 ms. */
const maxMembers = 32;

/**
 * The beat of all connections that nobody waits for: who rests is woken with the others at the end of the round.
 * Rounds differ in length by chance, so that no camera's frames fall at the same place of every round and seem to
 * arrive later than they do (`timing.ts` goes by the quickest of late).
 */
export class PollRounds {
  readonly #clock: Clock;
  /** Those who rest in the round that began last; undefined when it is over. */
  #members: Set<() => void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `wake` at the end of the round, which begins with the first that rests; cancelled by leaving it. */
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
