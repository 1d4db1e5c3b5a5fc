import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import type { Journal } from '../store/journal.ts';

export interface JournalFeedOptions {
  readonly journal: Pick<Journal, 'since'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Other nodes write too: the table is read for what they wrote. */
  readonly isShared: boolean;
}

/** How often the table is read for the entries of other nodes. */
const lookMs = 300;

/** Reports the ids of entries that were written, by this node or another. */
export class JournalFeed {
  readonly #options: JournalFeedOptions;
  readonly #listeners = new Set<(ids: readonly number[]) => void>();
  #revision: number | undefined;
  #cancel: Cancel = () => {};
  #isClosed = false;

  constructor(options: JournalFeedOptions) {
    this.#options = options;
    if (options.isShared) this.#lookLater();
  }

  subscribe(listener: (ids: readonly number[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Entries that this node has committed. With other nodes, they are found in the table like theirs. */
  noteWritten(ids: readonly number[]): void {
    if (this.#options.isShared || ids.length === 0) return;
    this.#publish(ids);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  #publish(ids: readonly number[]): void {
    for (const listener of this.#listeners) listener(ids);
  }

  #lookLater(): void {
    if (!this.#isClosed) this.#cancel = this.#options.clock.after(lookMs, () => void this.#look());
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    try {
      const { ids, revision } = await this.#options.journal.since(this.#revision);
      this.#revision = revision;
      if (ids.length > 0 && !this.#isClosed) this.#publish(ids);
    } catch (error) {
      const isAway = error instanceof Fault && error.code === 'Unavailable';
      if (!isAway) this.#options.log.error({ err: error }, 'The journal could not be read; retrying');
    } finally {
      this.#lookLater();
    }
  }
}
