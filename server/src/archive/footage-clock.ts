/**
 * How old footage is, by evidence and not by the wall clock's word alone (design/archive.md, "The clock of retention").
 * No timers and no disk here: `Retention` asks, `RetentionState` keeps.
 */

/** Dates from `fromMs` on, until the next era begins, were given by one clock, which now shows `nowMs`. Ms since the epoch. */
export interface Era {
  readonly fromMs: number;
  readonly nowMs: number;
}

/** An era with its end; footage that is dated in it is as old as its date is before `nowMs`. */
export interface DatedSpan extends Era {
  readonly toMs: number;
}

/** A clock that goes on within so much of where it was expected is the same clock. */
export const sameClockMs = 60_000;
/** Time that the server did not run, or a step that the clock took, counts for nothing for so long. */
export const clockDoubtMs = 3_600_000;
/** After that each hour in which the clock ran steadily makes up for so many. */
export const catchUpRate = 4;
/** Between two looks the wall clock may run so much faster or slower than the monotonic one. */
const driftShare = 0.01;
const jitterMs = 1_000;
/** A small step, as a time server makes, is taken as it comes, but not more often than this. */
const smallStepEveryMs = 600_000;
const mostEras = 32;

interface OpenEra {
  fromMs: number;
  nowMs: number;
}

/**
 * The clocks by which footage was dated. Each goes on by the monotonic clock, whatever the wall clock does. A wall clock that
 * is not where one of them is begins an era of its own: footage from then on is dated by it, and older footage stays as old as
 * it is known to be. What is lacking, the time that the server was really off, is made up slowly.
 */
export class FootageClock {
  #eras: OpenEra[];
  #current: OpenEra;
  #wallMs: number;
  #monotonicMs: number;
  #steppedMs: number;
  #smallStepMs: number;

  /** `known`: the eras as they were kept last; none of an archive without footage. */
  constructor(wallMs: number, monotonicMs: number, known: readonly Era[]) {
    this.#wallMs = wallMs;
    this.#monotonicMs = monotonicMs;
    this.#steppedMs = monotonicMs;
    this.#smallStepMs = monotonicMs;
    this.#eras = known.map(({ fromMs, nowMs }) => ({ fromMs, nowMs })).sort((a, b) => a.fromMs - b.fromMs);
    this.#current = this.#eraAt(wallMs);
  }

  get eras(): readonly Era[] {
    return this.#eras.map(({ fromMs, nowMs }) => ({ fromMs, nowMs }));
  }

  /** Without gaps, oldest dates first. No footage is older than the wall clock says. */
  get spans(): readonly DatedSpan[] {
    return this.#eras.map(({ fromMs, nowMs }, index) => ({
      fromMs: index === 0 ? 0 : fromMs,
      toMs: this.#eras[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY,
      nowMs: Math.min(nowMs, this.#wallMs),
    }));
  }

  /** The earliest that it may be: for what is kept beside the footage. */
  get cautiousMs(): number {
    return Math.min(...this.spans.map(({ nowMs }) => nowMs));
  }

  /**
   * A look at both clocks. @returns by how much the wall clock left the clock that was followed, in ms, ahead when positive;
   * 0 when it goes on
   */
  update(wallMs: number, monotonicMs: number): number {
    const elapsedMs = monotonicMs - this.#monotonicMs;
    this.#monotonicMs = monotonicMs;
    this.#wallMs = wallMs;
    for (const era of this.#eras) era.nowMs += elapsedMs;
    const offMs = wallMs - this.#current.nowMs;
    const isStep = this.#isStep(offMs, elapsedMs);
    if (isStep) {
      this.#current = this.#eraAt(wallMs);
      this.#steppedMs = monotonicMs;
    } else {
      this.#current.nowMs = wallMs;
      if (monotonicMs - this.#steppedMs >= clockDoubtMs) this.#catchUp(elapsedMs);
    }
    return isStep ? offMs : 0;
  }

  /** Forgets eras in whose dates there is no footage any more. */
  forget(isEmpty: (span: DatedSpan) => boolean): void {
    if (this.#eras.length === 1) return;
    const empty = new Set(this.spans.flatMap((span, index) => (isEmpty(span) ? [index] : [])));
    this.#eras = this.#eras.filter((era, index) => era === this.#current || !empty.has(index));
  }

  #isStep(offMs: number, elapsedMs: number): boolean {
    if (Math.abs(offMs) <= jitterMs + elapsedMs * driftShare) return false;
    const isSmall = Math.abs(offMs) <= sameClockMs;
    if (!isSmall || this.#monotonicMs - this.#smallStepMs < smallStepEveryMs) return true;
    this.#smallStepMs = this.#monotonicMs;
    return false;
  }

  /** The era whose clock this is, or a new one. */
  #eraAt(wallMs: number): OpenEra {
    const same = this.#eras.findLast(({ nowMs }) => Math.abs(nowMs - wallMs) <= sameClockMs);
    if (same && same !== this.#current) {
      same.nowMs = wallMs;
      return same;
    }
    const era = { fromMs: wallMs, nowMs: wallMs };
    this.#eras = [...this.#eras.filter(({ fromMs }) => fromMs !== wallMs), era].sort(
      (a, b) => a.fromMs - b.fromMs,
    );
    if (this.#eras.length > mostEras) this.#joinOldest();
    return era;
  }

  #catchUp(elapsedMs: number): void {
    for (const era of this.#eras) {
      if (era.nowMs < this.#wallMs) era.nowMs = Math.min(this.#wallMs, era.nowMs + elapsedMs * catchUpRate);
    }
    this.#joinEqual();
  }

  /** Neighbours whose clocks show the same are one era. */
  #joinEqual(): void {
    const joined: OpenEra[] = [];
    for (const era of this.#eras) {
      const before = joined.at(-1);
      if (!before || before.nowMs !== era.nowMs) joined.push(era);
      else if (era === this.#current) this.#current = before;
    }
    this.#eras = joined;
  }

  /** The two that show the earliest dates, by the slower of their clocks. */
  #joinOldest(): void {
    const [first, second, ...rest] = this.#eras;
    if (!first || !second) return;
    const isCurrent = this.#current === first || this.#current === second;
    const joined = { fromMs: first.fromMs, nowMs: Math.min(first.nowMs, second.nowMs) };
    this.#eras = [joined, ...rest];
    if (isCurrent) this.#current = joined;
  }
}
