import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { giveUpReserve, withReserve } from '../base/disk-reserve.ts';
import { isSqliteError } from '../base/sqlite-trouble.ts';
import type { StatementResult } from './sqlite-statements.ts';
import { type SpaceFinder, SqliteWrites } from './sqlite-writes.ts';

/**
 * The writer thread: a commit waits for the disk, and the main thread, which receives frames, must not.
 * Protocol: `{ id, sql, parameters }` in, `{ id, result }` or `{ id, error }` out, in order; `analyzed` when
 * the table statistics are new.
 */
export interface WriterRequest {
  readonly id: number;
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export type WriterReply =
  | 'analyzed'
  | { readonly id: number; readonly result: StatementResult }
  | { readonly id: number; readonly error: Error };

const { file } = workerData as { file: string };
const folder = dirname(file);
giveUpReserve(folder);
const database = new DatabaseSync(file);
// After a kill this recovers the log, which needs space.
withReserve(folder, () => database.exec('PRAGMA journal_mode = WAL'));
// FULL: acknowledged writes survive a power cut; accounts and rights must not be lost.
database.exec('PRAGMA synchronous = FULL');
// Deleted or replaced content is overwritten: an address with a password must not remain in free space.
database.exec('PRAGMA secure_delete = ON');
database.exec('PRAGMA foreign_keys = ON');
database.exec('PRAGMA busy_timeout = 5000');
// Without table statistics SQLite picks the wrong index for a page of ten thousand streams (measured: 14 ms
// instead of 0.8). They are updated at startup and after a number of writes; the limit is in rows of an index.
const analyzeEvery = 2_000;
database.exec('PRAGMA analysis_limit = 20000');
const withSpace: SpaceFinder = (attempt) => withReserve(folder, attempt);
const writes = new SqliteWrites(database, withSpace);
let count = 0;

/** Old statistics are no reason to end this thread, on a full disk or a failing one. */
function analyze(): void {
  try {
    withSpace(() => database.exec('ANALYZE'));
  } catch (error) {
    if (!isSqliteError(error)) throw error;
  }
}

parentPort?.on('message', (request: WriterRequest | 'close') => {
  if (request === 'close') {
    database.close();
    parentPort?.close();
    return;
  }
  try {
    giveUpReserve(folder);
    const result = writes.run(request.sql, request.parameters);
    parentPort?.postMessage({ id: request.id, result } satisfies WriterReply);
  } catch (error) {
    parentPort?.postMessage({ id: request.id, error: error as Error } satisfies WriterReply);
    return;
  }
  if (++count < analyzeEvery || database.isTransaction) return;
  count = 0;
  analyze();
  parentPort?.postMessage('analyzed' satisfies WriterReply);
});
// Before the first read: a connection loads the statistics with the schema, when it is opened, and not again.
analyze();
parentPort?.postMessage({ id: 0, result: { rows: [], changes: 0 } } satisfies WriterReply);
