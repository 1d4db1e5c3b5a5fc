import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDatabase } from './postgres.ts';

const main = fileURLToPath(new URL('../server/src/main.ts', import.meta.url));

export interface ServerOptions {
  /** Folder for its data; by default a new one, removed at `stop`. */
  dataDir?: string;
  /** 0, the default, lets the system choose a free port. */
  port?: number;
  env?: Record<string, string>;
  /** The program that runs it, with its own arguments: `ip netns exec NAME`. */
  through?: readonly string[];
  /** Receives all of its output as it arrives. */
  onOutput?: (text: string) => void;
}

/** The product as a separate process, as an operator runs it. */
export class TestServer {
  readonly url: string;
  readonly dataDir: string;
  readonly #process: ChildProcess;
  readonly #ownsData: boolean;
  readonly #output: string[];

  constructor(process: ChildProcess, url: string, dataDir: string, ownsData: boolean, output: string[]) {
    this.#process = process;
    this.url = url;
    this.dataDir = dataDir;
    this.#ownsData = ownsData;
    this.#output = output;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** All output of the server so far. */
  get output(): string {
    return this.#output.join('');
  }

  /** The most recently printed set-up code. Throws if there is none. */
  get setupCode(): string {
    const code = [...this.output.matchAll(/Set-up code: (\S+)/g)].at(-1)?.[1];
    if (!code) throw new Error(`no set-up code in:\n${this.output}`);
    return code;
  }

  /** Stops the server gracefully, waits until it has ended, and removes its folder if it was created for it. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
    if (this.#ownsData) await rm(this.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Kills the server like a power cut, keeping its folder. */
  async kill(): Promise<void> {
    if (!this.#hasEnded) this.signal('SIGKILL');
    await this.#end('SIGKILL');
  }

  /** Sends a signal to all processes that make up the server: to its supervisor, front and engines, if it has any. */
  signal(signal: NodeJS.Signals): void {
    // Read first: they are no longer its children once it is dead.
    const others = partsOf(this.pid);
    for (const pid of [this.pid, ...others]) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        // It ended in between.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }

  get #hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#hasEnded) return;
    const exited = once(this.#process, 'exit');
    this.#process.kill(signal);
    const hardStop = setTimeout(() => this.#process.kill('SIGKILL'), 60_000);
    await exited;
    clearTimeout(hardStop);
  }
}

/** The front and the engines of a server, which are its children. */
export function partsOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.map(Number).filter((child) => {
    try {
      return /(front|engine)-main\.[jt]s/.test(readFileSync(`/proc/${child}/cmdline`, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  });
}

/**
 * If `VIDETTE_TEST_POSTGRES` gives the address of a server's `postgres` database, every started product has its
 * own database there, by data folder: this is its address. Undefined if it uses its usual one.
 */
export function databaseOf(dataDir: string): string | undefined {
  return process.env['VIDETTE_TEST_POSTGRES']?.replace('/postgres?', `/${databaseName(dataDir)}?`);
}

function databaseName(dataDir: string): string {
  return basename(dataDir).toLowerCase().replaceAll('-', '_');
}

async function databaseVariable(dataDir: string): Promise<Record<string, string>> {
  const [server, url] = [process.env['VIDETTE_TEST_POSTGRES'], databaseOf(dataDir)];
  if (server === undefined || url === undefined) return {};
  await createDatabase(server, databaseName(dataDir));
  return { VIDETTE_DATABASE: url };
}

/** Starts the product on a free port of loopback and waits until it reports that it listens. */
export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'vidette-')));
  const [program, ...before] = [...(options.through ?? []), process.execPath];
  const child = spawn(program ?? process.execPath, [...before, main], {
    env: {
      ...process.env,
      VIDETTE_PORT: String(options.port ?? 0),
      VIDETTE_HOST: '127.0.0.1',
      // On a busy machine the tests of everything else would meet what they don't test.
      VIDETTE_OVERLOAD_YIELDS: 'false',
      VIDETTE_DATA: dataDir,
      ...(await databaseVariable(dataDir)),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      output.push(chunk.toString());
      options.onOutput?.(chunk.toString());
      const address = /Vidette listens on (http\S+?)\/ui\//.exec(output.join(''));
      if (address?.[1]) resolve(address[1]);
    };
    child.stdout.on('data', onData);
    child.stderr.on('data', onData);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${output.join('')}`)));
  });
  return new TestServer(child, url, dataDir, options.dataDir === undefined, output);
}

/** The first administrator that `setUp` creates. */
export const administrator = {
  name: 'admin',
  password: 'correct horse 7 battery',
  email: 'admin@example.org',
};

/** Creates the first administrator and returns the session cookie as the value of a `cookie` header. */
export async function setUp(server: TestServer): Promise<string> {
  const reply = await fetch(`${server.url}/v1/system/unlock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: server.setupCode, language: 'en', ...administrator }),
  });
  if (!reply.ok) throw new Error(`set-up failed: ${reply.status} ${await reply.text()}`);
  return cookieOf(reply);
}

/** Signs in and returns the session cookie as the value of a `cookie` header. */
export async function signIn(
  server: TestServer,
  name = administrator.name,
  password = administrator.password,
): Promise<string> {
  const reply = await fetch(`${server.url}/v1/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name, password }),
  });
  if (!reply.ok) throw new Error(`sign-in failed: ${reply.status} ${await reply.text()}`);
  return cookieOf(reply);
}

function cookieOf(reply: Response): string {
  // Besides the session, the reply may contain the cookie of a known device.
  const cookies = reply.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  const session = cookies.find((cookie) => cookie.startsWith('vidette_session='));
  if (session === undefined) throw new Error('the reply sets no cookie');
  return session;
}
