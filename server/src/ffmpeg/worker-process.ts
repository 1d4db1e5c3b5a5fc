import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { lowerChild, type ProcessPriority } from '../base/process-priority.ts';
import type { Log } from '../base/log.ts';
import { withoutAddresses } from '../dial/address.ts';
import type { Dial } from '../dial/dial.ts';
import { WorkerQueue } from './worker-queue.ts';
import { workerEntry } from './worker-entry.ts';
import type { Confinement } from './confinement.ts';
import type { DialReply, DialRequest } from './dial-protocol.ts';
import { FrameReader } from '../base/frame-reader.ts';
import {
  decodeMessage,
  encodeMessage,
  protocolVersion,
  type FromChild,
  type JobRequest,
  type ToChild,
} from './protocol.ts';

/** Events of a job for its owner. `ended` occurs exactly once, unless the owner closed the job first. */
export interface JobListener {
  /**
   * Opens the connections that the job requests; if missing, it may open none. Nothing has been read from the
   * returned socket.
   */
  readonly dial?: Dial;
  message(message: Exclude<FromChild, { type: 'hello' | 'pong' | 'end' }>): void;
  /** `fault` is absent if the job ended normally. */
  ended(fault: Fault | undefined, message: string): void;
}

interface OpenJob {
  readonly request: () => JobRequest;
  readonly listener: JobListener;
}

const pingPeriodMs = 2000;
/**
 * Number of unanswered pings, counted in the server's own turns so that a stalled server doesn't blame the
 * child.
 */
const missedPingsMax = 5;
/** The same at startup, when 170 MB of libraries may be loaded from a slow disk. */
const missedPingsAtStartMax = 20;
const stderrMaxBytes = 2000;

export interface WorkerProcessOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly threads: number;
  readonly priority: ProcessPriority;
  readonly confinement: Confinement;
  readonly keepsNetwork: boolean;
  readonly entry?: string;
}

/**
 * One child process and its jobs. When it dies, by itself or by `kill`, every job ends with the same cause. It
 * is killed with SIGKILL only, because hanging native code ignores other signals.
 */
export class WorkerProcess {
  readonly exited: Promise<void>;
  /** Set if the child could not load node-av: retrying is useless. */
  missing: string | undefined;
  readonly #log: Log;
  readonly #process: ChildProcess;
  readonly #pipe: Socket;
  readonly #queue: WorkerQueue;
  readonly #jobs = new Map<number, OpenJob>();
  readonly #stopPing: Cancel;
  #lastJob = 0;
  #missedPings = 0;
  #cause: string | undefined;
  #stderr = '';

