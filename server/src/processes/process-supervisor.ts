import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { descriptorOf, type SocketHandle } from '../base/socket-handle.ts';
import { FrontProcess } from './front-process.ts';
import { Replacement, type EngineSlot } from './replacement.ts';
import type { ServerProgram } from './server-program.ts';
import { SupervisedProcess } from './supervised-process.ts';

export interface ProcessSupervisorOptions {
  /** How many engine processes there are, at least one. */
  readonly engines: number;
  readonly program: ServerProgram;
  /** They are started only when the front asks for them. */
  readonly areDormant?: boolean;
  /** Paths of files, of which each engine locks one while it may record. */
  readonly locks: readonly string[];
  readonly clock: Clock;
  readonly report: (line: string) => void;
  /** A process could not be started at all: everything has to end, with this exit code. */
  readonly onFailed: (exitCode: number) => void;
}

/** What is to run after a replacement. */
export interface NextProcesses {
  readonly program: ServerProgram;
  readonly engines: number;
}

/**
 * An engine that hangs records nothing. It sends a sign of life twice a second, so that five in a row are missing; a false
 * alarm costs a gap.
 */
const engineSilentMs = 3_000;
/**
 * Has the C library map the blocks of received video (`ByteArena`) from the system one by one, and return each when it is
 * freed. Otherwise an engine keeps the most memory that it ever needed: 450 MB with 40 streams after a stall of the machine,
 * instead of 140. It is more than Node reads at a time, 64 KiB, which would be mapped for each read.
 */
export const engineMemory = { MALLOC_MMAP_THRESHOLD_: '69000' };
/**
 * Has the C library return what a front's start needed, such as compiled code: large blocks are mapped one by one, and the
 * sixteen threads of Node's pool share two heaps instead of having one each.
 */
const frontMemory = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_ARENA_MAX: '2' };
/**
 * Bounds V8's young generation to 9 MB. Beside received video, which is used again, little is allocated: V8 sees no reason to
 * collect the whole heap, and lets the young generation grow to 134 MB with a hundred streams.
 */
export const engineNodeOptions = ['--max-semi-space-size=4'] as const;
/** The front learns of a crash within a second. */
const crashedMax = 100;

/**
 * The processes of one server: a front, and engines that go on recording while the front is away. It starts them,
 * replaces what dies or hangs, and ends them in order: first the engines, whose last GOPs are on the disk then, and then
 * the front, which closes the archive.
 */
export class ProcessSupervisor {
  readonly #options: ProcessSupervisorOptions;
  /** The process of each engine that may be recording, by the path of its socket; null while there is none. */
  readonly #pids: Record<string, number | null> = {};
  #crashed: readonly number[] = [];
  /** Sockets of engines that have not been needed yet. */
  readonly #dormant = new Set<string>();
  /** Only the user of the server may reach what is in it. */
  readonly #socketFolder: string;
  #program: ServerProgram;
  #front: FrontProcess;
  #engines: readonly EngineSlot[] = [];
  #sockets = 0;
  /** The listening socket of the front, which the next one inherits. */
  #listener:
    { readonly handle: SocketHandle; readonly place: { address: string; descriptor: number } } | undefined;
  #replacing: Promise<void> | undefined;
  #stopped: Promise<void> | undefined;

