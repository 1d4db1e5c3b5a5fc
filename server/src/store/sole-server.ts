import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { delay, type Cancel, type Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { faultOfPostgres, postgresOptions } from './postgres-pool.ts';

/** The two numbers that name the server's lock among the database's; any that stay. */
const lockClass = 743_822;
const lockObject = 118;
const retryMs = 2_000;
/** A server that lost its power, or its way to the database, holds the lock until the database notices. */
const patienceMs = 30_000;
/** By which it does notice, within a quarter of a minute. */
const serverOptions = '-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=3 -c tcp_keepalives_count=3';

const tryLock = 'select pg_try_advisory_lock($1::int, $2::int) as held';
const endOwnLeftover = `select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and classid = $1::int and objid = $2::int and application_name = $3
    and pid <> pg_backend_pid()`;

export interface SoleServerOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Another server has the database now, and this one must stop. Called once. */
  readonly onTaken: () => void;
}

/**
 * One server at a time has a PostgreSQL database: it holds a lock of the database's own for as long as its connection
 * lasts. When that breaks, what runs goes on, and the lock is taken anew as soon as the database answers.
 */
export class SoleServer {
  readonly #options: SoleServerOptions;
  /** Tells this run's own lock, left behind by a broken connection, from that of another server. */
  readonly #applicationName = `vidette-${randomUUID()}`;
  #client: Client | undefined;
  #cancelRetry: Cancel | undefined;
  #isClosed = false;

  private constructor(options: SoleServerOptions) {
    this.#options = options;
  }

  /** @throws Fault Unavailable when another server has the database, or it does not answer */
  static async take(options: SoleServerOptions): Promise<SoleServer> {
    const { clock, log } = options;
    const server = new SoleServer(options);
    const client = await server.#connect();
    const untilMs = clock.monotonicMs() + patienceMs;
    while (!(await server.#tryTake(client))) {
      if (clock.monotonicMs() > untilMs) {
        await client.end();
        throw new Fault('Unavailable', 'Another server uses the database: one at a time may have it.');
      }
      log.warn({}, 'Another server uses the database, or did a moment ago: waiting for it to end');
      await delay(clock, retryMs);
    }
    return server;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetry?.();
    const client = this.#client;
    this.#client = undefined;
    await client?.end();
  }

  /** @throws Fault Unavailable when the database does not answer */
  async #connect(): Promise<Client> {
    const client = new Client({
      ...postgresOptions(this.#options.url),
      application_name: this.#applicationName,
      options: serverOptions,
    });
    client.on('error', () => this.#lose(client));
    client.on('end', () => this.#lose(client));
    try {
      await client.connect();
      return client;
    } catch (error) {
      throw faultOfPostgres(error);
    }
  }

  /** Whether the lock is held now. @throws Fault Unavailable when the database does not answer */
  async #tryTake(client: Client): Promise<boolean> {
    try {
      const own = await client.query(endOwnLeftover, [lockClass, lockObject, this.#applicationName]);
      const { rows } = await client.query<{ held: boolean }>(tryLock, [lockClass, lockObject]);
      if (!rows[0]?.held) {
        if (own.rows.length > 0) throw new Error('The connection that was lost has not ended yet.');
        return false;
      }
    } catch (error) {
      throw faultOfPostgres(error);
    }
    this.#client = client;
    return true;
  }

  #lose(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#options.log.warn({}, 'The connection to the database is lost; it is opened again');
    // A connection that failed is still to be closed; what that says is of no use.
    client.end().catch(() => undefined);
    this.#retryLater();
  }

  #retryLater(): void {
    if (this.#isClosed) return;
    this.#cancelRetry = this.#options.clock.after(retryMs, () => void this.#retry());
  }

  async #retry(): Promise<void> {
    const { log, onTaken } = this.#options;
    let client: Client | undefined;
    try {
      client = await this.#connect();
      const isTaken = !(await this.#tryTake(client));
      if (this.#isClosed || isTaken) await client.end();
      if (this.#isClosed) return;
      if (isTaken) onTaken();
      else log.info({}, 'The database answers again');
    } catch {
      // Still away: it is asked again until it answers. What closing a broken connection says is of no use.
      client?.end().catch(() => undefined);
      this.#retryLater();
    }
  }
}
