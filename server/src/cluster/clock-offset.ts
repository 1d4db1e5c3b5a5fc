/** One comparison with the database's clock. */
interface Comparison {
  readonly aheadMs: number;
  /** Round-trip time of the answer: the error is at most half of it. */
  readonly wayMs: number;
}

/** Of this many samples the one with the shortest round trip counts: it is the most accurate. */
const kept = 8;
/**
 * Maximum offset; a smaller one is invisible between one node's footage and another's, and NTP keeps clocks far
 * closer.
 */
const wrongMs = 1_000;

/** How far this machine's clock is ahead of the database's, which all nodes can see. */
export class ClockOffset {
  readonly #last: Comparison[] = [];

  /** A query sent at `sentWallMs` and answered `wayMs` later, when the database's clock showed `databaseMs`. */
  note(sentWallMs: number, wayMs: number, databaseMs: number): void {
    this.#last.push({ aheadMs: Math.round(sentWallMs + wayMs / 2 - databaseMs), wayMs });
    if (this.#last.length > kept) this.#last.shift();
  }

  /** Ms; negative when it is behind. Null before the first comparison. */
  get aheadMs(): number | null {
    const best = this.#last.toSorted((a, b) => a.wayMs - b.wayMs)[0];
    return best?.aheadMs ?? null;
  }
}

/** Whether a clock must be corrected. */
export function isWrongClock(aheadMs: number | null): boolean {
  return aheadMs !== null && Math.abs(aheadMs) > wrongMs;
}
