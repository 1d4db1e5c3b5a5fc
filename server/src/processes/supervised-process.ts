import { fork, type ChildProcess } from 'node:child_process';
import type { Cancel, Clock } from '../base/clock.ts';
import { backoffMs, type Backoff } from '../base/backoff.ts';
import { mainThreadOf, Silence } from '../base/silence.ts';
import { sendable, type SocketHandle } from '../base/socket-handle.ts';

/** What a supervised process sends to its supervisor over IPC. */
export type ProcessMessage =
  /** Every second: its event loop turns. */
  | { readonly type: 'alive' }
  /** It does its work; until then its end is final. */
  | { readonly type: 'ready' }
  /** The server must not run any more, as a node that was expelled from its cluster. */
  | { readonly type: 'failed' }
  /** With the listening socket of the front, which its supervisor keeps for the next one. */
  | { readonly type: 'listening'; readonly address: string }
  /** With a connection: both are for the process of the same supervisor with this id. */
  | { readonly type: 'pass'; readonly pid: number; readonly message: unknown }
  /** The front needs an engine that has not been started, by the path of its socket. */
  | { readonly type: 'wake'; readonly path: string }
  /** The front needs one engine more for a while, see `TemporaryEngine`. */
  | { readonly type: 'add-engine' }
  /** The front has moved all streams of that engine, by the path of its socket, to others. */
  | { readonly type: 'end-engine'; readonly path: string }
  /** The front has moved all streams of an engine. */
  | { readonly type: 'replaced'; readonly id: number; readonly streams: number }
  | { readonly type: 'not-replaced'; readonly id: number; readonly reason: string };

/** An engine that takes streams over: the path of its socket, and its number. */
export interface Successor {
  readonly path: string;
  readonly index: number;
}

/**
 * What a supervisor sends to its processes. They may be newer or older than it by one version: members are only added, and
 * unknown messages are ignored.
 */
export type SupervisorMessage =
  | { readonly type: 'stop' }
  | { readonly type: 'reload' }
  /** To a front: the process of each engine that may be recording, by the path of its socket; null while there is none. */
  | {
      readonly type: 'engines';
      readonly pids: Readonly<Record<string, number | null>>;
      /** Processes of engines that crashed lately, see `onCrash`. */
      readonly crashed: readonly number[];
      /** Sockets of engines that are started only when the front needs them. */
      readonly dormant?: readonly string[];
      /** An engine beside those of the configuration. */
      readonly temporary?: Successor | undefined;
    }
  /** Moves the streams of an engine, by the path of its socket, to others. Answered with the same id. */
  | {
      readonly type: 'replace';
      readonly id: number;
      readonly path: string;
      readonly successors: readonly Successor[];
    }
  /** With a connection from another process. */
  | { readonly type: 'passed'; readonly message: unknown };

export interface SupervisedProcessOptions {
  /** Shown to the operator. */
  readonly name: string;
  readonly program: URL;
  /** Node itself. */
  readonly execPath: string;
  /** Asked at each start. */
  readonly args: () => readonly string[];
  /** Beside this process's own environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Options of Node beside this process's own. */
  readonly execArgv?: readonly string[];
  readonly clock: Clock;
  /** Without a sign of life for this long it is replaced, ms. */
  readonly silentMs: number;
  /** Shows one line to the operator. */
  readonly report: (line: string) => void;
  /** Called when the server has to end: the process ended before it was ready for the first time, or says so. */
  readonly onFailed: (exitCode: number) => void;
  /** A process was started: it may be sent messages. */
  readonly onStarted?: () => void;
  /** The process that may be doing its work: the first one from its start, a later one once it is ready; null after its end. */
  readonly onProcess?: (pid: number | null) => void;
  /** A process was ended by a fault of its own that it could not catch, as when its heap is full; before `onProcess`. */
  readonly onCrash?: (pid: number) => void;
  /** A listening socket that the process inherits as its fifth file descriptor, and the address that it belongs to. */
  readonly listener?: () => { readonly address: string; readonly descriptor: number } | undefined;
  readonly onListening?: (address: string, handle: SocketHandle) => void;
  /** It passes a connection to the process with this id. */
  readonly onPass?: (pid: number, message: unknown, handle: SocketHandle) => void;
  /** It has worked before: it is started again even if it ends before it is ready. */
  readonly isProven?: boolean;
  /** Called for each message. */
  readonly onMessage?: (message: ProcessMessage) => void;
}

