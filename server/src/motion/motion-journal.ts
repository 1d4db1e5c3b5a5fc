import type { Cancel, Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { MotionEvent } from './motion-detector.ts';

/** One stored event, in its latest state. */
export interface NotedEvent {
  readonly uid: string;
  readonly kind: 'motion';
  readonly startMs: number;
  readonly endMs: number;
  readonly note: string;
  /** See `MotionEvent`. */
  readonly score: number;
}

/** Where events are stored. Both methods reject with the database's error. */
export interface EventStore {
  /** Inserts these, or updates existing ones (same stream, kind and start) with their later end. */
  saveEvents(events: readonly NotedEvent[]): Promise<void>;
  /** Deletes events of a kind that ended before a given time, by uid. */
  removeEndedBefore(kind: string, bounds: ReadonlyMap<string, number>): Promise<void>;
}

export interface MotionJournalOptions {
  readonly store: EventStore;
  readonly clock: Clock;
  readonly log: Log;
  /** The time before which a stream no longer has footage for its events; undefined: keep all. */
  readonly keptSince: (uid: string) => Promise<number | undefined>;
  /** Streams to clean up. */
  readonly uids: () => Iterable<string>;
}

/** Events of all streams go to the database together, this long after the first. */
const gatherMs = 1_000;
/** Delay after the database failed. */
const retryMs = 10_000;
/** Maximum number of events that wait while the database fails; beyond it the oldest are dropped. */
const mostWaiting = 10_000;
const retentionPeriodMs = 10 * 60_000;

/** Writes motion events to the database, in batches, and deletes them when their footage is deleted. */
export class MotionJournal {
  readonly #options: MotionJournalOptions;
  readonly #cancelRetention: Cancel;
  #waiting = new Map<string, NotedEvent>();
  #cancelFlush: Cancel | undefined;
  #writing: Promise<void> = Promise.resolve();
  #lost = 0;
  #isClosed = false;

  constructor(options: MotionJournalOptions) {
    this.#options = options;
    this.#cancelRetention = options.clock.every(retentionPeriodMs, () => {
      this.retain().catch((error: unknown) =>
        options.log.error({ err: error }, 'Old motion events could not be deleted; it will be retried'),
      );
    });
  }

  /** Takes an event, unless it is tentative; a later report of the same one replaces it. Never throws. */
  note(uid: string, event: MotionEvent): void {
    if (event.isTentative) return;
    const startMs = Math.round(event.startMs);
    this.#waiting.set(`${uid} ${startMs}`, {
      uid,
      kind: 'motion',
      startMs,
      endMs: Math.round(event.endMs),
      // The ratio of the frames' size to their usual size: needs no translation.
      note: `×${event.score.toFixed(1)}`,
      score: Math.round(event.score * 10) / 10,
    });
    this.#giveUpOldest();
    this.#schedule(gatherMs);
  }

  /** Deletes events whose footage was deleted. @throws what the store throws */
  async retain(): Promise<void> {
    const bounds = new Map<string, number>();
    for (const uid of this.#options.uids()) {
      const sinceMs = await this.#options.keptSince(uid);
      if (sinceMs !== undefined) bounds.set(uid, sinceMs);
    }
    if (bounds.size > 0) await this.#options.store.removeEndedBefore('motion', bounds);
  }

  /** Writes the waiting events and closes; resolves when they are written or have failed for the last time. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetention();
    this.#cancelFlush?.();
    await this.#flush();
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed) return;
    this.#cancelFlush ??= this.#options.clock.after(delayMs, () => {
      this.#cancelFlush = undefined;
      void this.#flush();
    });
  }

  #flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    if (this.#waiting.size === 0) return;
    const events = this.#waiting;
    this.#waiting = new Map();
    try {
      await this.#options.store.saveEvents([...events.values()]);
      if (this.#lost > 0) this.#options.log.warn({ events: this.#lost }, 'Motion events were lost');
      this.#lost = 0;
    } catch (error) {
      this.#options.log.error({ err: error }, 'Motion events could not be saved; it will be retried');
      // Events reported meanwhile are newer.
      this.#waiting = new Map([...events, ...this.#waiting]);
      this.#giveUpOldest();
      this.#schedule(retryMs);
    }
  }

  #giveUpOldest(): void {
    for (const key of this.#waiting.keys()) {
      if (this.#waiting.size <= mostWaiting) return;
      this.#waiting.delete(key);
      this.#lost++;
    }
  }
}
