import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { giveUpReserve } from '../base/disk-reserve.ts';
import { SqliteStatements } from './sqlite-statements.ts';

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
  | { readonly id: number; readonly result: ReturnType<SqliteStatements['run']> }
  | { readonly id: number; readonly error: Error };

const { file } = workerData as { file: string };
const folder = dirname(file);
giveUpReserve(folder);
const database = new DatabaseSync(file);
database.exec('PRAGMA journal_mode = WAL');
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
const statements = new SqliteStatements(database);
/** SQLITE_FULL: the statement has no effect. */
const fullCode = 13;
let writes = 0;

/** The file system may take a moment to free a part of the reserve, and another thread may use it first. */
const fullTries = 6;
const fullPauseMs = 200;

/**
 * On a full disk, space is freed from the reserve; a transaction that SQLite has rolled back can't be retried.
 */
function run({ sql, parameters }: WriterRequest): ReturnType<SqliteStatements['run']> {
  giveUpReserve(folder);
  const wasTransaction = database.isTransaction;
  let isFreed = false;
  for (let tries = 1; ; tries++) {
    try {
      return statements.run(sql, parameters);
    } catch (error) {
      const isFull = (Number((error as { errcode?: unknown }).errcode) & 0xff) === fullCode;
      if (!isFull || tries === fullTries || database.isTransaction !== wasTransaction) throw error;
      if (giveUpReserve(folder, true)) isFreed = true;
      else if (!isFreed) throw error;
      if (tries > 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fullPauseMs);
    }
  }
}

parentPort?.on('message', (request: WriterRequest | 'close') => {
  if (request === 'close') {
    database.close();
    parentPort?.close();
    return;
  }
  try {
    const result = run(request);
    parentPort?.postMessage({ id: request.id, result } satisfies WriterReply);
  } catch (error) {
    parentPort?.postMessage({ id: request.id, error: error as Error } satisfies WriterReply);
    return;
  }
  if (++writes < analyzeEvery || database.isTransaction) return;
  writes = 0;
  database.exec('ANALYZE');
  parentPort?.postMessage('analyzed' satisfies WriterReply);
});
// Before the first read: a connection loads the statistics with the schema, when it is opened, and not again.
database.exec('ANALYZE');
parentPort?.postMessage({ id: 0, result: { rows: [], changes: 0, lastId: undefined } } satisfies WriterReply);
