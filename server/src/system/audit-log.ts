import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { redactValue } from '../base/redact.ts';
import type { Audit, AuditQuery, AuditRecord } from '../store/audit.ts';

export interface AuditEvent {
  readonly login: string | null;
  readonly ip: string;
  /** Name of the call. */
  readonly action: string;
  readonly target: string | null;
  /** `ok` or an error code. */
  readonly outcome: string;
  readonly details: Readonly<Record<string, unknown>>;
}

const flushMs = 500;
const maxWaiting = 2_000;
const cleanUpMs = 6 * 3_600_000;

/** Who did what. Entries are written in groups, so that a burst of calls does not cost a disk flush each. */
export class AuditLog {
  readonly #audit: Audit;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #isEnabled: boolean;
  readonly #keepMs: number;
  readonly #nowMs: () => number;
  #waiting: Parameters<Audit['addAll']>[0][number][] = [];
  #cancelFlush: Cancel | undefined;
  #cancelCleanUp: Cancel | undefined;
  #flushing: Promise<void> = Promise.resolve();
  #lost = 0;

  /** `nowMs`: the earliest that it may be, so that a clock set forward removes nothing. */
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
    if (options.isEnabled) this.#cancelCleanUp = this.#clock.every(cleanUpMs, () => this.#cleanUp());
  }

  /** Notes an event; it is on the disk within half a second. */
  add(event: AuditEvent): void {
    if (!this.#isEnabled) return;
    if (this.#waiting.length >= maxWaiting) {
      this.#lost++;
      return;
    }
    this.#waiting.push({
      time_ms: this.#clock.wallMs(),
      login: event.login,
      ip: event.ip,
      action: event.action,
      target: event.target,
      outcome: event.outcome,
      details: JSON.stringify(redactValue(event.details)),
    });
    this.#cancelFlush ??= this.#clock.after(flushMs, () => void this.flush());
  }

  /** @throws Fault AuditLogsDisabled when the configuration has switched it off. */
  async list(query: AuditQuery): Promise<AuditRecord[]> {
    if (!this.#isEnabled) throw new Fault('AuditLogsDisabled', 'The audit log is switched off.');
    await this.flush();
    return this.#audit.list(query);
  }

  /** Writes what waits. What could not be written is counted and said, for it is lost. */
  flush(): Promise<void> {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    const entries = this.#waiting;
    this.#waiting = [];
    this.#flushing = this.#flushing.then(async () => {
      try {
        await this.#audit.addAll(entries);
      } catch (error) {
        this.#lost += entries.length;
        this.#log.error({ error, lost: this.#lost }, 'audit entries were lost');
      }
    });
    return this.#flushing;
  }

  async close(): Promise<void> {
    this.#cancelCleanUp?.();
    await this.flush();
  }

  #cleanUp(): void {
    this.#audit
      .removeBefore(this.#nowMs() - this.#keepMs)
      .catch((error: unknown) => this.#log.warn({ error }, 'old audit entries were not removed'));
  }
}
