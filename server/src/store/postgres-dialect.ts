import { CompiledQuery, PostgresDialect, PostgresDriver, type DatabaseConnection, type Driver } from 'kysely';
import { VidettePool, type PoolLimits } from './postgres-pool.ts';

/** The advisory lock that serialises writing transactions; any constant number. */
const writeLockId = 7_438_220_117;

/**
 * Kysely on PostgreSQL, with serialised transactions as in SQLite: a condition checked in one still holds at
 * its end.
 */
export class SerialPostgresDialect extends PostgresDialect {
  readonly #pool: VidettePool;

  constructor(url: string, limits?: PoolLimits) {
    const pool = new VidettePool(url, limits);
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): Driver {
    return new SerialPostgresDriver({ pool: this.#pool });
  }
}

class SerialPostgresDriver extends PostgresDriver {
  override async beginTransaction(
    ...[connection, settings]: Parameters<PostgresDriver['beginTransaction']>
  ): Promise<void> {
    await super.beginTransaction(connection, settings);
    await takeTurn(connection);
  }
}

/** Waits for the previous transaction; the lock is released when this transaction ends, however it ends. */
async function takeTurn(connection: DatabaseConnection): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(`select pg_advisory_xact_lock(${writeLockId})`));
}
