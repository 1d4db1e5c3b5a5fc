import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';

/** An answer older than this does not show that the database still answers. */
const freshMs = 2_000;

/** Whether one of these nodes reports that the database answers it. Never rejects. */
export type PeerReaches = (ids: readonly string[]) => Promise<boolean>;

/** Whether the database answers this node, according to its renewals, and other nodes, which are asked. */
export class DatabaseContact {
  readonly #clock: Clock;
  readonly #log: Log;
  /** The newest renewal failed. */
  #isAway = false;
  /** When the database last completed a renewal, monotonic. */
  #answeredMs = -Infinity;
  #peerReaches: PeerReaches = () => Promise.resolve(false);

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Sets how peers are asked. Until this is called, none counts as reaching it. */
  askPeers(peerReaches: PeerReaches): void {
    this.#peerReaches = peerReaches;
  }

  /** Whether one of these nodes reports that the database answers it. Never rejects. */
  isReachedBy(ids: readonly string[]): Promise<boolean> {
    return this.#peerReaches(ids);
  }

  /** Whether it answered this node just now. */
  get isFresh(): boolean {
    return !this.#isAway && this.#clock.monotonicMs() - this.#answeredMs < freshMs;
  }

  /** To be called when a renewal was completed. */
  noteAnswer(): void {
    if (this.#isAway) this.#log.info({}, 'The database answers again');
    this.#isAway = false;
    this.#answeredMs = this.#clock.monotonicMs();
  }

  /** To be called when a renewal, or what follows it, failed: logged once until there is an answer. */
  noteFailure(error: unknown): void {
    if (!this.#isAway)
      this.#log.warn({ err: error }, 'The lease of this node could not be renewed; retrying');
    this.#isAway = true;
  }
}
