/**
 * Determines the age of footage from evidence rather than from the wall clock alone (design/archive.md, "The
 * clock of retention"). Has no timers and does not access the disk: `Retention` calls it, `RetentionState`
 * stores its state.
 */

/**
 * Footage dated from `fromMs` until the next era begins was dated by one clock, which now shows `nowMs`. Ms
 * since the epoch.
 */
export interface Era {
  readonly fromMs: number;
  readonly nowMs: number;
  /** Eras are numbered in the order in which they began; 0, the first, when omitted. */
  readonly order?: number | undefined;
}

/** An era with its end; the age of footage dated in it is `nowMs` minus its date. */
export interface DatedSpan extends Era {
  readonly toMs: number;
}

/** A clock that continues within this tolerance of the expected time is the same clock. */
export const sameClockMs = 60_000;
/** Downtime of the server, or a clock step, up to this length is ignored. */
export const clockDoubtMs = 3_600_000;
/** Beyond that, each hour of steady clock makes up for this many hours. */
export const catchUpRate = 4;
/** Between two readings the wall clock may run this much faster or slower than the monotonic clock. */
const driftShare = 0.01;
const jitterMs = 1_000;
/** A small step, as made by NTP, is accepted immediately, but not more often than this. */
const smallStepEveryMs = 600_000;
const mostEras = 32;

interface OpenEra {
  fromMs: number;
  nowMs: number;
  order: number;
  /** Its clock was followed since the start, so that `nowMs` contains all downtime. */
  isFollowed: boolean;
}

/**
 * The clocks by which footage was dated. Each advances with the monotonic clock, whatever the wall clock does.
 * A wall clock that matches none of them starts a new era: footage from then on is dated by it, and older
 * footage keeps its known age. The missing time, during which the server was really off, is made up slowly.
 */
export class FootageClock {
  #eras: OpenEra[];
  #current: OpenEra;
  #wallMs: number;
  #monotonicMs: number;
  #steppedMs: number;
  #smallStepMs: number;

  /** `known`: the eras as last stored; none for an archive without footage. */
  constructor(wallMs: number, monotonicMs: number, known: readonly Era[]) {
    this.#wallMs = wallMs;
    this.#monotonicMs = monotonicMs;
    this.#steppedMs = monotonicMs;
    this.#smallStepMs = monotonicMs;
    this.#eras = known
      .map(({ fromMs, nowMs, order = 0 }) => ({ fromMs, nowMs, order, isFollowed: false }))
      .sort((a, b) => a.fromMs - b.fromMs);
    this.#current = this.#eraAt(wallMs);
  }

  get eras(): readonly Era[] {
    return this.#eras.map(({ fromMs, nowMs, order }) => ({ fromMs, nowMs, order }));
  }

  /** Without gaps, oldest dates first. No footage counts as older than by the wall clock. */
  get spans(): readonly DatedSpan[] {
    return this.#eras.map(({ fromMs, nowMs }, index) => ({
      fromMs: index === 0 ? 0 : fromMs,
      toMs: this.#eras[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY,
      nowMs: Math.min(nowMs, this.#wallMs),
    }));
  }

  /**
   * The spans whose clocks cast doubt on the wall clock: not those that began later, when the wall clock was
   * set wrongly and has since returned.
   */
  get doubtingSpans(): readonly DatedSpan[] {
    return this.spans.filter((_, index) => (this.#eras[index]?.order ?? 0) <= this.#current.order);
  }

  /** The earliest possible current time, for data stored next to the footage. */
  get cautiousMs(): number {
    return Math.min(...this.spans.map(({ nowMs }) => nowMs));
  }

  /**
   * Reads both clocks. @returns by how much the wall clock deviates from the followed clock, in ms, ahead when
   * positive; 0 when it continues
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

  /** Removes eras that no longer have footage. */
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
      same.isFollowed = true;
      return same;
    }
    const order = this.#resumedOrder(wallMs) ?? Math.max(-1, ...this.#eras.map((known) => known.order)) + 1;
    const era = { fromMs: wallMs, nowMs: wallMs, order, isFollowed: true };
    this.#eras = [...this.#eras.filter(({ fromMs }) => fromMs !== wallMs), era].sort(
      (a, b) => a.fromMs - b.fromMs,
    );
    if (this.#eras.length > mostEras) this.#joinOldest();
    return era;
  }

  /**
   * The order of an earlier era that the wall clock seems to continue. What is missing between them is how long the server was
   * off, which is ignored up to `clockDoubtMs`. Eras that began later, with a clock that has been corrected, cast no doubt on it.
   */
  #resumedOrder(wallMs: number): number | undefined {
    return this.#eras.findLast(
      ({ nowMs, isFollowed }) => !isFollowed && nowMs <= wallMs && wallMs - nowMs <= clockDoubtMs,
    )?.order;
  }

  #catchUp(elapsedMs: number): void {
    for (const era of this.#eras) {
      if (era.nowMs < this.#wallMs) era.nowMs = Math.min(this.#wallMs, era.nowMs + elapsedMs * catchUpRate);
    }
    this.#joinEqual();
  }

  /** Merges neighbouring eras whose clocks show the same. */
  #joinEqual(): void {
    const joined: OpenEra[] = [];
    for (const era of this.#eras) {
      const before = joined.at(-1);
      if (!before || before.nowMs !== era.nowMs) {
        joined.push(era);
        continue;
      }
      before.order = Math.min(before.order, era.order);
      before.isFollowed &&= era.isFollowed;
      if (era === this.#current) this.#current = before;
    }
    this.#eras = joined;
  }

  /** Merges the two eras with the earliest dates, by the slower of their clocks. */
  #joinOldest(): void {
    const [first, second, ...rest] = this.#eras;
    if (!first || !second) return;
    const isCurrent = this.#current === first || this.#current === second;
    const joined = {
      fromMs: first.fromMs,
      nowMs: Math.min(first.nowMs, second.nowMs),
      order: Math.min(first.order, second.order),
      isFollowed: first.isFollowed && second.isFollowed,
    };
    this.#eras = [joined, ...rest];
    if (isCurrent) this.#current = joined;
  }
}
