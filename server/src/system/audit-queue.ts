import type { Cancel, Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Audit, NewAuditEntry } from '../store/audit.ts';

/** An entry of a lasting activity, whose details change until it is over. */
interface LastingEntry {
  row: NewAuditEntry;
  /** Id in the database; undefined until it was first written. */
  id: number | undefined;
  isDirty: boolean;
  isOver: boolean;
}

const flushMs = 500;
/** Maximum queue length while the database rejects writes. */
const maxWaiting = 10_000;
/** Maximum rows per statement; engines limit the number of parameters. */
const batch = 500;
const retryMs = 5_000;

/** Entries on their way to the database: written in groups, in order, and retried while it rejects them. */
export class AuditQueue {
  readonly #audit: Audit;
  readonly #clock: Clock;
  readonly #log: Log;
  /** Called before each flush, to add entries that have only been counted so far. */
  readonly #beforeFlush: () => void;
  #waiting: NewAuditEntry[] = [];
  readonly #lasting = new Set<LastingEntry>();
  #cancelFlush: Cancel | undefined;
  #flushing: Promise<void> = Promise.resolve();
  #isStuck = false;

  constructor(audit: Audit, clock: Clock, log: Log, beforeFlush: () => void) {
    this.#audit = audit;
    this.#clock = clock;
    this.#log = log;
    this.#beforeFlush = beforeFlush;
  }

  /** Accepts no more entries. */
  get isFull(): boolean {
    return this.#waiting.length >= maxWaiting;
  }

  add(row: NewAuditEntry): void {
    this.#waiting.push(row);
    this.#flushIn(flushMs);
  }

  /** Adds an entry; the returned function replaces its details until the activity is over. */
  addLasting(row: NewAuditEntry): (details: NewAuditEntry['details'], isOver: boolean) => void {
    const entry: LastingEntry = { row, id: undefined, isDirty: true, isOver: false };
    this.#lasting.add(entry);
    this.#flushIn(flushMs);
    return (details, isOver) => {
      if (entry.isOver) return;
      entry.row = { ...entry.row, details };
      entry.isDirty = true;
      entry.isOver = isOver;
      this.#flushIn(flushMs);
    };
  }

  /** Writes queued entries. Entries that can't be written stay queued, in order. */
  flush(): Promise<void> {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    this.#beforeFlush();
    this.#flushing = this.#flushing.then(() => this.#write());
    return this.#flushing;
  }

  async close(): Promise<void> {
    await this.flush();
    this.#cancelFlush?.();
    const lost = this.#waiting.length;
    if (lost > 0) this.#log.error({ lost }, 'Audit entries were lost');
  }

  /** Never rejects. */
  async #write(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        const entries = this.#waiting.slice(0, batch);
        await this.#audit.addAll(entries);
        this.#waiting.splice(0, entries.length);
      }
      for (const entry of this.#lasting) {
        if (entry.isDirty) await this.#writeLasting(entry);
        // The end of an entry that ended while it was being written must still be written.
        if (entry.isOver && !entry.isDirty) this.#lasting.delete(entry);
      }
      if (this.#isStuck) this.#log.info({}, 'Audit entries can be written again');
      this.#isStuck = false;
    } catch (error) {
      if (!this.#isStuck) this.#log.error({ error }, 'Audit entries could not be written and are queued');
      this.#isStuck = true;
      this.#flushIn(retryMs);
    }
  }

  async #writeLasting(entry: LastingEntry): Promise<void> {
    entry.isDirty = false;
    try {
      if (entry.id === undefined) entry.id = await this.#audit.add(entry.row);
      else await this.#audit.saveDetails(entry.id, entry.row.details);
    } catch (error) {
      entry.isDirty = true;
      throw error;
    }
  }

  #flushIn(delayMs: number): void {
    this.#cancelFlush ??= this.#clock.after(delayMs, () => void this.flush());
  }
}
