import { Worker } from 'node:worker_threads';
import type { Cancel, Clock } from '../../base/clock.ts';
import { asNoStream } from '../../base/stream-context.ts';
import type { HangWatch } from '../../base/hang-watch.ts';
import type { CatalogBatchResult, CatalogFailure, CatalogThreadData } from './catalog-worker.ts';
import type { CatalogChange } from './catalog-writes.ts';

/** Commits changes; resolves when they are on the disk. */
export interface CatalogSink {
  commit(changes: readonly CatalogChange[]): Promise<void>;
}

/** The catalog rejected the changes; none of them was applied. */
export class CatalogError extends Error {
  override readonly name = 'CatalogError';
  /** SQLITE_FULL: no room for the catalog's log. */
  readonly isFull: boolean;
  /** The rows violate a constraint of the tables; other rows may still be accepted. */
  readonly isRefusal: boolean;

  constructor(failure: CatalogFailure) {
    super(`the catalog could not be written: ${failure.message}`);
    this.isFull = failure.sqliteCode === 13;
    this.isRefusal = failure.sqliteCode === 1 || failure.sqliteCode === 19 || failure.sqliteCode === 20;
  }
}

interface QueuedChanges {
  readonly changes: readonly CatalogChange[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * The main thread's side of the catalog's writer thread. Changes of many streams are committed together: a
 * batch is sent as soon as no other is in progress and `groupMs` have passed since the last one.
 */
export class CatalogWriter implements CatalogSink {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #groupMs: number;
  readonly #hangWatch: HangWatch | undefined;
  #worker: Worker | undefined;
  #waiting: QueuedChanges[] = [];
  #underWay: QueuedChanges[] | undefined;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #timer: Cancel | undefined;
  #closing: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  /** With `hangWatch` the thread also watches the main thread, from now on. */
  constructor(path: string, clock: Clock, groupMs: number, hangWatch?: HangWatch) {
    this.#path = path;
    this.#clock = clock;
    this.#groupMs = groupMs;
    this.#hangWatch = hangWatch;
    if (hangWatch) this.#thread().unref();
  }

  /**
   * Commits `changes` in one transaction, possibly together with those of other callers. @throws CatalogError;
   * then none of them was applied.
   */
  commit(changes: readonly CatalogChange[]): Promise<void> {
    if (this.#closing)
      return Promise.reject(new CatalogError({ message: 'the writer is closed', sqliteCode: undefined }));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ changes, resolve, reject });
      // The thread keeps the process alive until everything is committed; the group timer does not.
      this.#thread().ref();
      this.#send();
    });
  }

  /** Commits pending changes, then ends the thread; idempotent. */
  close(): Promise<void> {
    if (!this.#closing) {
      this.#closing = Promise.withResolvers<void>();
      this.#send();
    }
    return this.#closing.promise;
  }

  #send(): void {
    if (this.#underWay) return;
    if (this.#waiting.length === 0) {
      if (this.#closing) this.#endThread(this.#closing.resolve);
      return;
    }
    const pauseMs = this.#closing ? 0 : this.#sentAtMs + this.#groupMs - this.#clock.monotonicMs();
    if (pauseMs > 0) {
      this.#timer ??= this.#clock.after(pauseMs, () => {
        this.#timer = undefined;
        this.#send();
      });
      return;
    }
    this.#underWay = this.#waiting;
    this.#waiting = [];
    this.#sentAtMs = this.#clock.monotonicMs();
    const thread = this.#thread();
    thread.ref();
    thread.postMessage({ entries: this.#underWay.map(({ changes }) => changes) });
  }

  #settle({ failures }: CatalogBatchResult): void {
    const batch = this.#underWay ?? [];
    this.#underWay = undefined;
    if (this.#waiting.length === 0) this.#worker?.unref();
    batch.forEach((waiting, index) => {
      const failure = failures[index];
      if (failure) waiting.reject(new CatalogError(failure));
      else waiting.resolve();
    });
    this.#send();
  }

  #thread(): Worker {
    // Shared by all streams, whichever of them commits first.
    this.#worker ??= asNoStream(() => this.#startThread());
    return this.#worker;
  }

  #startThread(): Worker {
    const worker = new Worker(new URL('./catalog-worker.ts', import.meta.url), {
      workerData: { path: this.#path, hangWatch: this.#hangWatch } satisfies CatalogThreadData,
      name: 'catalog',
    });
    worker.on('message', (result: CatalogBatchResult) => this.#settle(result));
    // The thread could not open the file or crashed: its batch fails, the next batch starts a new thread.
    const failed = (message: string) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      const failure: CatalogFailure = { message, sqliteCode: undefined };
      this.#settle({ failures: (this.#underWay ?? []).map(() => failure) });
    };
    worker.on('error', (error) => failed(error instanceof Error ? error.message : String(error)));
    worker.on('exit', (code) => failed(`its thread ended with exit code ${code}`));
    return worker;
  }

  #endThread(done: () => void): void {
    this.#timer?.();
    this.#timer = undefined;
    const worker = this.#worker;
    this.#worker = undefined;
    if (!worker) {
      done();
      return;
    }
    worker.ref();
    worker.once('exit', () => done());
    worker.postMessage('close');
  }
}
