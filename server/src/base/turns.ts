/** A step of a stream takes up to a millisecond. */
const stepsPerTurn = 10;

/**
 * Spreads many steps that begin together over turns of the event loop. Without it ten thousand streams that start, or end, are one
 * single turn of several seconds, in which the process seems to hang.
 */
export class Turns {
  #begun = 0;
  #isCounting = false;
  readonly #waiting: (() => void)[] = [];

  /** Resolves immediately, unless many steps have begun in this turn. First come, first served. */
  next(): Promise<void> {
    this.#count();
    if (this.#begun < stepsPerTurn && this.#waiting.length === 0) {
      this.#begun++;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #count(): void {
    if (this.#isCounting) return;
    this.#isCounting = true;
    setImmediate(() => {
      this.#isCounting = false;
      const due = this.#waiting.splice(0, stepsPerTurn);
      this.#begun = due.length;
      if (due.length > 0) this.#count();
      for (const begin of due) begin();
    });
  }
}
