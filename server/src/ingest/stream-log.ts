import type { Clock } from '../base/clock.ts';
import type { Log, LogFields } from '../base/log.ts';

export type StreamLogLevel = 'info' | 'warn' | 'error';

/** An event of a stream, as text for its administrators. */
export interface StreamLogLine {
  /** Incremented with every line of the stream, so that a reader can request newer lines. */
  readonly id: number;
  /** Wall clock, ms since the epoch. */
  readonly timeMs: number;
  readonly level: StreamLogLevel;
  readonly message: string;
}

const defaultMaxLines = 300;
const maxMessageLength = 500;

/**
 * The newest events of one stream, kept in memory for the stream's debug screen and passed on to the server's
 * log. The lines are shown to all users who may see the stream, so they must not contain credentials.
 */
export class StreamLog {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #fields: LogFields;
  readonly #maxLines: number;
  #lines: StreamLogLine[] = [];
  #lastId = 0;

  /** @param fields of each line in the server's log. A log of its own would take a kilobyte of each stream. */
  constructor(clock: Clock, log: Log, fields: LogFields = {}, maxLines = defaultMaxLines) {
    this.#clock = clock;
    this.#log = log;
    this.#fields = fields;
    this.#maxLines = maxLines;
  }

  add(level: StreamLogLevel, message: string, fields: LogFields = {}): void {
    const short = message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)}...` : message;
    this.#lines.push({ id: ++this.#lastId, timeMs: this.#clock.wallMs(), level, message: short });
    // Trimmed in batches: shifting an array for each line would move all the others.
    if (this.#lines.length > this.#maxLines * 2) this.#lines = this.#lines.slice(-this.#maxLines);
    this.#log[level]({ ...this.#fields, ...fields }, short);
  }

  /** Oldest first, at most the number of lines given to the constructor. */
  get lines(): readonly StreamLogLine[] {
    return this.#lines.slice(-this.#maxLines);
  }
}