/** For which address a process inherits a listening socket, and the number of its file descriptor. */
export const inheritedVariable = 'VIDETTE_INHERITED_LISTENER';
export const inheritedDescriptor = 4;

const checkMs = 500;
/** What the system, or the process itself, ends it with after a fault; operators and the system's memory killer use others. */
const faultSignals: ReadonlySet<NodeJS.Signals> = new Set([
  'SIGABRT',
  'SIGSEGV',
  'SIGBUS',
  'SIGILL',
  'SIGTRAP',
  'SIGFPE',
]);
/** A process that starts loads and compiles its program, and may have to wait for a slow disk, ms. */
const startSilentMs = 10_000;
/** One that ends in order is not hurried: its last GOPs may be waiting for the disk, ms. */
const endSilentMs = 30_000;
/** Between the ends and the next starts of a process that keeps failing. */
const restarts: Backoff = { firstMs: 100, longestMs: 5_000 };
/** After this long a process counts as good, ms. */
const goodMs = 30_000;

/**
 * One process that is started again whenever it ends, until `stop`. A process whose event loop does not turn is killed:
 * one that is stopped by a signal, loops, or has run out of memory in its collector.
 */
export class SupervisedProcess {
  readonly #options: SupervisedProcessOptions;
  #child: ChildProcess | undefined;
  #cancelWatch: Cancel | undefined;
  #cancelRestart: Cancel | undefined;
  /** Since the last sign of life. */
  readonly #silence = new Silence(checkMs, () =>
    this.#child?.pid === undefined ? undefined : mainThreadOf(this.#child.pid),
  );
  /** The present process does its work. */
  #isReady = false;
  #startedMs = 0;
  #endsInARow = 0;
  #wasReady = false;
  #ended: PromiseWithResolvers<void> | undefined;
  /** Connections on their way to it. */
  readonly #passing = new Set<SocketHandle>();
  readonly #ready = Promise.withResolvers<void>();

  constructor(options: SupervisedProcessOptions) {
    this.#options = options;
    this.#wasReady = options.isProven ?? false;
    this.#ready.promise.catch(() => undefined);
  }

  /** It has done its work. */
  get wasReady(): boolean {
    return this.#wasReady;
  }

  /** Resolves when it does its work for the first time. Rejects when it ends before. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  start(): void {
    const { program, execPath, args, env, execArgv = [], clock } = this.#options;
    const listener = this.#options.listener?.();
    this.#startedMs = clock.monotonicMs();
    this.#silence.end();
    this.#isReady = false;
    let child: ChildProcess;
    try {
      child = fork(program, args(), {
        execPath,
        execArgv: [...process.execArgv, ...execArgv],
        stdio: ['ignore', 'inherit', 'inherit', 'ipc', listener?.descriptor ?? 'ignore'],
        env: { ...process.env, ...env, ...(listener && { [inheritedVariable]: listener.address }) },
      });
    } catch (error) {
      this.#onNotStarted(error as Error);
      return;
    }
    this.#child = child;
    child.on('message', (message: ProcessMessage, handle?: unknown) => {
      this.#silence.end();
      if (message.type === 'ready') this.#noteReady(child);
      if (message.type === 'failed') this.#options.onFailed(1);
      // Without a handle: this process had no file descriptor left for it, and the connection is closed.
      if (message.type === 'pass' && handle)
        this.#options.onPass?.(message.pid, message.message, handle as SocketHandle);
      if (message.type === 'listening' && handle)
        this.#options.onListening?.(message.address, handle as SocketHandle);
      this.#options.onMessage?.(message);
    });
    child.on('error', (error) => {
      // A process that never was there has no end either.
      if (child.pid === undefined && this.#child === child) this.#onNotStarted(error);
      else this.#options.report(`${this.#options.name}: ${error.message}`);
    });
    child.once('exit', (code, signal) => this.#onExit(code, signal));
    this.#cancelWatch = clock.every(checkMs, () => this.#watch(child));
    this.#options.onStarted?.();
    if (!this.#wasReady) this.#options.onProcess?.(child.pid ?? null);
  }

  /** False when there is no process to take it. */
  send(message: SupervisorMessage): boolean {
    // A process that is ending has closed its channel.
    if (!this.#child?.connected) return false;
    this.#child.send(message, () => {});
    return true;
  }

  /** Passes a connection to it, and closes this process's copy. The connection ends if the process does. */
  pass(message: unknown, handle: SocketHandle): void {
    const child = this.#child;
    if (!child?.connected) {
      handle.close();
      return;
    }
    this.#passing.add(handle);
    const passed: SupervisorMessage = { type: 'passed', message };
    child.send(passed, sendable(handle), () => {
      this.#passing.delete(handle);
      handle.close();
    });
  }

  /** Ends it in order; resolves when it has ended. */
  stop(): Promise<void> {
    if (!this.#ended) {
      this.#ended = Promise.withResolvers();
      this.#cancelRestart?.();
      if (this.#child) this.send({ type: 'stop' });
      else this.#ended.resolve();
    }
    return this.#ended.promise;
  }

  /** Undefined while it is not running. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Ends it immediately. */
  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  #noteReady(child: ChildProcess): void {
    this.#wasReady = true;
    this.#isReady = true;
    this.#ready.resolve();
    this.#options.onProcess?.(child.pid ?? null);
  }

  #watch(child: ChildProcess): void {
    const { name, report, silentMs } = this.#options;
    this.#silence.go();
    const limitMs = Math.max(silentMs, this.#ended ? endSilentMs : 0, this.#isReady ? 0 : startSilentMs);
    // The first one may have a large database to migrate, and nothing could take its place.
    if (!this.#silence.reaches(limitMs) || !(this.#wasReady || this.#ended)) return;
    this.#silence.end();
    const consequence = this.#ended ? 'it is killed' : 'it is replaced';
    report(`${name} (process ${child.pid}) has not responded for ${limitMs / 1000} s: ${consequence}.`);
    child.kill('SIGKILL');
  }

  /** The system has no memory, process or file left for it, or Node itself is gone. */
  #onNotStarted({ message }: Error): void {
    this.#options.report(`${this.#options.name}: ${message}`);
    this.#onExit(1, null);
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    const { clock, name, report, onFailed } = this.#options;
    const pid = this.#child?.pid;
    this.#child = undefined;
    this.#cancelWatch?.();
    if (pid !== undefined && signal !== null && faultSignals.has(signal)) this.#options.onCrash?.(pid);
    this.#options.onProcess?.(null);
    // Node forgets what it has queued for a process that is gone.
    for (const handle of this.#passing) handle.close();
    this.#passing.clear();
    this.#ready.reject(new Error(`${name} ended with ${signal ?? `code ${code}`}.`));
    if (this.#ended) {
      this.#ended.resolve();
      return;
    }
    if (!this.#wasReady) {
      onFailed(code ?? 1);
      return;
    }
    const wasGood = clock.monotonicMs() - this.#startedMs >= goodMs;
    this.#endsInARow = wasGood ? 1 : this.#endsInARow + 1;
    report(`${name} ended with ${signal ?? `code ${code}`}: it is started again.`);
    this.#cancelRestart = clock.after(backoffMs(this.#endsInARow, restarts), () => this.start());
  }
}
