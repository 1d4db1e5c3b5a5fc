/** A lowered retention takes effect after this delay, so that a mistake can be undone. */
export const undoMs = 3_600_000;

/** Retention in hours as configured; below 0: no limit. */
type Hours = number;

/** The retention of one stream. */
export interface KnownDepth {
  /** The retention in effect. */
  readonly hours: Hours;
  /** A lower setting that replaces it after the delay. */
  readonly lowered?: LoweredDepth;
}

export interface LoweredDepth {
  readonly hours: Hours;
  /** How long the server still has to run before it takes effect. */
  readonly waitMs: number;
}

/**
 * The retention of each stream. A lowered one, however it was lowered (on the page, in the configuration, by
 * another node, while the server was off), takes effect after an hour of server uptime; a raised one
 * immediately. The wall clock has no influence: `pass` counts the time.
 */
export class LoweredDepths {
  readonly #depths: Map<string, KnownDepth>;
  /** There is no state of an earlier run: the current settings count as the previous ones. */
  readonly #isFirst: boolean;

  constructor(known: Readonly<Record<string, KnownDepth>> | undefined) {
    this.#isFirst = known === undefined;
    this.#depths = new Map(Object.entries(known ?? {}));
  }

  get known(): Readonly<Record<string, KnownDepth>> {
    return Object.fromEntries(this.#depths);
  }

  /** The pending change of a stream; undefined if there is none. */
  lowered(uid: string): LoweredDepth | undefined {
    return this.#depths.get(uid)?.lowered;
  }

  /**
   * The retention in effect for a stream set to `hours`.
   * @returns whether its state has changed
   */
  note(uid: string, hours: Hours, hasFootage: boolean): boolean {
    const before = this.#depths.get(uid);
    const after = this.#next(before, hours, hasFootage);
    if (after === before) return false;
    this.#depths.set(uid, after);
    return true;
  }

  /** Undefined for an unknown stream. */
  inForce(uid: string): Hours | undefined {
    return this.#depths.get(uid)?.hours;
  }

  /** Counts elapsed time. @returns the streams whose lowered retention takes effect now */
  pass(elapsedMs: number): string[] {
    const due: string[] = [];
    for (const [uid, { hours, lowered }] of this.#depths) {
      if (!lowered) continue;
      const waitMs = lowered.waitMs - elapsedMs;
      if (waitMs > 0) {
        this.#depths.set(uid, { hours, lowered: { ...lowered, waitMs } });
        continue;
      }
      this.#depths.set(uid, { hours: lowered.hours });
      due.push(uid);
    }
    return due;
  }

  /** Removes a deleted stream. */
  forget(uid: string): void {
    this.#depths.delete(uid);
  }

  #next(before: KnownDepth | undefined, hours: Hours, hasFootage: boolean): KnownDepth {
    if (!hasFootage) return before?.hours === hours && !before.lowered ? before : { hours };
    const inForce = before?.hours ?? (this.#isFirst ? hours : -1);
    if (!isLower(hours, inForce)) {
      return before?.hours === hours && !before.lowered ? before : { hours };
    }
    const waiting = before?.lowered;
    if (before && waiting?.hours === hours) return before;
    // Lowered further: footage affected only by this change starts a delay of its own.
    const waitMs = waiting && !isLower(hours, waiting.hours) ? waiting.waitMs : undoMs;
    return { hours: inForce, lowered: { hours, waitMs } };
  }
}

function isLower(hours: Hours, than: Hours): boolean {
  return depthOf(hours) < depthOf(than);
}

function depthOf(hours: Hours): number {
  return hours < 0 ? Number.POSITIVE_INFINITY : hours;
}
