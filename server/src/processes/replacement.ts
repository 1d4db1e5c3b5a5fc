import { delay, type Clock } from '../base/clock.ts';
import type { FrontProcess } from './front-process.ts';
import type { ServerProgram } from './server-program.ts';
import type { SupervisedProcess } from './supervised-process.ts';

/** One engine process of a server. */
export interface EngineSlot {
  readonly index: number;
  /** Path of its Unix socket. */
  readonly socket: string;
  /** Path of the file that it locks. */
  readonly lock: string;
  readonly process: SupervisedProcess;
  /** The configuration doesn't ask for it: a front needs it for a while. */
  readonly isTemporary: boolean;
}

export interface ReplacementOptions {
  /** What runs afterwards. */
  readonly program: ServerProgram;
  readonly engines: number;
  /** What runs now. */
  readonly before: ServerProgram;
  readonly clock: Clock;
  /** Shows a line to the operator. */
  readonly progress: (line: string) => void;
  /** The engines that run now. */
  readonly slots: () => readonly EngineSlot[];
  readonly front: () => FrontProcess;
  /** Adds an engine, which is not started yet. */
  readonly add: (index: number) => EngineSlot;
  /** The engine is not started again, and no front connects with it. */
  readonly drop: (slot: EngineSlot) => void;
  /** Another front takes the place of the present one, which has ended; it is not started yet. */
  readonly changeFront: (program: ServerProgram, isProven: boolean) => FrontProcess;
  readonly isStopping: () => boolean;
}

/** A process that starts takes at most this long, with a large database to migrate. */
const startMs = 120_000;
/** The front is asked again if it ends meanwhile. */
const mostTries = 20;
const retryMs = 1_000;

/**
 * Replaces the processes of a server while recording goes on. First an engine is started, which shows whether the next
 * program runs at all; then the front is replaced, which is the only one that changes the database, and knows how streams
 * are moved in the next version; then the engines, each once its streams have been moved.
 */
export class Replacement {
  readonly #options: ReplacementOptions;
  readonly #old: readonly EngineSlot[];
  readonly #next: EngineSlot[] = [];
  /** Those of the next ones that may have streams. */
  readonly #used = new Set<EngineSlot>();
  #hasReplacedFront = false;

  constructor(options: ReplacementOptions) {
    this.#options = options;
    this.#old = options.slots();
  }

  /** The front is of the next program, and stays so whatever becomes of the engines. */
  get hasReplacedFront(): boolean {
    return this.#hasReplacedFront;
  }

  /** @throws Error when a process of the next program does not do its work: what is not replaced yet continues */
  async run(): Promise<void> {
    const { engines, progress, before } = this.#options;
    try {
      try {
        await this.#addEngine();
        await this.#replaceFront();
      } catch (error) {
        throw new Error(`${(error as Error).message} Version ${before.version} goes on.`, { cause: error });
      }
      this.#hasReplacedFront = true;
      progress('The front was replaced.');
      for (const [at, slot] of this.#old.entries()) {
        const wanted = Math.ceil(((at + 1) * engines) / this.#old.length);
        while (this.#next.length < wanted) await this.#addEngine();
        await this.#replaceEngine(slot);
      }
    } finally {
      await this.#dropUnused();
    }
  }

  async #addEngine(): Promise<void> {
    this.#assertRunning();
    const slot = this.#options.add(this.#next.length);
    this.#next.push(slot);
    await this.#start(slot.process);
  }

  async #start(process: SupervisedProcess): Promise<void> {
    const cancel = this.#options.clock.after(startMs, () => process.kill());
    process.start();
    try {
      await process.ready;
    } finally {
      cancel();
    }
  }

  async #replaceFront(): Promise<void> {
    const { front, changeFront, program, before } = this.#options;
    this.#assertRunning();
    await front().process.stop();
    this.#assertRunning();
    try {
      await this.#start(changeFront(program, false).process);
    } catch (error) {
      await front().process.stop();
      await this.#dropUnused();
      await this.#start(changeFront(before, true).process);
      throw error;
    }
  }

  async #replaceEngine(slot: EngineSlot): Promise<void> {
    const { drop, progress } = this.#options;
    const streams = await this.#moveStreams(slot);
    drop(slot);
    await slot.process.stop();
    progress(`Engine ${slot.index} was replaced, ${streams} ${streams === 1 ? 'stream' : 'streams'} moved.`);
  }

  async #moveStreams({ socket }: EngineSlot): Promise<number> {
    const { front, clock } = this.#options;
    for (const next of this.#next) this.#used.add(next);
    const successors = this.#next.map((next) => ({ path: next.socket, index: next.index }));
    for (let tries = 1; ; tries++) {
      this.#assertRunning();
      try {
        return await front().replaceEngine(socket, successors);
      } catch (error) {
        if (tries === mostTries) throw error;
        await delay(clock, retryMs);
      }
    }
  }

  /** Engines that did not start, or to which no stream was moved. */
  async #dropUnused(): Promise<void> {
    for (const slot of this.#next) {
      if (this.#used.has(slot)) continue;
      this.#options.drop(slot);
      await slot.process.stop();
    }
  }

  #assertRunning(): void {
    if (this.#options.isStopping()) throw new Error('The server is stopping.');
  }
}
