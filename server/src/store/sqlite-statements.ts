import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

/** What a statement gave. */
export interface StatementResult {
  readonly rows: unknown[];
  readonly changes: number;
  readonly lastId: number | undefined;
}

const cacheSize = 256;

/** Runs SQL on one connection, keeping the latest statements prepared. */
export class SqliteStatements {
  readonly #database: DatabaseSync;
  /** In order of use, the least recently used first. */
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  run(sql: string, parameters: readonly unknown[]): StatementResult {
    const statement = this.#prepare(sql);
    const values = parameters as SQLInputValue[];
    if (statement.columns().length > 0)
      return { rows: statement.all(...values), changes: 0, lastId: undefined };
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], changes: Number(changes), lastId: Number(lastInsertRowid) };
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#prepared.get(sql);
    if (statement) this.#prepared.delete(sql);
    else statement = this.#database.prepare(sql);
    this.#prepared.set(sql, statement);
    if (this.#prepared.size > cacheSize) {
      const oldest = this.#prepared.keys().next().value;
      if (oldest !== undefined) this.#prepared.delete(oldest);
    }
    return statement;
  }
}
