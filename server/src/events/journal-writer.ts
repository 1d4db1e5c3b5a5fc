import type { Cancel, Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { mergeMs, type Journal, type JournalChange } from '../store/journal.ts';
import type { JournalFeed } from './journal-feed.ts';

export interface JournalWriterOptions {
  readonly journal: Pick<Journal, 'append'>;
  readonly feed: Pick<JournalFeed, 'noteWritten'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Changes go to the database together, this long after the first. */
const gatherMs = 200;
/** Most subjects of one transaction; others get their turn before the next. */
const batchMax = 500;
/** Delay after the database failed. */
const retryMs = 5_000;
/** Maximum number of subjects that wait while the database fails; beyond it the oldest are dropped. */
const mostWaiting = 20_000;

/**
 * Takes what happens, and writes it to the journal in batches. Ten thousand streams that flap cost no more than the batches:
 * what ends and begins again before it was written is one occurrence.
 */
export class JournalWriter {
  readonly #options: JournalWriterOptions;
  /** By what they are about, in their order. */
  #waiting = new Map<string, readonly JournalChange[]>();
  #cancelFlush: Cancel | undefined;
  #writing: Promise<void> = Promise.resolve();
  #lost = 0;
  #isClosed = false;

  constructor(options: JournalWriterOptions) {
    this.#options = options;
  }

  /** Takes a change; it is in the database within half a second, or later if the database fails. Never throws. */
  note(change: JournalChange): void {
    const subject = subjectOf(change);
    this.#waiting.set(subject, merged(this.#waiting.get(subject) ?? [], change));
    this.#giveUpOldest();
    this.#flushIn(gatherMs);
  }

  /** Writes changes immediately, with what `prepare` writes in the same transaction. @throws what the database throws */
  async write(prepare: Parameters<Journal['append']>[0]): Promise<void> {
    const entries = await this.#options.journal.append(prepare);
    this.#options.feed.noteWritten(entries.map(({ id }) => id));
  }

  /** Resolves when everything that waits is written, or has failed. */
  settle(): Promise<void> {
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    this.#writing = this.#writing.then(() => this.#writeAll());
    return this.#writing;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.settle();
  }

  #flushIn(delayMs: number): void {
    if (this.#isClosed) return;
    this.#cancelFlush ??= this.#options.clock.after(delayMs, () => void this.settle());
  }

  /** Never rejects. */
  async #writeAll(): Promise<void> {
    const { log } = this.#options;
    while (this.#waiting.size > 0) {
      const batch = this.#takeBatch();
      try {
        await this.write(batch.flatMap(([, changes]) => changes));
        if (this.#lost > 0) log.warn({ subjects: this.#lost }, 'Entries of the journal were lost');
        this.#lost = 0;
      } catch (error) {
        log.error({ err: error }, 'The journal could not be written; it will be retried');
        this.#putBack(batch);
        this.#flushIn(retryMs);
        return;
      }
    }
  }

  #takeBatch(): [string, readonly JournalChange[]][] {
    const batch: [string, readonly JournalChange[]][] = [];
    for (const waiting of this.#waiting) {
      if (batch.length >= batchMax) break;
      batch.push(waiting);
      this.#waiting.delete(waiting[0]);
    }
    return batch;
  }

  /** Before what has been noted meanwhile. */
  #putBack(batch: readonly [string, readonly JournalChange[]][]): void {
    const newer = this.#waiting;
    this.#waiting = new Map(batch);
    for (const [subject, changes] of newer)
      this.#waiting.set(subject, changes.reduce(merged, this.#waiting.get(subject) ?? []));
    this.#giveUpOldest();
  }

  #giveUpOldest(): void {
    for (const subject of this.#waiting.keys()) {
      if (this.#waiting.size <= mostWaiting) return;
      this.#waiting.delete(subject);
      this.#lost++;
    }
  }
}

/** Changes of one subject that one transaction writes at most: the oldest and the newest count. */
const changesMax = 8;

/** What waits of one subject, with a further change: a later report replaces one, and what flaps goes on. */
function merged(before: readonly JournalChange[], change: JournalChange): readonly JournalChange[] {
  if (change.type === 'put') return [change];
  const last = before.at(-1);
  if (last === undefined || last.type === 'put') return [change];
  if (last.type === change.type) return before;
  const isFlap = last.type === 'end' && change.type === 'begin' && change.startMs <= last.endMs + mergeMs;
  if (isFlap && before.length > 1) return before.slice(0, -1);
  return before.length < changesMax ? [...before, change] : [...before.slice(0, -1), change];
}

function subjectOf(change: JournalChange): string {
  if (change.type === 'put') return `${change.kind} put ${change.key}`;
  const { kind, uid, detail } = change;
  return `${kind} ${uid ?? `of ${detail?.code ?? ''} ${detail?.subject ?? ''}`}`;
}
