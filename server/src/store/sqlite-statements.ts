import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

/** Result of a statement. */
export interface StatementResult {
  readonly rows: unknown[];
  /** Of a statement that changes no rows, such as `begin`: what SQLite counted before it. */
  readonly changes: number;
}

const cacheSize = 256;

interface Prepared {
  readonly statement: StatementSync;
  readonly givesRows: boolean;
}

/** Runs SQL on one connection, keeping the most recently used statements prepared. */
export class SqliteStatements {
  readonly #database: DatabaseSync;
  /** In order of use, the least recently used first. */
  readonly #prepared = new Map<string, Prepared>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  run(sql: string, parameters: readonly unknown[]): StatementResult {
    const { statement, givesRows } = this.#prepare(sql);
    const values = parameters as SQLInputValue[];
    if (givesRows) return { rows: statement.all(...values), changes: 0 };
    return { rows: [], changes: Number(statement.run(...values).changes) };
  }

  #prepare(sql: string): Prepared {
    let prepared = this.#prepared.get(sql);
    if (prepared) {
      this.#prepared.delete(sql);
    } else {
      const statement = this.#database.prepare(sql);
      // Reading the columns costs more than most statements, so they are read once.
      prepared = { statement, givesRows: statement.columns().length > 0 };
    }
    this.#prepared.set(sql, prepared);
    if (this.#prepared.size > cacheSize) {
      const oldest = this.#prepared.keys().next().value;
      if (oldest !== undefined) this.#prepared.delete(oldest);
    }
    return prepared;
  }
}
