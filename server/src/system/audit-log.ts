import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { redactValue } from '../base/redact.ts';
import type { Audit, AuditQuery, AuditRecord } from '../store/audit.ts';
import type { AuditEvent, OpenEntry } from './audit-event.ts';
import { AuditTallies } from './audit-tallies.ts';

interface Lasting {
  readonly row: QueuedEntry;
  /** In the database; undefined until it was first written. */
  id: number | undefined;
  isDirty: boolean;
  isOver: boolean;
}

type QueuedEntry = Parameters<Audit['addAll']>[0][number];

const flushMs = 500;
/** While the database refuses writes; beyond it events of one kind become one entry with their count. */
const maxWaiting = 10_000;
/** Rows of one statement; engines limit the number of its parameters. */
const batch = 500;
const retryMs = 5_000;
const cleanUpMs = 6 * 3_600_000;

/** Who did what. Entries are written in groups, so that a burst of calls does not cost a disk flush each. */
export class AuditLog {
  readonly #audit: Audit;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #isEnabled: boolean;
  readonly #keepMs: number;
  readonly #nowMs: () => number;
  #waiting: QueuedEntry[] = [];
  readonly #lasting = new Set<Lasting>();
  readonly #tallies: AuditTallies;
  #cancelFlush: Cancel | undefined;
  #cancelCleanUp: Cancel | undefined;
  #flushing: Promise<void> = Promise.resolve();
  #isStuck = false;

  /** `nowMs`: a lower bound of the current time, so that a clock set forward deletes nothing. */
  constructor(options: {
    audit: Audit;
    clock: Clock;
    log: Log;
    isEnabled: boolean;
    keepDays: number;
    nowMs?: () => number;
  }) {
    this.#audit = options.audit;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#isEnabled = options.isEnabled;
    this.#keepMs = options.keepDays * 86_400_000;
    this.#nowMs = options.nowMs ?? (() => options.clock.wallMs());
    this.#tallies = new AuditTallies(this, options.clock);
    if (options.isEnabled) this.#cancelCleanUp = this.#clock.every(cleanUpMs, () => this.#cleanUp());
  }

  /**
   * Notes a user's action; it is on the disk within half a second, and later while the database refuses writes.
   */
  add(event: AuditEvent): void {
    if (!this.#isEnabled) return;
    if (this.#waiting.length >= maxWaiting) {
      this.#tallies.count(event);
      return;
    }
    this.#waiting.push(this.#rowOf(event));
    this.#flushIn(flushMs);
  }

  /**
   * Counts anonymous callers' actions: one entry an hour for each kind, with how often and from where, so that
   * strangers can't fill the log.
   */
  count(event: AuditEvent): void {
    if (this.#isEnabled) this.#tallies.count(event);
  }

  /** Notes the start of a lasting activity. */
  open(event: AuditEvent): OpenEntry {
    if (!this.#isEnabled) return { update: () => {} };
    const entry: Lasting = { row: this.#rowOf(event), id: undefined, isDirty: true, isOver: false };
    this.#lasting.add(entry);
    this.#flushIn(flushMs);
    return {
      update: (details, isOver = false) => {
        if (entry.isOver) return;
        entry.row.details = JSON.stringify(redactValue(details));
        entry.isDirty = true;
        entry.isOver = isOver;
        this.#flushIn(flushMs);
      },
    };
  }

  /** @throws Fault AuditLogsDisabled when the configuration has switched it off. */
  async list(query: AuditQuery): Promise<AuditRecord[]> {
    if (!this.#isEnabled) throw new Fault('AuditLogsDisabled', 'The audit log is switched off.');
    await this.flush();
    return this.#audit.list(query);
  }

  /** Writes what waits. Entries that can't be written keep waiting, in their order. */
  flush(): Promise<void> {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    this.#tallies.tell();
    this.#flushing = this.#flushing.then(() => this.#write());
    return this.#flushing;
  }

  async close(): Promise<void> {
    this.#cancelCleanUp?.();
    await this.flush();
    this.#cancelFlush?.();
    const lost = this.#waiting.length;
    if (lost > 0) this.#log.error({ lost }, 'audit entries were lost');
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
        // An entry that ended while it was being written still has its end to write.
        if (entry.isOver && !entry.isDirty) this.#lasting.delete(entry);
      }
      if (this.#isStuck) this.#log.info({}, 'audit entries are written again');
      this.#isStuck = false;
    } catch (error) {
      if (!this.#isStuck) this.#log.error({ error }, 'audit entries can’t be written: they wait');
      this.#isStuck = true;
      this.#flushIn(retryMs);
    }
  }

  async #writeLasting(entry: Lasting): Promise<void> {
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

  #rowOf({ login, ip, action, target, outcome, details }: AuditEvent): QueuedEntry {
    return {
      time_ms: this.#clock.wallMs(),
      login,
      ip,
      action,
      target,
      outcome,
      details: JSON.stringify(redactValue(details)),
    };
  }

  #cleanUp(): void {
    this.#audit
      .removeBefore(this.#nowMs() - this.#keepMs)
      .catch((error: unknown) => this.#log.warn({ error }, 'old audit entries were not removed'));
  }
}
