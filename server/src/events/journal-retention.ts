import type { Cancel, Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config/schema.ts';
import type { Journal } from '../store/journal.ts';

export interface JournalRetentionOptions {
  readonly journal: Pick<Journal, 'trim'>;
  /** Read at every use: changes take effect immediately. */
  readonly config: Pick<Config, 'journal'>;
  /** A lower bound of the current time, so that a clock set forward deletes nothing. */
  readonly nowMs: () => number;
  readonly clock: Clock;
  readonly log: Log;
}

const periodMs = 10 * 60_000;
const dayMs = 86_400_000;

/** Keeps the journal within its configured bounds. */
export class JournalRetention {
  readonly #options: JournalRetentionOptions;
  readonly #cancel: Cancel;

  constructor(options: JournalRetentionOptions) {
    this.#options = options;
    this.#cancel = options.clock.every(periodMs, () => {
      this.run().catch((error: unknown) =>
        options.log.error(
          { err: error },
          'Old entries of the journal could not be deleted; it will be retried',
        ),
      );
    });
  }

  /** @throws what the database throws */
  async run(): Promise<void> {
    const { journal, config, nowMs } = this.#options;
    const { days, entriesPerStream: perStream, entries: total } = config.journal;
    await journal.trim({ beforeMs: nowMs() - days * dayMs, perStream, total });
  }

  close(): void {
    this.#cancel();
  }
}
