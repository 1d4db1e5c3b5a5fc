import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { SocketHandle } from '../base/socket-handle.ts';
import { SupervisedProcess } from './supervised-process.ts';

export interface ProcessSupervisorOptions {
  /** One engine process for each: the path of the file that it locks while it may record. At least one. */
  readonly locks: readonly string[];
  readonly clock: Clock;
  readonly report: (line: string) => void;
  /** A process could not be started at all: everything has to end, with this exit code. */
  readonly onFailed: (exitCode: number) => void;
}

const frontProgram = new URL('../front-main.ts', import.meta.url);
const engineProgram = new URL('../engine-main.ts', import.meta.url);

/**
 * An engine that hangs records nothing. It sends a sign of life twice a second, so that five in a row are missing; a false
 * alarm costs a gap.
 */
const engineSilentMs = 3_000;
/** A front that hangs serves no page, but costs no recording. */
const frontSilentMs = 30_000;

/**
 * The processes of one server: a front, and engines that go on recording while the front is away. It starts them,
 * replaces what dies or hangs, and ends them in order: first the engines, whose last GOPs are on the disk then, and then
 * the front, which closes the archive.
 */
export class ProcessSupervisor {
  readonly #front: SupervisedProcess;
  readonly #engines: readonly SupervisedProcess[];
  readonly #pids: (number | null)[];
  /** Only the user of the server may reach what is in it. */
  readonly #socketFolder: string;
  #stopped: Promise<void> | undefined;

  constructor({ locks, clock, report, onFailed }: ProcessSupervisorOptions) {
    // Not in the data folder: the path of a Unix socket has at most 107 bytes.
    this.#socketFolder = mkdtempSync(join(tmpdir(), 'vidette-'));
    chmodSync(this.#socketFolder, 0o700);
    const sockets = locks.map((_, index) => join(this.#socketFolder, `engine-${index}.sock`));
    this.#pids = locks.map(() => null);
    const process = { clock, report, onFailed };
    this.#engines = sockets.map(
      (socket, index) =>
        new SupervisedProcess({
          ...process,
          name: `Engine ${index}`,
          program: engineProgram,
          args: [socket, locks[index] ?? ''],
          silentMs: engineSilentMs,
          onProcess: (pid) => this.#noteEngine(index, pid),
        }),
    );
    this.#front = new SupervisedProcess({
      ...process,
      name: 'The front',
      program: frontProgram,
      args: sockets,
      silentMs: frontSilentMs,
      onStarted: () => this.#sendEngines(),
      onPass: (...connection) => this.#pass(...connection),
    });
  }

  start(): void {
    for (const engine of this.#engines) engine.start();
    this.#front.start();
  }

  /** Has the front read its files again. */
  reload(): void {
    this.#front.send({ type: 'reload' });
  }

  /** Ends everything in order; idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  /** Ends everything immediately. */
  kill(): void {
    for (const engine of this.#engines) engine.kill();
    this.#front.kill();
    rmSync(this.#socketFolder, { recursive: true, force: true });
  }

  #noteEngine(index: number, pid: number | null): void {
    this.#pids[index] = pid;
    // An engine that ends with the server is not replaced.
    if (!this.#stopped) this.#sendEngines();
  }

  #sendEngines(): void {
    this.#front.send({ type: 'engines', pids: this.#pids });
  }

  /** Passes a connection of the front to an engine. */
  #pass(pid: number, message: unknown, handle: SocketHandle): void {
    const engine = this.#engines.find((candidate) => candidate.pid === pid);
    if (engine) engine.pass(message, handle);
    // The engine has just ended; the client connects again.
    else handle.close();
  }

  async #end(): Promise<void> {
    await Promise.all(this.#engines.map((engine) => engine.stop()));
    await this.#front.stop();
    rmSync(this.#socketFolder, { recursive: true, force: true });
  }
}
