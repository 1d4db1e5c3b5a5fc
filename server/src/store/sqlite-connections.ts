import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { SqliteStatements, type StatementResult } from './sqlite-statements.ts';
import type { WriterReply, WriterRequest } from './sqlite-writer.ts';

/**
 * One SQLite file, two connections: a writing one in its own thread, and a reading one here, which under WAL
 * never waits for the writer and sees every acknowledged write.
 */
export class SqliteConnections {
  readonly #file: string;
  readonly #waiting = new Map<
    number,
    { resolve: (result: StatementResult) => void; reject: (error: Error) => void }
  >();
  #writer: Worker | undefined;
  #readerDatabase: DatabaseSync | undefined;
  #reader: SqliteStatements | undefined;
  #nextId = 1;
  #writeTurn: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  async open(): Promise<void> {
    const writer = new Worker(new URL('./sqlite-writer.ts', import.meta.url), {
      workerData: { file: this.#file },
    });
    this.#writer = writer;
    const isReady = new Promise<StatementResult>((resolve, reject) =>
      this.#waiting.set(0, { resolve, reject }),
    );
    writer.on('message', (reply: WriterReply) => this.#settle(reply));
    writer.on('error', (error) => this.#fail(error));
    writer.on('exit', () => this.#fail(new Error('The thread that writes the database has ended.')));
    await isReady;
    this.#openReader();
  }

  read(sql: string, parameters: readonly unknown[]): StatementResult {
    if (!this.#reader) throw new Error('The database is not open.');
    return this.#reader.run(sql, parameters);
  }

  write(sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
    const writer = this.#writer;
    if (!writer) return Promise.reject(new Error('The database is not open.'));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      writer.postMessage({ id, sql, parameters } satisfies WriterRequest);
    });
  }

  /** Waits until no other transaction is writing; the returned function releases the turn. */
  async takeWriteTurn(): Promise<() => void> {
    const before = this.#writeTurn;
    let release: () => void = () => {};
    this.#writeTurn = new Promise((resolve) => (release = resolve));
    await before;
    return release;
  }

  async close(): Promise<void> {
    const writer = this.#writer;
    this.#writer = undefined;
    this.#reader = undefined;
    this.#readerDatabase?.close();
    if (!writer) return;
    const hasEnded = new Promise((resolve) => writer.once('exit', resolve));
    writer.postMessage('close');
    await hasEnded;
  }

  /** Reopened when the table statistics are new: an open connection would always plan with the old ones. */
  #openReader(): void {
    this.#readerDatabase?.close();
    this.#readerDatabase = new DatabaseSync(this.#file, { readOnly: true });
    this.#readerDatabase.exec('PRAGMA busy_timeout = 5000');
    this.#readerDatabase.exec('PRAGMA mmap_size = 268435456');
    this.#reader = new SqliteStatements(this.#readerDatabase);
  }

  #settle(reply: WriterReply): void {
    if (reply === 'analyzed') {
      if (this.#reader) this.#openReader();
      return;
    }
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('error' in reply) waiting?.reject(reply.error);
    else waiting?.resolve(reply.result);
  }

  #fail(error: Error): void {
    this.#writer = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
