/** A depth that was lowered waits so long before anything goes by it, so that a mistake can be taken back. */
export const undoMs = 3_600_000;

/** A depth in hours as the configuration says it: below 0 there is no limit. */
type Hours = number;

/** What is kept of one stream. */
export interface KnownDepth {
  /** Footage goes by this. */
  readonly hours: Hours;
  /** Set lower than that; takes its place when it has waited. */
  readonly lowered?: LoweredDepth;
}

export interface LoweredDepth {
  readonly hours: Hours;
  /** For so long the server has still to run before it holds. */
  readonly waitMs: number;
}

/**
 * The depths that streams are kept by. One that is lowered, in whatever way (on the page, in the configuration, by another node,
 * while the server was off), takes effect after an hour in which the server ran; one that is raised, now. The clock's word is
 * not needed for it: `pass` counts the time.
 */
export class LoweredDepths {
  readonly #depths: Map<string, KnownDepth>;
  /** Nothing was kept of an earlier run: what streams are set to then is what they were set to. */
  readonly #isFirst: boolean;

  constructor(known: Readonly<Record<string, KnownDepth>> | undefined) {
    this.#isFirst = known === undefined;
    this.#depths = new Map(Object.entries(known ?? {}));
  }

  get known(): Readonly<Record<string, KnownDepth>> {
    return Object.fromEntries(this.#depths);
  }

  /** What waits for a stream; undefined when nothing does. */
  lowered(uid: string): LoweredDepth | undefined {
    return this.#depths.get(uid)?.lowered;
  }

  /**
   * The depth that holds for a stream which is set to `hours`.
   * @returns whether what is known of it is now another
   */
  note(uid: string, hours: Hours, hasFootage: boolean): boolean {
    const before = this.#depths.get(uid);
    const after = this.#next(before, hours, hasFootage);
    if (after === before) return false;
    this.#depths.set(uid, after);
    return true;
  }

  /** Undefined for a stream that was never noted. */
  inForce(uid: string): Hours | undefined {
    return this.#depths.get(uid)?.hours;
  }

  /** So much time has gone by. @returns the streams whose lowered depth holds from now on */
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

  /** The stream is gone. */
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
    // Lower still: what goes only by this has waited for nothing yet.
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
