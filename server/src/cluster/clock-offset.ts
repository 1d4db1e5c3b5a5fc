/** One comparison with the clock of the database. */
interface Comparison {
  readonly aheadMs: number;
  /** For so long the answer was on its way: it may be wrong by half of it. */
  readonly wayMs: number;
}

/** The one whose answer came fastest of so many counts: it says most. */
const kept = 8;
/** Where one node's footage ends and another's begins, less is not seen; NTP keeps clocks closer by far. */
const wrongMs = 1_000;

/** How far this machine's clock is ahead of the database's, which all nodes can see. */
export class ClockOffset {
  readonly #last: Comparison[] = [];

  /** A question that was sent at `sentWallMs` and answered `wayMs` later, when the database's clock showed `databaseMs`. */
  note(sentWallMs: number, wayMs: number, databaseMs: number): void {
    this.#last.push({ aheadMs: Math.round(sentWallMs + wayMs / 2 - databaseMs), wayMs });
    if (this.#last.length > kept) this.#last.shift();
  }

  /** Ms; negative when it is behind. Null while nothing was compared. */
  get aheadMs(): number | null {
    const best = this.#last.toSorted((a, b) => a.wayMs - b.wayMs)[0];
    return best?.aheadMs ?? null;
  }
}

/** Whether a clock is to be set right. */
export function isWrongClock(aheadMs: number | null): boolean {
  return aheadMs !== null && Math.abs(aheadMs) > wrongMs;
}
