import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { redactValue } from '../base/redact.ts';
import type { Audit, AuditQuery, AuditRecord, NewAuditEntry } from '../store/audit.ts';
import type { AuditEvent, OpenEntry } from './audit-event.ts';
import { machineActions, streamActions } from './audit-subjects.ts';
import { AuditQueue } from './audit-queue.ts';
import { AuditTallies } from './audit-tallies.ts';

const cleanUpMs = 6 * 3_600_000;

/**
 * Records who did what. Entries are written in groups, so that a burst of calls does not cost a disk flush
 * each.
 */
export class AuditLog {
  readonly #audit: Audit;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #isEnabled: boolean;
  readonly #keepMs: number;
  readonly #nowMs: () => number;
  readonly #queue: AuditQueue;
  readonly #tallies: AuditTallies;
  #cancelCleanUp: Cancel | undefined;

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
    const tallies = new AuditTallies(this, options.clock);
    this.#tallies = tallies;
    this.#queue = new AuditQueue(options.audit, options.clock, options.log, () => tallies.tell());
    if (options.isEnabled) this.#cancelCleanUp = this.#clock.every(cleanUpMs, () => this.#cleanUp());
  }

  /** Records a user's action; it is on disk within half a second, or later if the database rejects writes. */
  add(event: AuditEvent): void {
    if (!this.#isEnabled) return;
    // Beyond this limit, events of one kind become one entry with a count.
    if (this.#queue.isFull) this.#tallies.count(event);
    else this.#queue.add(this.#rowOf(event));
  }

  /**
   * Counts anonymous callers' actions: one entry per hour and kind, with the number of calls and their
   * networks, so that strangers can't fill the log.
   */
  count(event: AuditEvent): void {
    if (this.#isEnabled) this.#tallies.count(event);
  }

  /** Records the start of a lasting activity. */
  open(event: AuditEvent): OpenEntry {
    if (!this.#isEnabled) return { update: () => {} };
    const update = this.#queue.addLasting(this.#rowOf(event));
    return {
      update: (details, isOver = false) => update(redactedOf(details), isOver),
    };
  }

  /** @throws Fault AuditLogsDisabled when the log is disabled in the configuration. */
  async list(query: AuditQuery): Promise<AuditRecord[]> {
    if (!this.#isEnabled) throw new Fault('AuditLogsDisabled', 'The audit log is disabled.');
    await this.flush();
    return this.#audit.list(query);
  }

  /** Writes queued entries. Entries that can't be written stay queued, in order. */
  flush(): Promise<void> {
    return this.#queue.flush();
  }

  async close(): Promise<void> {
    this.#cancelCleanUp?.();
    await this.#queue.close();
  }

  #rowOf({ targetName, details, isMachine, ...event }: AuditEvent): NewAuditEntry {
    const { action } = event;
    return {
      ...event,
      timeMs: this.#clock.wallMs(),
      targetName: targetName ?? null,
      details: redactedOf(details),
      isMachine: isMachine === true || machineActions.has(action),
      isOfStream: streamActions.has(action),
    };
  }

  #cleanUp(): void {
    this.#audit
      .removeBefore(this.#nowMs() - this.#keepMs)
      .catch((error: unknown) => this.#log.warn({ error }, 'Old audit entries could not be removed'));
  }
}

/** A copy of the current state, without secrets. */
function redactedOf(details: AuditEvent['details']): NewAuditEntry['details'] {
  return redactValue(details) as NewAuditEntry['details'];
}
