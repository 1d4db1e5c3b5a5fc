import { DatabaseError, Pool, types, type PoolClient } from 'pg';
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { Fault } from '../base/fault.ts';

export interface PoolLimits {
  /** Maximum number of connections: queries are few, and several nodes share the server's limit. */
  readonly connectionsMax: number;
  readonly connectMs: number;
  /** A query that takes longer is cancelled: the database hangs, or the network path to it does. */
  readonly answerMs: number;
}

const usualLimits: PoolLimits = { connectionsMax: 8, connectMs: 5_000, answerMs: 20_000 };
const idleMs = 60_000;

/** int8, the type of counts and times: all of them fit a number. */
const int8 = 20;

/**
 * Connections to PostgreSQL as Kysely expects them. Connection errors become a Fault Unavailable here and
 * nowhere else; a statement that the database rejects keeps its own error.
 */
export class VidettePool implements PostgresPool {
  readonly options: object;
  readonly #pool: Pool;

  constructor(url: string, { connectionsMax, connectMs, answerMs }: PoolLimits = usualLimits) {
    const options = {
      connectionString: url,
      application_name: 'vidette',
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      max: connectionsMax,
      idleTimeoutMillis: idleMs,
      query_timeout: answerMs,
      statement_timeout: answerMs,
      types: {
        getTypeParser: ((oid: number, format: 'text') =>
          oid === int8 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
      },
    };
    this.options = {};
    this.#pool = new Pool(options);
    // An idle connection died: the next query opens another, and reports an error if it can't.
    this.#pool.on('error', () => {});
  }

  async connect(): Promise<PostgresPoolClient> {
    try {
      return new VidetteClient(await this.#pool.connect());
    } catch (error) {
      throw faultOfPostgres(error);
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

class VidetteClient implements PostgresPoolClient {
  readonly #client: PoolClient;
  #isBroken = false;
  readonly #onError = () => {
    this.#isBroken = true;
  };

  constructor(client: PoolClient) {
    this.#client = client;
    // Without a listener a connection that dies between two statements would end the process.
    client.on('error', this.#onError);
  }

  query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query(cursor: never): never;
  async query<R>(sql: string, parameters: readonly unknown[] = []): Promise<PostgresQueryResult<R>> {
    try {
      const { command, rowCount, rows } = await this.#client.query({
        text: sql,
        values: parameters.map(storable),
      });
      return {
        command: command as PostgresQueryResult<R>['command'],
        rowCount: rowCount ?? 0,
        rows: rows as R[],
      };
    } catch (error) {
      const fault = faultOfPostgres(error);
      if (fault !== error) this.#isBroken = true;
      throw fault;
    }
  }

  release(destroy?: boolean): void {
    this.#client.off('error', this.#onError);
    this.#client.release(destroy === true || this.#isBroken);
  }
}

/**
 * PostgreSQL's text has no NUL: a search term that contains one matches nothing, and no stored value may
 * contain one.
 */
function storable(value: unknown): unknown {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}

/**
 * Connection exceptions, missing database or role, too many connections, a cancelled statement, the server
 * shutting down or starting (PostgreSQL, appendix A).
 */
const awayStates = /^(08|28|3D|53300|57014|57P0)/;

/**
 * A Fault Unavailable when the database could not be reached; otherwise the error itself, which is about the
 * statement.
 */
export function faultOfPostgres(error: unknown): unknown {
  // By class, not by the form of its code: a broken pipe's is EPIPE, which looks like an SQLSTATE.
  const isStatement = error instanceof DatabaseError && !awayStates.test(error.code ?? '');
  if (isStatement) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new Fault('Unavailable', `The database does not answer: ${reason}`, { cause: error });
}