  constructor(options: ProcessSupervisorOptions) {
    this.#options = options;
    this.#program = options.program;
    // Not in the data folder: the path of a Unix socket has at most 107 bytes.
    this.#socketFolder = mkdtempSync(join(tmpdir(), 'vidette-'));
    chmodSync(this.#socketFolder, 0o700);
    for (let index = 0; index < options.engines; index++) {
      const { socket } = this.#addEngine(options.program, index, { isProven: options.areDormant });
      if (options.areDormant) this.#dormant.add(socket);
    }
    this.#front = this.#newFront(options.program);
  }

  start(): void {
    for (const { process, socket } of this.#engines) if (!this.#dormant.has(socket)) process.start();
    this.#front.process.start();
  }

  /** Resolves when the front serves the page for the first time. Rejects when it could not be started. */
  get ready(): Promise<void> {
    return this.#front.process.ready;
  }

  /** The program that runs; during a replacement the one before. */
  get program(): ServerProgram {
    return this.#program;
  }

  /** Without a temporary one. */
  get engines(): number {
    return this.#engines.filter(({ isTemporary }) => !isTemporary).length;
  }

  /** Has the front read its files again. */
  reload(): void {
    this.#front.process.send({ type: 'reload' });
  }

  /**
   * Replaces all processes but this one, while recording goes on; one replacement after the other. `choose` says by what, when it
   * is its turn: the one before may have changed what runs; undefined: nothing has to be replaced. `progress` is called with a line
   * for the operator.
   * @throws Error when a new process does not do its work: what is not replaced yet continues
   */
  async replace(
    choose: () => Promise<NextProcesses | undefined>,
    progress: (line: string) => void,
  ): Promise<void> {
    // A reload and the installation of a package may both ask for it.
    while (this.#replacing) {
      progress('Waiting for the replacement that is in progress.');
      await this.#replacing.catch(() => undefined);
    }
    if (this.#stopped) throw new Error('The server is stopping.');
    this.#replacing = this.#replaceBy(choose, progress);
    try {
      await this.#replacing;
    } finally {
      this.#replacing = undefined;
    }
  }

  async #replaceBy(
    choose: () => Promise<NextProcesses | undefined>,
    progress: (line: string) => void,
  ): Promise<void> {
    const next = await choose();
    if (!next) return;
    const { program } = next;
    const { clock } = this.#options;
    const replacement = new Replacement({
      ...{ ...next, clock, progress, before: this.#program },
      slots: () => this.#engines,
      front: () => this.#front,
      add: (index) => this.#addEngine(program, index),
      drop: (slot) => this.#drop(slot),
      changeFront: (of, isProven) => {
        this.#front = this.#newFront(of, isProven);
        return this.#front;
      },
      isStopping: () => this.#stopped !== undefined,
    });
    try {
      await replacement.run();
    } finally {
      // Also if an engine could not be replaced: the next attempt goes on from there, and not back.
      if (replacement.hasReplacedFront) this.#program = program;
    }
  }

  /** Ends everything in order; idempotent. */
  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  /** Ends everything immediately. */
  kill(): void {
    for (const { process } of this.#engines) process.kill();
    this.#front.process.kill();
    rmSync(this.#socketFolder, { recursive: true, force: true });
  }

  #noteEngine(socket: string, pid: number | null): void {
    this.#pids[socket] = pid;
    // An engine that ends with the server is not replaced.
    if (!this.#stopped) this.#sendEngines();
  }

  /** From here on connections wait while there is no front, instead of being refused. */
  #keepListener(address: string, handle: SocketHandle): void {
    this.#listener?.handle.close();
    const descriptor = descriptorOf(handle);
    this.#listener = descriptor === undefined ? undefined : { handle, place: { address, descriptor } };
  }

  #sendEngines(): void {
    const dormant = [...this.#dormant];
    const { socket: path, index } = this.#temporary ?? {};
    const temporary = path === undefined || index === undefined ? undefined : { path, index };
    this.#front.process.send({
      ...{ type: 'engines', pids: this.#pids, crashed: this.#crashed },
      ...{ dormant, temporary },
    });
  }

  get #temporary(): EngineSlot | undefined {
    return this.#engines.find(({ isTemporary }) => isTemporary);
  }

  /** The front divides the streams of the only engine, which one of them crashes. */
  #addTemporary(): void {
    // A replacement knows the engines that it started with; the front asks again after the next crash.
    if (this.#temporary || this.#replacing || this.#stopped) return;
    const used = new Set(this.#engines.map(({ index }) => index));
    const index = Array.from({ length: used.size + 1 }, (_, at) => at).find((at) => !used.has(at)) ?? 0;
    const { socket, process } = this.#addEngine(this.#program, index, {
      isProven: true,
      isTemporary: true,
    });
    // Until it is ready, no front waits for it.
    this.#noteEngine(socket, null);
    process.start();
  }

  async #endTemporary(socket: string): Promise<void> {
    await this.#replacing?.catch(() => undefined);
    const slot = this.#temporary;
    if (slot?.socket !== socket) return;
    this.#drop(slot);
    this.#sendEngines();
    await slot.process.stop();
  }

