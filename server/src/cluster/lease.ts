import type { Clock } from '../base/clock.ts';

/**
 * held: renewed, and the time has not passed. isolated: the time has passed, and the database answers nobody that could be
 * asked: what runs goes on. fenced: it answers another node, which takes over what was this one's. undecided: the time has passed, and nothing is known yet.
 */
export type LeaseState = 'held' | 'isolated' | 'fenced' | 'undecided';

/**
 * This node's lease as the node itself sees it: over somewhat before the database says so, however long the process slept.
 * Whoever is about to write asks `settled`, which waits while it is undecided.
 */
export class Lease {
  readonly #clock: Clock;
  readonly #lastsMs: number;
  #untilMonotonicMs = -Infinity;
  #untilWallMs = -Infinity;
  #sinceMs: number | undefined;
  #verdict: 'isolated' | 'fenced' | undefined;
  #settled: PromiseWithResolvers<void> | undefined;

  /** `lastsMs`: for how long after it was asked for; less than what the database grants. */
  constructor(clock: Clock, lastsMs: number) {
    this.#clock = clock;
    this.#lastsMs = lastsMs;
  }

  get state(): LeaseState {
    if (this.#isInTime) return 'held';
    return this.#verdict ?? 'undecided';
  }

  /** For how long it has been held without a break, ms. */
  get heldMs(): number {
    return this.#isInTime && this.#sinceMs !== undefined ? this.#clock.monotonicMs() - this.#sinceMs : 0;
  }

  /** Renewed by a question sent at that moment; all that changed meanwhile is known. */
  renewed(sentMonotonicMs: number, sentWallMs: number): void {
    if (!this.#isInTime) this.#sinceMs = sentMonotonicMs;
    this.#untilMonotonicMs = sentMonotonicMs + this.#lastsMs;
    this.#untilWallMs = sentWallMs + this.#lastsMs;
    this.#verdict = undefined;
    this.#settle();
  }

  /** What came of it after the time has passed. */
  judge(verdict: 'isolated' | 'fenced'): void {
    if (this.#isInTime) return;
    this.#verdict = verdict;
    this.#settle();
  }

  /** Resolves when it is decided; undefined when it is already. */
  get settled(): Promise<void> | undefined {
    if (this.state !== 'undecided') return undefined;
    this.#settled ??= Promise.withResolvers<void>();
    return this.#settled.promise;
  }

  /** Nobody has to wait any more: the node ends. */
  close(): void {
    this.#verdict ??= 'isolated';
    this.#settle();
  }

  /** By both clocks: the monotonic one stands still while the machine sleeps, the other one may be set back. */
  get #isInTime(): boolean {
    return this.#clock.monotonicMs() < this.#untilMonotonicMs && this.#clock.wallMs() < this.#untilWallMs;
  }

  #settle(): void {
    this.#settled?.resolve();
    this.#settled = undefined;
  }
}
