import type { Cancel, Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Streams, StoredStreamStatus } from '../store/streams.ts';

const flushMs = 500;
/** Delay after the database has rejected a write. */
const retryMs = 5_000;

/** Status of a stream as users see it. */
interface NotedState {
  readonly status: string;
  readonly code: string | null;
  readonly failureReason: string | null;
}

/**
 * Stores the streams' statuses in the database, so that lists can filter and sort by them and other nodes can
 * show them: one write for all changes within a short time.
 */
export class StatusWriter {
  readonly #streams: Streams;
  readonly #clock: Clock;
  readonly #log: Log;
  #waiting = new Map<string, StoredStreamStatus>();
  #cancel: Cancel | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: { streams: Streams; clock: Clock; log: Log }) {
    this.#streams = options.streams;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /** Records a stream's status; it is in the database within about half a second. */
  note(uid: string, { status, code, failureReason }: NotedState): void {
    this.#waiting.set(uid, { status, code, reason: failureReason });
    this.#cancel ??= this.#clock.after(flushMs, () => this.#flush());
  }

  /** Writes pending statuses now; resolves when they are stored. */
  async settle(): Promise<void> {
    this.#flush();
    await this.#writing;
  }

  #flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const statuses = this.#waiting;
    if (statuses.size === 0) return;
    this.#waiting = new Map();
    this.#writing = this.#writing
      .then(() => this.#streams.saveStatuses(statuses))
      .catch((error: unknown) => {
        // The statuses themselves are in memory; the sort order of lists lags until the database accepts them.
        this.#log.error({ err: error }, 'The statuses of streams could not be saved; retrying');
        this.#waiting = new Map([...statuses, ...this.#waiting]);
        this.#cancel ??= this.#clock.after(retryMs, () => this.#flush());
      });
  }
}