  constructor(options: WorkerProcessOptions) {
    this.#log = options.log;
    const [program, ...args] = options.confinement.wrap(
      [process.execPath, '--disable-warning=ExperimentalWarning', options.entry ?? workerEntry],
      options,
    );
    this.#process = spawn(program, args, {
      stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'ipc'],
      env: childEnvironment(options.threads),
    });
    this.#process.on('message', (message) => void this.#dial(message as DialRequest));
    if (this.#process.pid !== undefined) lowerChild(this.#process.pid, options.priority);
    this.#pipe = this.#process.stdio[3] as Socket;
    this.#queue = new WorkerQueue(this.#pipe);
    const reader = new FrameReader((frame) => this.#handle(decodeMessage(frame) as FromChild));
    this.#pipe.on('data', (chunk: Buffer) => {
      try {
        reader.push(chunk);
      } catch (error) {
        this.kill(`it sent invalid data (${error instanceof Error ? error.message : String(error)})`);
      }
    });
    // A broken pipe means that the child died; `exit` follows and reports it.
    this.#pipe.on('error', (error) => this.kill(`its pipe broke (${error.message})`));
    this.#process.stderr?.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-stderrMaxBytes);
    });
    this.exited = new Promise((resolve) => {
      this.#process.once('error', (error) => {
        this.#cause ??= `it could not be started (${error.message})`;
        this.#finish();
        resolve();
      });
      this.#process.once('exit', (code, signal) => {
        this.#cause ??= signal ? `it was terminated by ${signal}` : `it exited with code ${code}`;
        this.#finish();
        resolve();
      });
    });
    this.#stopPing = options.clock.every(pingPeriodMs, () => this.#ping());
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get isAlive(): boolean {
    return this.#cause === undefined;
  }

  get jobCount(): number {
    return this.#jobs.size;
  }

  /** Starts a job; `request` is called when it is sent: with a new child, once that is ready. */
  open(request: () => JobRequest, listener: JobListener): number {
    const job = ++this.#lastJob;
    this.#jobs.set(job, { request, listener });
    if (this.#queue.isOpen) this.#send({ type: 'open', job, request: request() });
    return job;
  }

  /** Passes bytes to a job. False if they were dropped because the child lags. */
  data(job: number, bytes: Uint8Array, ptsTicks: number): boolean {
    if (!this.isAlive || !this.#jobs.has(job)) return false;
    if (!this.#queue.hasRoom(bytes.length)) return false;
    this.#queue.push(encodeMessage({ type: 'data', job, ptsTicks, bytes }));
    return true;
  }

  /** Passes bytes to a job once the child has room. False if the job has ended, or the child has been killed. */
  async send(job: number, bytes: Uint8Array, ptsTicks: number): Promise<boolean> {
    while (!this.data(job, bytes, ptsTicks)) {
      // Never again then: a loop without room and without waiting would keep the child's exit from being noticed.
      if (!this.isAlive || !this.#jobs.has(job)) return false;
      await this.#queue.drained();
    }
    return true;
  }

  /** Ends a job without notifying its listener. Idempotent. */
  close(job: number): void {
    if (this.#jobs.delete(job) && this.#queue.isOpen) this.#send({ type: 'close', job });
  }

  /** Kills the process immediately. Idempotent; `exited` resolves when it has exited. */
  kill(cause: string): void {
    if (this.#cause !== undefined) return;
    this.#cause = cause;
    this.#process.kill('SIGKILL');
  }

  #send(message: ToChild): void {
    if (this.isAlive) this.#queue.send(encodeMessage(message));
  }

  #ping(): void {
    this.#missedPings++;
    if (this.#missedPings > (this.#queue.isOpen ? missedPingsMax : missedPingsAtStartMax)) {
      this.kill('it no longer answered');
      return;
    }
    if (this.#queue.isOpen) this.#send({ type: 'ping', job: 0 });
  }

  #handle(message: FromChild): void {
    switch (message.type) {
      case 'hello':
        this.#greet(message.version, message.failure);
        return;
      case 'pong':
        this.#missedPings = 0;
        return;
      case 'end': {
        const job = this.#jobs.get(message.job);
        this.#jobs.delete(message.job);
        const { code, message: words } = message.end;
        job?.listener.ended(code === undefined ? undefined : new Fault(code, words), words);
        return;
      }
      case 'tracks':
      case 'sample':
      case 'awaiting':
      case 'note':
      case 'snapshot':
      case 'thumbnail':
      case 'taken':
        this.#jobs.get(message.job)?.listener.message(message);
    }
  }

  /** Dials for a job, as far as its owner allows, and passes the connection to the child. Never rejects. */
  async #dial({ dial: id, job, host, port }: DialRequest): Promise<void> {
    const reply = (message: DialReply, socket?: Socket) => {
      const lost = () => socket?.destroy();
      if (!this.#process.connected) lost();
      else this.#process.send(message, socket, (error) => error && lost());
    };
    try {
      const dial = this.#jobs.get(job)?.listener.dial;
      if (!dial) throw new Fault('STREAM_SOURCE_ERR', 'This job may not open connections.');
      reply({ dialled: id }, await dial(host, port, false));
    } catch (error) {
      const { code, message } =
        error instanceof Fault
          ? error
          : new Fault('EHOSTUNREACH', 'The connection failed.', { cause: error });
      reply({ dialled: id, failure: { code, message } });
    }
  }

  #greet(version: number, failure: string | undefined): void {
    if (failure !== undefined) {
      this.missing = failure;
      this.kill('it could not load node-av');
      return;
    }
    if (version !== protocolVersion) {
      this.kill(`it speaks version ${version} of the protocol instead of ${protocolVersion}`);
      return;
    }
    this.#missedPings = 0;
    for (const [job, { request }] of this.#jobs) this.#send({ type: 'open', job, request: request() });
    this.#queue.open();
  }

  #finish(): void {
    this.#stopPing();
    this.#pipe.destroy();
    const cause = this.#cause ?? 'it exited';
    if (this.#jobs.size > 0)
      this.#log.warn(
        { pid: this.pid, cause, stderr: withoutAddresses(this.#stderr) },
        'media process exited',
      );
    const fault =
      this.missing === undefined
        ? new Fault('Unavailable', `The media process of this stream failed: ${cause}.`)
        : notInstalled(this.missing);
    const jobs = [...this.#jobs.values()];
    this.#jobs.clear();
    for (const { listener } of jobs) listener.ended(fault, fault.message);
    this.#queue.end();
  }
}

/** The Fault for everything that needs node-av on a machine that lacks it. */
export function notInstalled(detail: string): Fault {
  return new Fault(
    'Unavailable',
    'This needs the optional package node-av, which is not installed here: run "npm install" without --omit=optional.',
    { cause: new Error(detail) },
  );
}

/**
 * Only the parts of the server's environment that a process needs: no secrets, and no proxy settings, which
 * FFmpeg would use.
 */
function childEnvironment(threads: number): NodeJS.ProcessEnv {
  const kept = [
    'PATH',
    'HOME',
    'TMPDIR',
    'TEMP',
    'SystemRoot',
    'LANG',
    'LD_LIBRARY_PATH',
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
    'NODE_COMPILE_CACHE',
  ];
  const environment: NodeJS.ProcessEnv = { UV_THREADPOOL_SIZE: String(threads) };
  for (const name of kept) if (process.env[name] !== undefined) environment[name] = process.env[name];
  return environment;
}
