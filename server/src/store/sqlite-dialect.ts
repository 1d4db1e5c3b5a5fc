import {
  type AbortableOperationOptions,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { SqliteConnections } from './sqlite-connections.ts';
import type { StatementResult } from './sqlite-statements.ts';

/** Kysely on `node:sqlite`. Kysely's own SQLite dialect needs a library that must be compiled. */
export class NodeSqliteDialect implements Dialect {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  createDriver(): Driver {
    return new NodeSqliteDriver(this.#file);
  }

  createQueryCompiler() {
    return new SqliteQueryCompiler();
  }

  createAdapter() {
    return new ManyReadersAdapter();
  }

  createIntrospector(db: Kysely<unknown>) {
    return new SqliteIntrospector(db);
  }
}

/**
 * Readers need not wait for a transaction; the driver serialises writers. All steps of a migration are one transaction, as on
 * PostgreSQL: SQLite can undo changes of tables, which Kysely doesn't use by default.
 */
class ManyReadersAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class NodeSqliteDriver implements Driver {
  readonly #connections: SqliteConnections;

  constructor(file: string) {
    this.#connections = new SqliteConnections(file);
  }

  init(): Promise<void> {
    return this.#connections.open();
  }

  acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(new NodeSqliteConnection(this.#connections));
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as NodeSqliteConnection).begin();
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as NodeSqliteConnection).finish('commit');
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await (connection as NodeSqliteConnection).finish('rollback');
  }

  releaseConnection(): Promise<void> {
    return Promise.resolve();
  }

  destroy(): Promise<void> {
    return this.#connections.close();
  }
}

/** Reads go to the reading connection, unless a transaction is open here: it must see its own changes. */
class NodeSqliteConnection implements DatabaseConnection {
  readonly #connections: SqliteConnections;
  #releaseTurn: (() => void) | undefined;

  constructor(connections: SqliteConnections) {
    this.#connections = connections;
  }

  async begin(): Promise<void> {
    this.#releaseTurn = await this.#connections.takeWriteTurn();
    await this.#connections.write('begin immediate', []);
  }

  async finish(how: 'commit' | 'rollback'): Promise<void> {
    try {
      await this.#connections.write(how, []);
    } finally {
      this.#releaseTurn?.();
      this.#releaseTurn = undefined;
    }
  }

  async executeQuery<R>(query: CompiledQuery, _options?: AbortableOperationOptions): Promise<QueryResult<R>> {
    if (this.#releaseTurn) {
      return resultOf(await this.#connections.write(query.sql, query.parameters));
    }
    if (SelectQueryNode.is(query.query)) {
      return resultOf(this.#connections.read(query.sql, query.parameters));
    }
    const release = await this.#connections.takeWriteTurn();
    try {
      return resultOf(await this.#connections.write(query.sql, query.parameters));
    } finally {
      release();
    }
  }

  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }
}

function resultOf<R>(result: StatementResult): QueryResult<R> {
  return { rows: result.rows as R[], numAffectedRows: BigInt(result.changes) };
}
