import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<string>();

/**
 * Runs what belongs to one stream: its sockets, timers and promises know the stream from then on, so that an error that
 * nothing catches can be attributed to the stream whose data caused it.
 */
export function asStream<Result>(uid: string, run: () => Result): Result {
  return storage.run(uid, run);
}

/** Runs what several streams share, whichever of them needs it first. */
export function asNoStream<Result>(run: () => Result): Result {
  return storage.exit(run);
}

/** The stream to which the current callback belongs; undefined for what belongs to none. */
export function currentStream(): string | undefined {
  return storage.getStore();
}
