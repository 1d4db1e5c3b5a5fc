import { pino } from 'pino';
import { lockWhenFree, openRecording, type Recording } from '../archive/recording/recording.ts';
import { delay, systemClock, type Clock } from '../base/clock.ts';
import { backoffMs, type Backoff } from '../base/backoff.ts';
import { deferredLog } from '../base/deferred-log.ts';
import { Fault } from '../base/fault.ts';
import type { HangWatch } from '../base/hang-watch.ts';
import { LoadLevel } from '../base/load-level.ts';
import type { Log } from '../base/log.ts';
import { opened, type Closer, type Opened } from '../base/opened.ts';
import { redactingLog } from '../base/redacting-log.ts';
import { noArchiveReason, type EngineSetup, type EngineVitals } from '../engine/engine-protocol.ts';
import { Turns } from '../base/turns.ts';
import { WritePermits, type PermitsReport } from '../base/write-permits.ts';
import { EngineServer, type EngineCommands } from '../engine/engine-server.ts';
import { EngineViewers } from '../engine/engine-viewers.ts';
import { asStream } from '../base/stream-context.ts';
import { StreamManager } from '../engine/stream-manager.ts';
import { Confinement, findConfinement } from '../ffmpeg/confinement.ts';
import { FfmpegPool } from '../ffmpeg/pool.ts';
import { SourceEngines } from '../ingest/source-engines.ts';
import { Live } from '../live/live.ts';
import { EventLoopWatch } from '../system/event-loop-watch.ts';

/** The engine of a server that was killed ends within this. */
const earlierEndsMs = 20_000;

/** An engine that runs. */
export type Engine = Opened<{ readonly viewers: EngineViewers }>;

/**
 * One engine process: it receives and records the streams that its front assigns to it, and serves their live video to
 * it. It knows no accounts, no database but the catalog of the archive, and listens on a Unix socket only. Closing it
 * puts every open GOP on the disk.
 * @param socket path of its Unix socket
 * @param lock path of the file that it holds locked for as long as it may record
 */
export function runEngine(socket: string, lock: string, hangWatch: HangWatch): Promise<Engine> {
  return opened((closers) => openEngine(socket, lock, hangWatch, closers));
}

async function openEngine(
  socket: string,
  lock: string,
  hangWatch: HangWatch,
  closers: Closer[],
): Promise<{ viewers: EngineViewers }> {
  const clock = systemClock;
  // Held by the engine of an earlier server that is still ending.
  const held = await lockWhenFree(lock, clock, earlierEndsMs);
  closers.push(() => held.release());
  const lines = pino({ base: null }, pino.destination({ dest: 2, sync: false }));
  const noted = redactingLog(lines, (...line) => server.noteLine(...line));
  const { log, flush } = deferredLog(noted, clock);
  const eventLoop = new EventLoopWatch(clock);
  const load = new LoadLevel();
  const assignments = new Assignments({
    open: (setup) => openStreams(setup),
    onProblem: (reason) => server.noteProblem(reason),
    ...{ clock, log },
  });
  const streamManager = () => assignments.streamManager;
  const viewers: EngineViewers = new EngineViewers({
    ...{ streamManager, live: new Live({ clock, log, load }), clock, log },
    report: (type, id) => server.noteViewer(type, id),
  });
  const server: EngineServer = new EngineServer({
    ...{ streamManager, commands: assignments, load, lock, viewers, clock, log },
    vitals: () => vitalsOf(eventLoop, assignments.backlogShare),
  });
  // After everything else, because it reports that everything is on the disk.
  closers.push(() => server.close(), flush);
  closers.push(() => eventLoop.close());

  async function openStreams(setup: EngineSetup): Promise<EngineParts> {
    const { archiveDir, catalog, noFramesMs, logLevel } = setup;
    lines.level = logLevel;
    const recording = await openRecording({ dir: archiveDir, catalog, clock, log, hangWatch });
    closers.push(() => recording.close());
    const pool = new FfmpegPool({ clock, log, confinement: await confinementOf(setup) });
    closers.push(() => pool.dispose('the engine stops'));
    const streamManager = new StreamManager({
      ...{ clock, log, load, noFramesMs, nextTurn: assignments.nextTurn },
      recorders: recording.recorders,
      engines: new SourceEngines({ clock, ffmpeg: pool }),
      peerFeed: relaysNothing,
      acquire: (uid) => assignments.epochOf(uid),
      permits: (uid, epoch) => assignments.permits(uid, epoch),
      reportElsewhere: () => undefined,
      onState: (uid) => server.noteState(uid),
      onMotion: (uid, event) => server.noteMotion(uid, event),
    });
    closers.push(() => streamManager.close());
    closers.push(() => assignments.end());
    return { recording, streamManager };
  }

  await server.listen(socket);
  closers.push(() => viewers.close());
  return { viewers };
}

