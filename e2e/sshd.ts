import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** Outside the system's ephemeral ports: a port that was free a moment ago still is. */
const firstPort = 20_000;
const ports = 10_000;

/**
 * A machine with Debian's sshd in its default configuration: what a key may do is determined by its line in
 * `authorized_keys`.
 */
export class TestSshd {
  readonly port: number;
  /** Login that keys are authorized for. */
  readonly user = userInfo().username;
  /** `SHA256:...` of the host key. */
  readonly hostKey: string;
  readonly #dir: string;
  #process: ChildProcess | undefined;
  #log = '';

  private constructor(dir: string, port: number, hostKey: string) {
    this.#dir = dir;
    this.port = port;
    this.hostKey = hostKey;
  }

  /** Starts one on loopback with its own host key; no key is authorized yet. */
  static async start(): Promise<TestSshd> {
    const dir = await mkdtemp(join(tmpdir(), 'vidette-sshd-'));
    const hostKeyFile = join(dir, 'host_key');
    run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', hostKeyFile]);
    const hostKey = /SHA256:\S+/.exec(run('ssh-keygen', ['-lf', `${hostKeyFile}.pub`]))?.[0] ?? '';
    const port = await freePort();
    const config = [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${hostKeyFile}`,
      `AuthorizedKeysFile ${join(dir, 'authorized_keys')}`,
      'PidFile none',
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      'LogLevel VERBOSE',
    ];
    await writeFile(join(dir, 'sshd_config'), `${config.join('\n')}\n`);
    await writeFile(join(dir, 'authorized_keys'), '');
    const sshd = new TestSshd(dir, port, hostKey);
    await sshd.listen();
    return sshd;
  }

  /** Its log so far. */
  get log(): string {
    return this.#log;
  }

  /** Starts it again after `cut`. */
  async listen(): Promise<void> {
    // Needed by a server that runs as root; it does not exist on a freshly installed machine.
    if (this.user === 'root') await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
    const child = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', join(this.#dir, 'sshd_config')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = child;
    await new Promise<void>((resolve, reject) => {
      child.stderr.on('data', (chunk: Buffer) => {
        this.#log += chunk.toString();
        if (chunk.includes('Server listening on')) resolve();
      });
      child.once('error', reject);
      child.once('exit', () => reject(new Error(`sshd ended:\n${this.#log}`)));
    });
  }

  /** Authorizes a key: a line of `authorized_keys`. */
  async authorize(line: string): Promise<void> {
    await appendFile(join(this.#dir, 'authorized_keys'), `${line}\n`);
  }

  /** Cuts every connection, like a network failure; a client that reconnects gets no answer until `wake`. */
  async stall(): Promise<void> {
    this.#process?.kill('SIGSTOP');
    await this.#dropSessions();
  }

  wake(): void {
    this.#process?.kill('SIGCONT');
  }

  async #dropSessions(): Promise<void> {
    const pid = this.#process?.pid;
    if (pid === undefined) return;
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    for (const child of children.split(' ').filter(Boolean)) process.kill(Number(child), 'SIGKILL');
  }

  /** Stops it with all sessions; its keys are kept for `listen`. */
  async cut(): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null) return;
    // It accepts no new clients while the last are being disconnected.
    child.kill('SIGSTOP');
    await this.#dropSessions();
    this.#process = undefined;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async stop(): Promise<void> {
    await this.cut();
    await rm(this.#dir, { recursive: true, force: true });
  }
}

/** An unused port on loopback, outside the ephemeral range. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + Math.floor(Math.random() * ports);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

function run(command: string, args: string[]): string {
  const result = spawnSync(command, args, { encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`${command} failed: ${result.stderr}`);
  return result.stdout;
}
