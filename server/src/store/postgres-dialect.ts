import { CompiledQuery, PostgresDialect, PostgresDriver, type DatabaseConnection, type Driver } from 'kysely';
import { VidettePool, type PoolLimits } from './postgres-pool.ts';

/** Names the one turn of writing among the locks of the database; any number that stays. */
const writeLockId = 7_438_220_117;

/** Kysely on PostgreSQL, with transactions one after the other as SQLite has them: what is checked in one still holds when it is done. */
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

/** Waits for the transaction before; the turn ends with this one, however that is. */
async function takeTurn(connection: DatabaseConnection): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(`select pg_advisory_xact_lock(${writeLockId})`));
}
