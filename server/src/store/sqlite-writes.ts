import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { sqliteTroubleOf } from '../base/sqlite-trouble.ts';
import { SqliteStatements, type StatementResult } from './sqlite-statements.ts';

/** What the connection does for space: runs an attempt, and again as long as that frees some. */
export type SpaceFinder = <T>(attempt: () => T) => T;

/** A larger transaction is not repeated: its statements would take too much memory. */
const maxRepeated = 2_000;

const changesRows = /^\s*(insert|update|delete|with)\b/i;

interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly result: StatementResult;
}

/**
 * The statements of the writing connection. SQLite rolls back a whole transaction when there is no space to commit it
 * (https://www.sqlite.org/lang_transaction.html); the statement that failed is then useless to repeat alone, so all of the
 * transaction are.
 */
export class SqliteWrites {
  readonly #database: DatabaseSync;
  readonly #statements: SqliteStatements;
  readonly #withSpace: SpaceFinder;
  /** Those of the open transaction, from its `begin`; undefined if they are too many. */
  #done: Statement[] | undefined = [];

  constructor(database: DatabaseSync, withSpace: SpaceFinder) {
    this.#database = database;
    this.#statements = new SqliteStatements(database);
    this.#withSpace = withSpace;
  }

  /** @throws what SQLite reports; if the disk is full, after all that could be freed has been */
  run(sql: string, parameters: readonly unknown[]): StatementResult {
    const wasTransaction = this.#database.isTransaction;
    // It was lost with the statement that failed.
    if (sql === 'rollback' && !wasTransaction) return { rows: [], changes: 0 };
    if (!wasTransaction) this.#done = [];
    let lost: unknown;
    const result = this.#withSpace(() => {
      if (lost !== undefined) this.#repeat(lost);
      try {
        return this.#statements.run(sql, parameters);
      } catch (error) {
        if (wasTransaction && !this.#database.isTransaction) lost = error;
        throw error;
      }
    });
    this.#note({ sql, parameters, result });
    return result;
  }

  #note(statement: Statement): void {
    if (!this.#database.isTransaction || this.#done?.length === maxRepeated) this.#done = undefined;
    this.#done?.push(statement);
  }

  /**
   * Runs the statements of the lost transaction again. Another process may have written in between: if one has another result
   * than before, what was decided from it no longer holds.
   */
  #repeat(lost: unknown): void {
    if (this.#database.isTransaction) return;
    try {
      if (!this.#done) throw new Error('it is too large');
      for (const { sql, parameters, result } of this.#done) {
        if (!isSame(sql, this.#statements.run(sql, parameters), result))
          throw new Error('the database was changed');
      }
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      if (sqliteTroubleOf(error)) throw error;
      throw new Error(`A transaction can’t be repeated on a full disk: ${(error as Error).message}`, {
        cause: lost,
      });
    }
  }
}

function isSame(sql: string, result: StatementResult, before: StatementResult): boolean {
  if (changesRows.test(sql) && result.changes !== before.changes) return false;
  return isDeepStrictEqual(result.rows, before.rows);
}