async function confinementOf({ confinement }: EngineSetup): Promise<Confinement> {
  return confinement === undefined ? findConfinement() : new Confinement(confinement);
}

function relaysNothing(): never {
  throw new Error('an engine relays nothing');
}

function vitalsOf(eventLoop: EventLoopWatch, backlogShare: number): EngineVitals {
  const { user, system } = process.cpuUsage();
  return {
    cpuSeconds: (user + system) / 1e6,
    memoryBytes: process.memoryUsage.rss(),
    eventLoopDelayMs: eventLoop.takeLongestMs(),
    uptimeSeconds: process.uptime(),
    backlogShare,
  };
}

/** What records and receives, once the engine is set up. */
interface EngineParts {
  readonly recording: Recording;
  readonly streamManager: StreamManager;
}

interface AssignmentTools {
  readonly open: (setup: EngineSetup) => Promise<EngineParts>;
  /** Why the engine cannot record at present; undefined when it can. */
  readonly onProblem: (reason: string | undefined) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** Between attempts to open the archive. */
const setUpRetries: Backoff = { firstMs: 500, longestMs: 10_000 };

/** What the front has assigned to this engine. */
class Assignments implements EngineCommands {
  readonly #tools: AssignmentTools;
  readonly #permits: WritePermits;
  /** Of a cluster. */
  #isLeased = false;
  readonly #turns = new Turns();
  readonly #epochs = new Map<string, number>();
  #isDiskInOrder = true;
  readonly singleSession = new Set<string>();
  #opening: Promise<void> | undefined;
  #opened: EngineParts | undefined;
  /** Streams whose last GOP is being written, by uid. */
  readonly #ending = new Map<string, Promise<void>>();
  /** Under which that GOP was received. */
  readonly #endingEpochs = new Map<string, number>();
  /** Sent before the engine was set up, by uid. */
  readonly #early = new Map<string, Parameters<EngineCommands['run']>[0]>();

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
    return this.#epochs.get(uid) === epoch || this.#endingEpochs.get(uid) === epoch;
  }

  noteLease(report: PermitsReport): void {
    this.#permits.note(report);
  }

  noteDisk(isInOrder: boolean): void {
    this.#isDiskInOrder = isInOrder;
    this.#opened?.recording.noteDisk(isInOrder);
  }

  /** Nothing waits for a front any more. */
  end(): void {
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

  run(order: Parameters<EngineCommands['run']>[0]): void {
    const { settings, epoch, needsRecovery } = order;
    if (!this.#opened) {
      this.#early.set(settings.uid, order);
      return;
    }
    this.#epochs.set(settings.uid, epoch);
    if (order.isSingleSession) this.singleSession.add(settings.uid);
    else this.singleSession.delete(settings.uid);
    const ending = this.#ending.get(settings.uid);
    if (ending) {
      void ending.then(() => {
        if (this.#epochs.get(settings.uid) === epoch) this.run(order);
      });
      return;
    }
    const { recording, streamManager } = this.#opened;
    const role = streamManager.find(settings.uid)?.role;
    // The other process, to which it was handed over, may have recorded something before it was lost.
    if (role === 'handed-over' || (needsRecovery && role !== 'active')) recording.recoverFirst(settings.uid);
    asStream(settings.uid, () => streamManager.apply(settings));
  }

  async prepare({ settings, epoch }: Parameters<EngineCommands['prepare']>[0]): Promise<void> {
    const { uid } = settings;
    await this.#opening;
    await this.#ending.get(uid);
    const streamManager = this.#opened?.streamManager;
    if (!streamManager) throw new Fault('Unavailable', 'The engine is starting.');
    this.#epochs.set(uid, epoch);
    await asStream(uid, () => streamManager.apply(settings, 'standby').stoodBy());
  }

  async release(uid: string, cause: Parameters<EngineCommands['release']>[1]): Promise<void> {
    this.#early.delete(uid);
    const before = this.#ending.get(uid);
    if (before && !this.#opened?.streamManager.find(uid)) return before;
    const epoch = this.#epochs.get(uid);
    if (epoch !== undefined) this.#endingEpochs.set(uid, epoch);
    this.#epochs.delete(uid);
    this.singleSession.delete(uid);
    const removing = this.#opened?.streamManager.remove(uid, { purge: false, cause });
    if (!removing) return;
    const ending = removing
      .catch(() => undefined)
      .finally(() => {
        this.#ending.delete(uid);
        this.#endingEpochs.delete(uid);
      });
    this.#ending.set(uid, ending);
    await removing;
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
    const orders = [...this.#early.values()];
    this.#early.clear();
    for (const order of orders) this.run(order);
  }
}
