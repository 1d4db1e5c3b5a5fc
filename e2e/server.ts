import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDatabase } from './postgres.ts';

const main = fileURLToPath(new URL('../server/src/main.ts', import.meta.url));

export interface ServerOptions {
  /** Folder for its data; a new one, removed at `stop`, when left out. */
  dataDir?: string;
  /** 0, the default, lets the system choose a free port. */
  port?: number;
  env?: Record<string, string>;
  /** The program that runs it, with its own arguments: `ip netns exec NAME`. */
  through?: readonly string[];
  /** Receives all of its output as it comes. */
  onOutput?: (text: string) => void;
}

/** The product as a process of its own, as an operator runs it. */
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

  /** The set-up code printed last. Throws when none was. */
  get setupCode(): string {
    const code = [...this.output.matchAll(/Set-up code: (\S+)/g)].at(-1)?.[1];
    if (!code) throw new Error(`no set-up code in:\n${this.output}`);
    return code;
  }

  /** Asks the server to stop, waits until it did, and removes its folder if it was made for it. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM');
    if (this.#ownsData) await rm(this.dataDir, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Ends the server as a power cut would, keeping its folder. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const exited = once(this.#process, 'exit');
    this.#process.kill(signal);
    const hardStop = setTimeout(() => this.#process.kill('SIGKILL'), 60_000);
    await exited;
    clearTimeout(hardStop);
  }
}

/**
 * With `VIDETTE_TEST_POSTGRES`, the address of the database `postgres` of a server, every product that is started has a
 * database of its own there, by its data folder: this is its address. Undefined where it has its usual one.
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

/** The first administrator that `setUp` makes. */
export const administrator = {
  name: 'admin',
  password: 'correct horse 7 battery',
  email: 'admin@example.org',
};

/** Makes the first administrator and returns the session cookie as a `cookie` header's value. */
export async function setUp(server: TestServer): Promise<string> {
  const reply = await fetch(`${server.url}/v1/system/unlock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: server.setupCode, language: 'en', ...administrator }),
  });
  if (!reply.ok) throw new Error(`set-up failed: ${reply.status} ${await reply.text()}`);
  return cookieOf(reply);
}

/** Signs in and returns the session cookie as a `cookie` header's value. */
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
  // Beside the session the reply may make the browser a known device.
  const cookies = reply.headers.getSetCookie().map((line) => line.split(';')[0] ?? '');
  const session = cookies.find((cookie) => cookie.startsWith('vidette_session='));
  if (session === undefined) throw new Error('the reply sets no cookie');
  return session;
}
