import type { LogLevel } from '@vidette/contract/entities';
import type { Clock } from '../base/clock.ts';
import type { Log, LogFields } from '../base/log.ts';
import { redactText, redactValue } from '../base/redact.ts';
import { redactingLog } from '../base/redacting-log.ts';

export interface RingLine {
  /** Increases by one per line. */
  readonly id: number;
  readonly time: number;
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

export interface RingQuery {
  readonly level: LogLevel;
  readonly search: string;
  /** Only lines with a greater id. */
  readonly after: number;
  readonly limit: number;
}

const maxLines = 5_000;
const ranks: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 };

/** The latest lines of the server's log, for the page; redacted when written, not when read. */
export class LogRing {
  readonly #lines: RingLine[] = [];
  readonly #clock: Clock;
  #lastId = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A log that writes to `target` and is remembered here. */
  tee(target: Log): Log {
    return redactingLog(target, (...line) => this.#add(...line));
  }

  /** Remembers a line that another process of this server has written. */
  note(level: LogLevel, fields: LogFields, message: string): void {
    this.#add(level, redactText(message), redactValue(fields) as LogFields);
  }

  /** Oldest first; at most the latest `limit` lines. */
  list(query: RingQuery): RingLine[] {
    const wanted = query.search.toLowerCase();
    return this.#lines
      .filter(
        (line) =>
          line.id > query.after &&
          ranks[line.level] >= ranks[query.level] &&
          (wanted === '' || `${line.message} ${JSON.stringify(line.fields)}`.toLowerCase().includes(wanted)),
      )
      .slice(-query.limit);
  }

  #add(level: LogLevel, message: string, fields: Record<string, unknown>): void {
    this.#lines.push({ id: ++this.#lastId, time: this.#clock.wallMs(), level, message, fields });
    // In batches: shifting thousands of lines for each new one would cost more than the line itself.
    if (this.#lines.length > maxLines + 500) this.#lines.splice(0, 500);
  }
}
