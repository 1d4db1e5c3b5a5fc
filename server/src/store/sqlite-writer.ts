import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { giveUpReserve } from '../base/disk-reserve.ts';
import { SqliteStatements } from './sqlite-statements.ts';

/**
 * The thread that writes: a commit waits for the disk, and the main thread, which receives frames, must not.
 * Protocol: `{ id, sql, parameters }` in, `{ id, result }` or `{ id, error }` out, in order; `analyzed` when the figures on the
 * tables are new.
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
// FULL: what was acknowledged survives a power cut; accounts and rights are not to be lost.
database.exec('PRAGMA synchronous = FULL');
// What is deleted or replaced is overwritten: an address with a password must not stay in free space.
database.exec('PRAGMA secure_delete = ON');
database.exec('PRAGMA foreign_keys = ON');
database.exec('PRAGMA busy_timeout = 5000');
// Without figures on how full its tables are SQLite picks the wrong index for a page of ten thousand streams (measured:
// 14 ms in place of 0.8). They are taken anew at the start and after so many writes; the limit is in rows of an index.
const analyzeEvery = 2_000;
database.exec('PRAGMA analysis_limit = 20000');
const statements = new SqliteStatements(database);
/** SQLITE_FULL: nothing of the statement holds. */
const fullCode = 13;
let writes = 0;

/** On a full disk the reserve makes room; within a transaction that SQLite gave up for it nothing can be tried again. */
function run({ sql, parameters }: WriterRequest): ReturnType<SqliteStatements['run']> {
  giveUpReserve(folder);
  const wasTransaction = database.isTransaction;
  try {
    return statements.run(sql, parameters);
  } catch (error) {
    const isFull = (Number((error as { errcode?: unknown }).errcode) & 0xff) === fullCode;
    if (!isFull || !giveUpReserve(folder, true) || database.isTransaction !== wasTransaction) throw error;
    return statements.run(sql, parameters);
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
// Before anybody reads: a connection takes the figures in with the schema, when it is opened, and not again.
database.exec('ANALYZE');
parentPort?.postMessage({ id: 0, result: { rows: [], changes: 0, lastId: undefined } } satisfies WriterReply);
