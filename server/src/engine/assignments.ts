import { backoffMs, type Backoff } from '../base/backoff.ts';
import { delay, type Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { asStream } from '../base/stream-context.ts';
import { Turns } from '../base/turns.ts';
import { WritePermits, type PermitsReport } from '../base/write-permits.ts';
import { noArchiveReason, type EngineSetup } from './engine-protocol.ts';
import type { EngineCommands } from './engine-server.ts';
import type { StreamManager } from './stream-manager.ts';

/** What records and receives, once the engine is set up. */
export interface EngineParts {
  readonly recording: {
    readonly recorders: { readonly backlogShare: number };
    recoverFirst(uid: string): void;
    noteDisk(isInOrder: boolean): void;
  };
  readonly streamManager: StreamManager;
}

export interface AssignmentTools {
  readonly open: (setup: EngineSetup) => Promise<EngineParts>;
  /** Why the engine cannot record at present; undefined when it can. */
  readonly onProblem: (reason: string | undefined) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Between attempts to open the archive. */
const setUpRetries: Backoff = { firstMs: 500, longestMs: 10_000 };

type RunOrder = Parameters<EngineCommands['run']>[0];
type PrepareOrder = Parameters<EngineCommands['prepare']>[0];

/** What the front has assigned to this engine. */
export class Assignments implements EngineCommands {
  readonly #tools: AssignmentTools;
  readonly #permits: WritePermits;
  /** Of a cluster. */
  #isLeased = false;
  readonly #turns = new Turns();
  readonly #epochs = new Map<string, number>();
  #isDiskInOrder = true;
  #isEnded = false;
  readonly singleSession = new Set<string>();
  #opening: Promise<void> | undefined;
  #opened: EngineParts | undefined;
  /** Streams whose last GOP is being written, by uid, and the epoch under which it was received. */
  readonly #ending = new Map<string, { readonly done: Promise<void>; readonly epoch: number | undefined }>();
  /** The newest order of each stream that was sent before the engine was set up, or while its last GOP is being written. */
  readonly #early = new Map<string, RunOrder | PrepareOrder>();

  constructor(tools: AssignmentTools) {
    this.#tools = tools;
    this.#permits = new WritePermits(tools.clock);
  }

  get streamManager(): StreamManager | undefined {
    return this.#opened?.streamManager;
  }

  /** See `ManagedStreamTools.nextTurn`. */
  readonly nextTurn = () => this.#turns.next();

  /** See `Recorders.backlogShare`. */
  get backlogShare(): number {
    return this.#opened?.recording.recorders.backlogShare ?? 0;
  }

  epochOf(uid: string): number | undefined {
    return this.#epochs.get(uid);
  }

  /** See `ManagedStreamTools.permits`. */
  async permits(uid: string, epoch: number): Promise<boolean> {
    if (this.#isLeased && !(await this.#permits.permits(uid, epoch))) return false;
    return this.#epochs.get(uid) === epoch || this.#ending.get(uid)?.epoch === epoch;
  }

  noteLease(report: PermitsReport): void {
    this.#permits.note(report);
  }

  noteDisk(isInOrder: boolean): void {
    this.#isDiskInOrder = isInOrder;
    this.#opened?.recording.noteDisk(isInOrder);
  }

  /** The engine ends: nothing waits for a front any more, and no stream begins. */
  end(): void {
    this.#isEnded = true;
    this.#permits.end();
  }

  setUp(setup: EngineSetup): Promise<void> {
    this.#isLeased = setup.isLeased === true;
    this.#opening ??= this.#openUntilItWorks(setup);
    return this.#opening;
  }

  keepEarly(assigned: ReadonlySet<string>): void {
    for (const uid of this.#early.keys()) if (!assigned.has(uid)) this.#early.delete(uid);
  }

  run(order: RunOrder): void {
    if (this.#isEnded) return;
    const { settings, epoch, needsRecovery } = order;
    if (!this.#opened || this.#ending.has(settings.uid)) {
      this.#early.set(settings.uid, order);
      return;
    }
    this.#epochs.set(settings.uid, epoch);
    if (order.isSingleSession) this.singleSession.add(settings.uid);
    else this.singleSession.delete(settings.uid);
    const { recording, streamManager } = this.#opened;
    const role = streamManager.find(settings.uid)?.role;
    // The other process, to which it was handed over, may have recorded something before it was lost.
    if (role === 'handed-over' || (needsRecovery && role !== 'active')) recording.recoverFirst(settings.uid);
    asStream(settings.uid, () => streamManager.apply(settings));
  }

  async prepare(order: PrepareOrder): Promise<void> {
    const { settings, epoch } = order;
    const { uid } = settings;
    this.#early.set(uid, order);
    await this.#opening;
    await this.#ending.get(uid)?.done;
    if (this.#early.get(uid) !== order)
      throw new Fault('Unavailable', 'The engine has been told otherwise meanwhile.');
    this.#early.delete(uid);
    const streamManager = this.#opened?.streamManager;
    if (!streamManager) throw new Fault('Unavailable', 'The engine is starting.');
    this.#epochs.set(uid, epoch);
    await asStream(uid, () => streamManager.apply(settings, 'standby').stoodBy());
  }

  async release(uid: string, cause: Parameters<EngineCommands['release']>[1]): Promise<void> {
    this.#early.delete(uid);
    const before = this.#ending.get(uid);
    if (before) return before.done;
    const epoch = this.#epochs.get(uid);
    this.#epochs.delete(uid);
    this.singleSession.delete(uid);
    if (!this.#opened) return;
    const { promise: done, resolve: end } = Promise.withResolvers<void>();
    // Before the stream is told to end: its last GOP may be written under that epoch.
    this.#ending.set(uid, { done, epoch });
    try {
      await this.#opened.streamManager.remove(uid, { purge: false, cause });
    } finally {
      this.#ending.delete(uid);
      end();
      this.#runEarly([uid]);
    }
  }

  async #openUntilItWorks(setup: EngineSetup): Promise<void> {
    const { open, onProblem, clock, log } = this.#tools;
    for (let failures = 1; !this.#opened; failures++) {
      try {
        const parts = await open(setup);
        parts.recording.noteDisk(this.#isDiskInOrder);
        this.#opened = parts;
      } catch (err) {
        log.error({ err }, 'The archive could not be opened for recording; it is tried again');
        onProblem(noArchiveReason);
        await delay(clock, backoffMs(failures, setUpRetries));
      }
    }
    onProblem(undefined);
    this.#runEarly([...this.#early.keys()]);
  }

  #runEarly(uids: readonly string[]): void {
    for (const uid of uids) {
      const order = this.#early.get(uid);
      // One to prepare it waits by itself.
      if (order?.type !== 'run') continue;
      this.#early.delete(uid);
      this.run(order);
    }
  }
}