  /** It is not started again, and no front connects with it. */
  #drop(slot: EngineSlot): void {
    this.#engines = this.#engines.filter((one) => one !== slot);
  }

  /** Passes a connection of the front to an engine. */
  #pass(pid: number, message: unknown, handle: SocketHandle): void {
    const engine = this.#engines.find(({ process }) => process.pid === pid);
    if (engine) engine.process.pass(message, handle);
    // The engine has just ended; the client connects again.
    else handle.close();
  }

  /** The front has streams for an engine that has not been started. */
  #wake(socket: string): void {
    if (this.#stopped || !this.#dormant.delete(socket)) return;
    this.#engines.find((slot) => slot.socket === socket)?.process.start();
    this.#sendEngines();
  }

  async #end(): Promise<void> {
    this.#listener?.handle.close();
    await Promise.all(this.#engines.map(({ process }) => process.stop()));
    await this.#front.process.stop();
    rmSync(this.#socketFolder, { recursive: true, force: true });
  }

  /** @param isProven the server goes on even if it can't be started */
  #addEngine(
    { engine, execPath }: ServerProgram,
    index: number,
    { isProven = false, isTemporary = false } = {},
  ): EngineSlot {
    const socket = join(this.#socketFolder, `engine-${this.#sockets++}.sock`);
    const lock = this.#freeLock();
    const supervised = new SupervisedProcess({
      ...this.#common(() => supervised),
      ...{
        name: `Engine ${index}`,
        program: engine,
        execPath,
        isProven,
        silentMs: engineSilentMs,
      },
      args: () => [socket, lock],
      env: engineMemory,
      execArgv: engineNodeOptions,
      onProcess: (pid) => this.#noteEngine(socket, pid),
      onCrash: (pid) => {
        this.#crashed = [...this.#crashed, pid].slice(-crashedMax);
      },
    });
    const slot = { index, socket, lock, isTemporary, process: supervised };
    this.#engines = [...this.#engines, slot];
    return slot;
  }

  #newFront({ front, execPath }: ServerProgram, isProven = false): FrontProcess {
    const made: FrontProcess = new FrontProcess({
      ...this.#common(() => made.process),
      ...{ program: front, execPath, isProven, env: frontMemory },
      onStarted: () => this.#sendEngines(),
      onWake: (path) => this.#wake(path),
      onAddEngine: () => this.#addTemporary(),
      onEndEngine: (socket) => void this.#endTemporary(socket),
      onPass: (...connection) => this.#pass(...connection),
      listener: () => this.#listener?.place,
      onListening: (address, handle) => this.#keepListener(address, handle),
      args: () => this.#engines.map(({ socket }) => socket),
    });
    return made;
  }

  /** What replaces a process may fail to start: then the server goes on with the old one. */
  #common(made: () => SupervisedProcess) {
    const { clock, report, onFailed } = this.#options;
    return {
      clock,
      report,
      onFailed: (exitCode: number) => {
        if (!this.#replacing || made().wasReady) onFailed(exitCode);
      },
    };
  }

  #freeLock(): string {
    const used = new Set(this.#engines.map(({ lock }) => lock));
    const free = this.#options.locks.find((lock) => !used.has(lock));
    if (free === undefined) throw new RangeError('There is no lock left for an engine.');
    return free;
  }
}
