import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { appendFile, chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';

const run = promisify(execFile);

/** Where Debian installs the programs of each version; the newest is used. */
const versionsDir = '/usr/lib/postgresql';
const owner = 'vidette';

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * A separate, real PostgreSQL server: its data in a new folder, reachable through a socket in it, and through
 * `host` if given.
 */
export class TestPostgres {
  readonly #dir: string;
  readonly #account: Account | undefined;
  readonly #host: string;
  #process: ChildProcess | undefined;

  constructor(dir: string, account: Account | undefined, host: string) {
    this.#dir = dir;
    this.#account = account;
    this.#host = host;
  }

  /** The address for `database` in the configuration. */
  url(database: string): string {
    return `postgres:///${database}?host=${encodeURIComponent(this.#dir)}&port=5432&user=${owner}`;
  }

  /** The socket of the server. */
  get socket(): string {
    return join(this.#dir, '.s.PGSQL.5432');
  }

  /** The same through a port of loopback that leads to its socket, or of the given address. */
  urlBy(port: number, database: string, host = '127.0.0.1'): string {
    return `postgres://${owner}@${host}:${port}/${database}`;
  }

  /** Starts with the existing data; resolves when it answers. */
  async start(): Promise<void> {
    const child = spawn(
      program('postgres'),
      [
        ...['-D', join(this.#dir, 'data'), '-k', this.#dir, '-c', `listen_addresses=${this.#host}`],
        // No durability needed: there is no real data.
        ...['-c', 'fsync=off', '-c', 'synchronous_commit=off', '-c', 'full_page_writes=off'],
      ],
      { ...this.#account, cwd: this.#dir, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    this.#process = child;
    const output: string[] = [];
    await new Promise<void>((resolve, reject) => {
      const onData = (chunk: Buffer) => {
        output.push(chunk.toString());
        if (output.join('').includes('ready to accept connections')) resolve();
      };
      child.stdout.on('data', onData);
      child.stderr.on('data', onData);
      child.once('error', reject);
      child.once('exit', (code) => reject(new Error(`postgres ended with ${code}:\n${output.join('')}`)));
    });
  }

  /** Stops the server with its connections, and keeps the data. */
  halt(): Promise<void> {
    return this.#end('SIGINT');
  }

  /**
   * Kills it like a power cut. The surviving processes end by themselves a moment later: until then it can't
   * start.
   */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** Stops the server permanently and deletes its data. */
  async stop(): Promise<void> {
    await this.halt();
    await rm(this.#dir, { recursive: true, force: true, maxRetries: 5 });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  /** Runs SQL as an operator does manually. */
  client(database: string): Client {
    return new Client(this.url(database));
  }

  /** Creates an empty database and returns its address. */
  async create(database: string): Promise<string> {
    await createDatabase(this.url('postgres'), database);
    return this.url(database);
  }
}

/**
 * Creates an empty database on a server, given the address of another database there; an existing one is kept.
 */
export async function createDatabase(url: string, database: string): Promise<void> {
  const client = new Client(url);
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(database)}`);
  } finally {
    await client.end();
  }
}

/**
 * Creates a server without data and starts it. PostgreSQL refuses to run as root, in which case it runs as
 * `nobody`.
 * @param host an address of this machine that it listens on as well, for clients in the same network of 256
 */
export async function startPostgres(host = ''): Promise<TestPostgres> {
  const dir = await mkdtemp(join(tmpdir(), 'vidette-pg-'));
  const account = process.getuid?.() === 0 ? await accountOf('nobody') : undefined;
  if (account) await chown(dir, account.uid, account.gid);
  await chmod(dir, 0o700);
  // A natural-language collation, not code points: the product must request what it needs.
  const locale = ['--locale-provider=icu', '--icu-locale=en-US', '--locale=C.UTF-8'];
  const options = ['-D', join(dir, 'data'), '-U', owner, '-A', 'trust', '-E', 'UTF8', '--no-sync', ...locale];
  await run(program('initdb'), options, { ...account, cwd: dir });
  if (host !== '') {
    await appendFile(join(dir, 'data', 'pg_hba.conf'), `host all all ${host}/24 trust\n`);
  }
  const server = new TestPostgres(dir, account, host);
  await server.start();
  return server;
}

async function accountOf(name: string): Promise<Account> {
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (which) => (await run('id', [which, name])).stdout),
  );
  return { uid: Number(uid), gid: Number(gid) };
}

function program(name: string): string {
  const newest =
    readdirSync(versionsDir)
      .sort((a, b) => Number(a) - Number(b))
      .at(-1) ?? '';
  return join(versionsDir, newest, 'bin', name);
}
