import { dirname } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../base/clock.ts';
import { giveUpReserve, withReserve } from '../../base/disk-reserve.ts';
import { watchForHangs, type HangWatch } from '../../base/hang-watch.ts';
import { openCatalogForWriting } from './catalog-file.ts';
import { CatalogWrites, type CatalogChange } from './catalog-writes.ts';

export interface CatalogThreadData {
  /** Of the catalog's file. */
  readonly path: string;
  /** See `watchForHangs`: a thread of its own for that would cost 10 MB. */
  readonly hangWatch: HangWatch | undefined;
}

/** A message from the main thread: each entry is one caller's changes, applied together or not at all. */
export interface CatalogBatch {
  readonly entries: readonly (readonly CatalogChange[])[];
}

/** One result per entry, in order: undefined when committed, else the error. */
export interface CatalogBatchResult {
  readonly failures: readonly (CatalogFailure | undefined)[];
}

/** An error in the form that crosses threads. */
export interface CatalogFailure {
  readonly message: string;
  /** Primary SQLite result code, as in 13 for SQLITE_FULL; undefined for other errors. */
  readonly sqliteCode: number | undefined;
}

const port = parentPort;
if (!port) throw new Error('can only run as a worker thread');
const { path, hangWatch } = workerData as CatalogThreadData;
const folder = dirname(path);
const database = openCatalogForWriting(path);
const cancelWatch = hangWatch && watchForHangs(systemClock, hangWatch);
const writes = new CatalogWrites(database);

port.on('message', (message: CatalogBatch | 'close') => {
  if (message === 'close') {
    cancelWatch?.();
    database.close();
    port.close();
    return;
  }
  port.postMessage({ failures: commit(message.entries) } satisfies CatalogBatchResult);
});

/**
 * Applies all entries in one transaction; if that fails, one by one, so that a bad entry fails alone. On a full
 * disk the reserve leaves room: deletions that free space in the archive must be committed first.
 */
function commit(entries: CatalogBatch['entries']): (CatalogFailure | undefined)[] {
  giveUpReserve(folder);
  const changes = entries.flat();
  const failure = tryCommit(changes);
  if (!failure || entries.length === 1) return entries.map(() => failure);
  return entries.map((entry) => tryCommit(entry));
}

function tryCommit(changes: readonly CatalogChange[]): CatalogFailure | undefined {
  try {
    withReserve(folder, () => writes.commit(changes));
    return undefined;
  } catch (error) {
    const code = (error as { errcode?: unknown }).errcode;
    return {
      message: error instanceof Error ? error.message : String(error),
      sqliteCode: typeof code === 'number' ? code & 0xff : undefined,
    };
  }
}
