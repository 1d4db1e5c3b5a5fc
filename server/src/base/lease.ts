import type { Clock } from './clock.ts';

/**
 * held: renewed, and not expired. isolated: expired, and the database answers none of the nodes that could be
 * asked: running streams continue. fenced: it answers another node, which takes over this one's streams.
 * undecided: expired, and nothing is known yet.
 */
export type LeaseState = 'held' | 'isolated' | 'fenced' | 'undecided';

/** A lease by the clocks of the machine. */
export interface LeaseReport {
  readonly untilMonotonicMs: number;
  readonly untilWallMs: number;
  /** The outcome after expiry; null as long as it is unknown. */
  readonly verdict: 'isolated' | 'fenced' | null;
}

/**
 * This node's lease as the node itself sees it: it expires slightly earlier than in the database, however long
 * the process was suspended. Writers first await `settled`, which waits while it is undecided.
 */
export class Lease {
  readonly #clock: Clock;
  readonly #lastsMs: number;
  #untilMonotonicMs = -Infinity;
  #untilWallMs = -Infinity;
  #sinceMs: number | undefined;
  #verdict: 'isolated' | 'fenced' | undefined;
  #settled: PromiseWithResolvers<void> | undefined;

  /** `lastsMs`: how long it lasts after the request; less than the database grants. */
  constructor(clock: Clock, lastsMs: number) {
    this.#clock = clock;
    this.#lastsMs = lastsMs;
  }

  get state(): LeaseState {
    if (this.#isInTime) return 'held';
    return this.#verdict ?? 'undecided';
  }

  /** How long it has been held without interruption, ms. */
  get heldMs(): number {
    return this.#isInTime && this.#sinceMs !== undefined ? this.#clock.monotonicMs() - this.#sinceMs : 0;
  }

  /** To be called after a renewal by a query sent at that time; all changes up to then are known. */
  renewed(sentMonotonicMs: number, sentWallMs: number): void {
    if (!this.#isInTime) this.#sinceMs = sentMonotonicMs;
    this.note({
      untilMonotonicMs: sentMonotonicMs + this.#lastsMs,
      untilWallMs: sentWallMs + this.#lastsMs,
      verdict: null,
    });
  }

  /** What another process needs, to rely on the same lease. */
  get report(): LeaseReport {
    return {
      untilMonotonicMs: this.#untilMonotonicMs,
      untilWallMs: this.#untilWallMs,
      verdict: this.#verdict ?? null,
    };
  }

  /** To be called with the report of the process that renews it; however late, it doesn't last longer. */
  note({ untilMonotonicMs, untilWallMs, verdict }: LeaseReport): void {
    this.#untilMonotonicMs = untilMonotonicMs;
    this.#untilWallMs = untilWallMs;
    this.#verdict = undefined;
    if (verdict !== null) this.judge(verdict);
    // Those that wait ask again.
    this.#settle();
  }

  /** Sets the outcome after expiry. */
  judge(verdict: 'isolated' | 'fenced'): void {
    if (this.#isInTime) return;
    this.#verdict = verdict;
    this.#settle();
  }

  /** Resolves when it is decided; undefined when it already is. */
  get settled(): Promise<void> | undefined {
    if (this.state !== 'undecided') return undefined;
    this.#settled ??= Promise.withResolvers<void>();
    return this.#settled.promise;
  }

  /** Releases all waiters: the node is stopping. */
  close(): void {
    this.#verdict ??= 'isolated';
    this.#settle();
  }

  /** By both clocks: the monotonic one stops while the machine is suspended, the wall clock may be set back. */
  get #isInTime(): boolean {
    return this.#clock.monotonicMs() < this.#untilMonotonicMs && this.#clock.wallMs() < this.#untilWallMs;
  }

  #settle(): void {
    this.#settled?.resolve();
    this.#settled = undefined;
  }
}
