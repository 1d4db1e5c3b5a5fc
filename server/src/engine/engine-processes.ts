import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { delay, type Cancel, type Clock } from '../base/clock.ts';
import { takeCrashNote } from '../base/crash-note.ts';
import { Fault } from '../base/fault.ts';
import type { LoadLevel } from '../base/load-level.ts';
import type { Log } from '../base/log.ts';
import type { PermitsReport } from '../base/write-permits.ts';
import { Semaphore } from '../base/semaphore.ts';
import type { MotionEvent } from '../motion/motion-detector.ts';
import { EngineClient, type EngineHello } from './engine-client.ts';
import { EarlierStreams } from './earlier-streams.ts';
import type { EngineLives } from './engine-lives.ts';
import type { EngineMessage, EngineSetup, EngineVitals, LogLevel } from './engine-protocol.ts';
import { Quarantine } from './quarantine.ts';
import type { RemoteViewers } from './remote-viewers.ts';
import type { ManagedStreamSettings } from './settings.ts';
import { StreamMover, type MovingStream } from './stream-mover.ts';
import type { ManagedStreamState, ReportedState } from './state.ts';
import type { EngineHost } from './station-tools.ts';
import type { KeyFrame, StreamDetails, StreamReport } from './stream-report.ts';
import { TemporaryEngine, type TemporaryEngineOptions } from './temporary-engine.ts';

export interface EngineProcessesOptions extends Pick<TemporaryEngineOptions, 'addEngine' | 'endEngine'> {
  /** The Unix socket of each engine. */
  readonly paths: readonly string[];
  readonly lives: EngineLives;
  /** Has a dormant engine started, by the path of its socket. */
  readonly wake?: (path: string) => void;
  readonly clock: Clock;
  readonly log: Log;
  /** Passed on to the engines. */
  readonly load: LoadLevel;
  /** Undefined where engines serve no viewers. */
  readonly viewers?: Pick<RemoteViewers, 'greet' | 'lose' | 'take'>;
}

/** What the front does with what engines report. */
export interface EngineObserver {
  /** See `ManagedStreamTools.acquire`. */
  acquire(uid: string): number | undefined;
  /** Why a stream that this node no longer runs is released. */
  causeOf(uid: string): 'moved' | 'drained';
  /** The state of a stream changed, or became unknown. */
  onState(uid: string): void;
  /** A state that a stream had while this front was not connected. */
  onPastState(uid: string, state: ManagedStreamState, atMs: number): void;
  onMotion(uid: string, event: MotionEvent): void;
  onReport(uid: string, report: StreamReport | undefined): void;
  onLine(level: LogLevel, message: string, fields: object): void;
}

/** What is known of one engine beside its connection. */
interface EngineFigures {
  /** Streams that are assigned to it. */
  streams: number;
  /** Streams that are being moved to it. */
  arriving: number;
  /** How often it was lost since this front started. */
  losses: number;
  /** It gets no more streams. */
  isLeaving: boolean;
  /** Of one core, between its last two reports. */
  cpuPercent: number;
  /** Why it cannot record; null when it can. */
  problem: string | null;
  /** Its last process, if that was lost without a note. */
  unexplained: number | undefined;
  /** Since that process crashed, until there is another: its streams that must not go where others of it went. */
  divided: { readonly left: ReadonlySet<string>; readonly apartAt: EngineClient } | undefined;
  /** As of its last report. */
  vitals: EngineVitals | undefined;
}

/** An engine process that takes streams over from another. */
export interface Successor {
  /** Path of its Unix socket. */
  readonly path: string;
  readonly index: number;
}

/** One engine, for statistics. */
export interface EngineView extends Readonly<EngineFigures> {
  readonly index: number;
  readonly isConnected: boolean;
}

/** After this long without all engines, the log says so. */
const patienceMs = 10_000;
const pollMs = 10;
/** An engine reports the states of its streams as soon as it is told that all are assigned. */
const stateMs = 30_000;
/** A process whose connection is lost has normally ended. */
const endMs = 10_000;
/** An engine that was lost is normally back after half of this; otherwise others take over its streams. */
const awayMs = 1_000;
const takeOverPollMs = 250;
/** Streams that another engine takes over have normally moved within a second. */
const movingPollMs = 100;
/** See `FrontMessage`. */
const aliveMs = 1_000;
/**
 * One that has crashed is started again within 5 s, and starts, on a busy machine, within some more. Streams that may be the
 * cause wait so long for it rather than run together again with the others that may be.
 */
const dividedMs = 15_000;
/** Each move holds a few seconds of video, and takes up to two GOPs. */
const movesAtATime = 16;

/** That of the sockets, so that the next front of this run of the server finds what is in it. */
function folderOf([first]: readonly string[]): string | undefined {
  return first === undefined ? undefined : dirname(first);
}

const noReport: StreamReport = {
  sinceMs: undefined,
  attempts: 0,
  counters: {
    videoSamples: 0,
    audioSamples: 0,
    bytes: 0,
    keySamples: 0,
    damagedSamples: 0,
    lostPackets: 0,
  },
  recorder: undefined,
  isActive: false,
  isTakenUp: false,
};

/** A stream, and where it runs. A class: ten thousand literals of spread objects take most of a second. */
class Placed {
  settings: ManagedStreamSettings;
  /** Undefined until this node runs the stream. */
  engine: EngineClient | undefined;
  /** Set while it goes to another engine. */
  moving: Promise<void> | undefined;
  /** That engine. */
  next: EngineClient | undefined;
  /** It is moved nowhere any more. */
  isRemoved = false;
  /** Called when its source stops delivering meanwhile. */
  onInterrupted: (() => void) | undefined;
  /** Connections on which live video of it arrives; undefined before the first. */
  feeds: Set<Socket> | undefined;
  /** Undefined while this node doesn't run the stream. */
  epoch: number | undefined;
  state: ManagedStreamState | undefined;
  report: StreamReport | undefined;
  /** See `FrontMessage`. */
  needsRecovery = false;

  constructor(settings: ManagedStreamSettings) {
    this.settings = settings;
  }
}

/**
 * The engine processes of this node, as its front sees them: it assigns each stream to one of them, where it stays
 * across restarts of the front, and keeps what they report. An engine that is lost and soon back receives everything
 * again; otherwise the others take over its streams.
 */
export class EngineProcesses implements EngineHost {
  readonly #options: EngineProcessesOptions;
  #clients: readonly EngineClient[];
  readonly #placed = new Map<string, Placed>();
  readonly #earlier = new EarlierStreams();
  readonly #figures = new Map<EngineClient, EngineFigures>();
  /** Engines that are away, and since when, monotonic. */
  readonly #awaySince = new Map<EngineClient, number>();
  readonly #quarantine: Quarantine;
  readonly #cancels: readonly Cancel[];
  /** What every engine has to know, also one that connects later. */
  readonly #known: { lease: PermitsReport | undefined; isDiskInOrder: boolean } = {
    lease: undefined,
    isDiskInOrder: true,
  };
  readonly #mover: StreamMover;
  readonly #temporary: TemporaryEngine;
  #begun:
    { readonly setup: EngineSetup; readonly observer: EngineObserver; areAssigned: boolean } | undefined;

  private constructor(options: EngineProcessesOptions) {
    this.#options = options;
    this.#quarantine = new Quarantine(options.clock, folderOf(options.paths));
    this.#mover = new StreamMover(options.log);
    this.#temporary = new TemporaryEngine(options);
    this.#clients = options.paths.map((path, index) => this.#connectTo({ path, index }));
    this.#cancels = [
      options.clock.every(takeOverPollMs, () => {
        this.#followTemporary();
        this.#takeOver();
      }),
      options.clock.every(aliveMs, () => {
        if (!this.#begun?.setup.isLeased) return;
        for (const client of this.#clients) client.send({ type: 'alive' });
      }),
      options.load.onChange(() => {
        for (const client of this.#clients) this.#sendLoad(client);
      }),
    ];
  }

  /**
   * Connects with the engines. Waits for all of them but dormant ones: the files of one that doesn't answer must not be
   * touched. One that hangs is replaced by its supervisor, and one that keeps failing has ended.
   * @throws the reason of the signal when it is aborted: the server ends, and its engines first
   */
  static async connect(
    options: EngineProcessesOptions & { readonly signal?: AbortSignal },
  ): Promise<EngineProcesses> {
    const { clock, log, signal } = options;
    const processes = new EngineProcesses(options);
    const cancelWarning = clock.after(patienceMs, () => log.warn({}, 'Waiting for the engines'));
    const isAwaited = (client: EngineClient) =>
      !client.isConnected && !options.lives.isDormant(client.path) && !processes.#isGone(client);
    try {
      while (processes.#clients.some(isAwaited)) await delay(clock, pollMs, signal);
    } catch (reason) {
      await processes.close();
      throw reason;
    } finally {
      cancelWarning();
    }
    return processes;
  }

  /** Whether an engine ran the stream before this front started, or runs it now: its open files are being written. */
  isRunning(uid: string): boolean {
    const isAssigned = this.#placed.get(uid)?.engine !== undefined;
    return this.#earlier.has(uid) || (this.#known.isDiskInOrder && isAssigned);
  }

  /**
   * Ends all engines immediately, before anything is assigned; the supervisor starts others in their place, which run
   * nothing. Resolves when they have ended.
   */
  async endAll(): Promise<void> {
    const pids = this.#clients.flatMap(({ isConnected, pid }) =>
      isConnected && pid !== undefined ? pid : [],
    );
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    const hasEnded = ({ path, isConnected, pid }: EngineClient) =>
      pid === undefined || !pids.includes(pid) || (!isConnected && this.#options.lives.hasEnded(path, pid));
    while (!this.#clients.every(hasEnded)) await delay(this.#options.clock, pollMs);
    this.#earlier.forget();
  }

  /** Whether all engines have ended in order. */
  areStopped(): boolean {
    return this.#clients.every(({ isStopped, path }) => isStopped || this.#options.lives.isDormant(path));
  }

  get engines(): EngineView[] {
    return Array.from(this.#figures)
      .filter(([{ path }, { isLeaving }]) => !isLeaving && !this.#options.lives.isDormant(path))
      .map(([{ index, isConnected }, figures]) => ({ index, isConnected, ...figures }));
  }

  /** The files that the engines hold locked for as long as they may record. */
  get locks(): string[] {
    return this.#clients.flatMap(({ hello }) => hello?.lock ?? []);
  }

  /**
   * Moves all streams of an engine, by the path of its socket, to others, which are connected with first. It is not used
   * any more then. Resolves to the number of streams. @throws Fault Unavailable when the others can't be connected with
   */
  replace(path: string, successors: readonly Successor[]): Promise<number> {
    return this.#mover.inTurn(() => this.#replace(path, successors));
  }

  async #replace(path: string, successors: readonly Successor[]): Promise<number> {
    const to = successors.map((successor) => this.#clientAt(successor.path) ?? this.#add(successor));
    await this.#connected(() => to.every(({ isConnected }) => isConnected));
    const from = this.#clientAt(path);
    if (!from) return 0;
    this.#figuresOf(from).isLeaving = true;
    let count: number;
    try {
      count = await this.#moveAll(from, to);
    } catch (error) {
      // It goes on, for new streams, too.
      this.#figuresOf(from).isLeaving = false;
      throw error;
    }
    this.#forgetEngine(from, to[0]);
    this.#temporary.noteReplaced(path);
    await from.close();
    this.#options.log.info({ engine: from.index, streams: count }, 'An engine was replaced');
    return count;
  }

  /** @throws Fault Unavailable */
  async #connected(areConnected: () => boolean): Promise<void> {
    const { clock } = this.#options;
    const deadlineMs = clock.monotonicMs() + patienceMs;
    while (!areConnected()) {
      if (clock.monotonicMs() > deadlineMs)
        throw new Fault('Unavailable', 'The next engine does not answer.');
      await delay(clock, pollMs);
    }
  }

  /** Resolves to the number of streams. @throws Fault Unavailable when the others are lost and don't come back */
  async #moveAll(from: EngineClient, to: readonly EngineClient[]): Promise<number> {
    const semaphore = new Semaphore(movesAtATime);
    const moved = new Set<string>();
    const streams = () => [...this.#placed.values()].filter(({ engine }) => engine === from);
    // Streams that are added meanwhile go elsewhere. Those of an engine that is lost remain until it has ended for certain.
    for (let left = streams(); left.length > 0; left = streams()) {
      await this.#stateReported(from);
      await this.#connected(() => to.some(({ isConnected }) => isConnected));
      await Promise.all(left.map((placed) => semaphore.run(() => this.#move(placed, this.#leastLoaded(to)))));
      for (const { settings, engine } of left) if (engine !== from) moved.add(settings.uid);
      if (streams().length > 0) await delay(this.#options.clock, movingPollMs);
    }
    return moved.size;
  }

  /**
   * Waits for the states of the streams that an engine ran when this front connected with it, for a limited time: only of
   * a stream that is known to run the next engine receives something before the present one ends.
   */
  async #stateReported(engine: EngineClient): Promise<void> {
    const { clock } = this.#options;
    const deadlineMs = clock.monotonicMs() + stateMs;
    const isAwaited = (uid: string) => {
      const placed = this.#placed.get(uid);
      return placed?.engine === engine && placed.epoch !== undefined && placed.state === undefined;
    };
    const { uids = [], handedOver = [] } = engine.hello ?? {};
    const ran = [...uids, ...handedOver];
    while (engine.isConnected && ran.some(isAwaited) && clock.monotonicMs() < deadlineMs)
      await delay(clock, pollMs);
  }

  /**
   * Whether a process of an engine that is not connected any more has ended, so that another may record its streams; waits
   * until that is certain. False: it is back, or is not seen to end.
   */
  async #hasEnded(engine: EngineClient, pid: number | undefined): Promise<boolean> {
    const { clock, lives } = this.#options;
    const deadlineMs = clock.monotonicMs() + endMs;
    while (!lives.hasEnded(engine.path, pid)) {
      const isBack = engine.isConnected && engine.pid === pid;
      if (isBack || clock.monotonicMs() > deadlineMs) return false;
      await delay(clock, pollMs);
    }
    return true;
  }

  /** From here on engines record, and what they report is passed on. */
  begin(setup: EngineSetup, observer: EngineObserver): void {
    this.#begun = { setup, observer, areAssigned: false };
    for (const client of this.#clients) this.#sendSetup(client, setup);
  }

  /** All configured streams have been applied: engines release those that are not among them. */
  assigned(): void {
    if (this.#begun) this.#begun.areAssigned = true;
    for (const client of this.#clients) this.#sendAssigned(client);
    this.#earlier.settle();
  }

  /** Whether the disk of the archive may be written to. */
  noteDisk(isInOrder: boolean): void {
    if (this.#known.isDiskInOrder === isInOrder) return;
    this.#known.isDiskInOrder = isInOrder;
    if (this.#begun) for (const client of this.#clients) client.send({ type: 'disk', isInOrder });
  }

  /**
   * What the node's lease permits now. Engines that ran before this front started learn of it once their streams are
   * assigned: until then they may have streams that another node has taken over.
   */
  noteLease(report: PermitsReport): void {
    this.#known.lease = report;
    if (this.#begun?.areAssigned) for (const client of this.#clients) client.send({ type: 'lease', report });
  }

  apply(settings: ManagedStreamSettings): void {
    const { uid } = settings;
    const placed = this.#placed.get(uid) ?? this.#place(settings);
    this.#quarantine.review(uid, placed.settings, settings);
    placed.settings = settings;
    this.#follow(placed);
  }

  review(uid: string): void {
    const placed = this.#placed.get(uid);
    if (placed && placed.epoch !== this.#observer?.acquire(uid)) this.#follow(placed);
  }

  async remove(uid: string): Promise<void> {
    const placed = this.#placed.get(uid);
    // A move that began now would start it again elsewhere.
    if (placed) placed.isRemoved = true;
    await placed?.moving;
    await placed?.engine?.release(uid, 'removed');
    if (placed && this.#placed.delete(uid)) this.#moveTo(placed, undefined);
    this.#quarantine.forget(uid);
    this.#observer?.onReport(uid, undefined);
  }

  report(uid: string): StreamReport {
    const { report = noReport, epoch, settings } = this.#placed.get(uid) ?? {};
    // It may be of an assignment that has ended; nothing of a paused stream has to begin.
    const isTakenUp = settings?.isPaused === true || (report.isTakenUp && (report.epoch ?? epoch) === epoch);
    return { ...report, isTakenUp };
  }

  /** The state of a stream that this node runs; undefined for one that it doesn't run. */
  reportedState(uid: string): ReportedState | undefined {
    const placed = this.#placed.get(uid);
    if (placed?.epoch === undefined) return undefined;
    if (this.#quarantine.has(uid)) return this.#quarantine.state;
    const problem = placed.engine && this.#figuresOf(placed.engine).problem;
    if (problem) return { status: 'failed', code: 'Unavailable', reason: problem };
    const { status, code, failureReason } = placed.state ?? {
      status: 'pending',
      code: null,
      failureReason: null,
    };
    // Of before it was resumed: the engine has not reported since.
    return { status: status === 'paused' ? 'pending' : status, code, reason: failureReason };
  }

  async details(uid: string): Promise<StreamDetails> {
    return (await this.#startedEngineOf(uid)?.details(uid)) ?? { tracks: [], lines: [] };
  }

  async newestKeyFrame(uid: string): Promise<KeyFrame | undefined> {
    return this.#startedEngineOf(uid)?.newestKeyFrame(uid);
  }

  /** The engine that runs a stream; undefined when none of this node does. */
  live(uid: string, variant: 'main' | 'sub', signal: AbortSignal): Promise<Socket> | undefined {
    const placed = this.#placed.get(uid);
    const feeds = placed && (placed.feeds ??= new Set());
    const connecting = this.#engineOf(uid)?.live(uid, variant, signal);
    return connecting?.then((socket) => {
      feeds?.add(socket);
      socket.once('close', () => feeds?.delete(socket));
      return socket;
    });
  }

  /** The engine that serves viewers of a stream: it has reported that it runs it. */
  viewerEngine(uid: string): EngineClient | undefined {
    const engine = this.#placed.get(uid)?.state && this.#engineOf(uid);
    return engine?.isConnected && engine.hello?.viewers ? engine : undefined;
  }

  /** Engines go on. */
  async close(): Promise<void> {
    for (const cancel of this.#cancels) cancel();
    await Promise.all(this.#clients.map((client) => client.close()));
  }

  #engineOf(uid: string): EngineClient | undefined {
    const placed = this.#placed.get(uid);
    return placed?.epoch === undefined ? undefined : placed.engine;
  }

  /** Undefined also while an engine that was dormant starts: there is nothing to tell of its streams. */
  #startedEngineOf(uid: string): EngineClient | undefined {
    const engine = this.#engineOf(uid);
    return engine?.pid === undefined ? undefined : engine;
  }

  get #observer(): EngineObserver | undefined {
    return this.#begun?.observer;
  }

  #place(settings: ManagedStreamSettings): Placed {
    const placed = new Placed(settings);
    this.#placed.set(settings.uid, placed);
    const from = this.#earlier.engineOf(settings.uid);
    const to = this.#earlier.nextOf(settings.uid);
    this.#moveTo(placed, from);
    placed.epoch = this.#observer?.acquire(settings.uid);
    if (from && to && placed.epoch !== undefined)
      void this.#inMotion(placed, to, (stream) => this.#mover.resume(stream, from, to));
    return placed;
  }

  /**
   * Has the stream run in an engine, or not at all, as this node's assignment says now. An engine doesn't hear of a
   * stream that is paused until it is resumed.
   */
  #follow(placed: Placed): void {
    const { uid } = placed.settings;
    // What has changed meanwhile is followed at the end of the move.
    if (placed.moving || placed.isRemoved) return;
    placed.epoch = this.#observer?.acquire(uid);
    if (placed.epoch !== undefined) {
      if (!placed.engine && !placed.settings.isPaused) this.#moveTo(placed, this.#leastLoaded());
      this.#send(placed);
      return;
    }
    placed.engine?.release(uid, this.#observer?.causeOf(uid) ?? 'drained').then(
      () => this.#noteReleased(placed),
      (err: unknown) => this.#options.log.error({ err, stream: uid }, 'A stream could not be released'),
    );
  }

  /** Until an engine has released a stream, no other one may run it. */
  #noteReleased(placed: Placed): void {
    if (placed.epoch !== undefined) return;
    if (placed.engine?.isConnected) this.#moveTo(placed, undefined);
    this.#note(placed.settings.uid, undefined, undefined);
  }

  #moveTo(placed: Placed, engine: EngineClient | undefined): void {
    if (placed.engine) this.#figuresOf(placed.engine).streams--;
    placed.engine = engine;
    if (engine) this.#figuresOf(engine).streams++;
  }

  /** Of those that are there, if any are. */
  #leastLoaded(among = this.#clients): EngineClient | undefined {
    const staying = among.filter((client) => !this.#figuresOf(client).isLeaving);
    const connected = staying.filter(({ isConnected }) => isConnected);
    const candidates = connected.length > 0 ? connected : staying;
    const load = (client: EngineClient) => this.#figuresOf(client).streams + this.#figuresOf(client).arriving;
    return candidates.reduce<EngineClient | undefined>(
      (a, b) => (a && load(a) <= load(b) ? a : b),
      undefined,
    );
  }

  /** It has been away for so long that its streams should run elsewhere, and no longer writes for certain. */
  #isGone(client: EngineClient): boolean {
    const { clock, lives } = this.#options;
    const sinceMs = this.#awaySince.get(client) ?? Infinity;
    return clock.monotonicMs() - sinceMs >= awayMs && lives.hasEnded(client.path, client.pid);
  }

  /** Spreads the streams of engines that don't come back over the others. */
  #takeOver(): void {
    if (this.#awaySince.size === 0 || this.#awaySince.size === this.#clients.length) return;
    const gone = new Set([...this.#awaySince.keys()].filter((client) => this.#isGone(client)));
    for (const client of gone) this.#divide(client);
    const moved: string[] = [];
    for (const placed of gone.size === 0 ? [] : this.#placed.values()) {
      if (!placed.engine || placed.moving || !gone.has(placed.engine)) continue;
      const to = placed.epoch === undefined ? undefined : this.#engineInsteadOf(placed.engine, placed);
      if (to === placed.engine) continue;
      this.#moveTo(placed, to);
      this.#send(placed);
      // The other one may be unable to record: it has said so before it had this stream.
      this.#observer?.onState(placed.settings.uid);
      moved.push(placed.settings.uid);
    }
    if (moved.length === 0) return;
    const engines = Array.from(gone, ({ index }) => index);
    this.#options.log.warn({ engines, streams: moved }, 'Other engines took over the streams of a lost one');
  }

  /** Where a stream of a lost engine runs now; that engine: it waits for it. */
  #engineInsteadOf(lost: EngineClient, { settings }: Placed): EngineClient | undefined {
    const { divided } = this.#figuresOf(lost);
    const waitedMs = this.#options.clock.monotonicMs() - (this.#awaySince.get(lost) ?? 0);
    if (!divided?.left.has(settings.uid) || waitedMs >= dividedMs) return this.#leastLoaded();
    const others = this.#clients.filter((other) => other !== divided.apartAt && other.isConnected);
    return this.#leastLoaded(others) ?? lost;
  }

  #connectTo({ path, index }: Successor): EngineClient {
    const client: EngineClient = new EngineClient({
      ...this.#options,
      path,
      index,
      onConnected: (hello) => {
        this.#greet(client, hello);
        this.#options.viewers?.greet(client, hello.viewers ?? []);
      },
      onLost: () => {
        this.#lose(client, path);
        this.#options.viewers?.lose(client);
      },
      onMessage: (message) => this.#take(client, message),
    });
    this.#figures.set(client, {
      ...{ streams: 0, arriving: 0, losses: 0, isLeaving: false },
      ...{ cpuPercent: 0, problem: null, unexplained: undefined, divided: undefined, vitals: undefined },
    });
    this.#awaySince.set(client, this.#options.clock.monotonicMs());
    return client;
  }

  #add(successor: Successor): EngineClient {
    const client = this.#connectTo(successor);
    this.#clients = [...this.#clients, client];
    return client;
  }

  #clientAt(path: string): EngineClient | undefined {
    return this.#clients.find((client) => client.path === path);
  }

  async #move(placed: Placed, to: EngineClient | undefined): Promise<void> {
    // An earlier front began that.
    await placed.moving;
    const from = placed.engine;
    if (!from || !to || from === to || placed.isRemoved) return;
    await this.#inMotion(placed, to, (stream) => this.#mover.move(stream, from, to));
  }

  /** Until the stream has moved, nothing else changes what its engines do with it. */
  async #inMotion(
    placed: Placed,
    to: EngineClient,
    move: (stream: MovingStream) => Promise<void>,
  ): Promise<void> {
    const stream: MovingStream = {
      get settings() {
        return placed.settings;
      },
      get epoch() {
        return placed.epoch;
      },
      get isRunning() {
        return placed.state?.status === 'running';
      },
      onInterrupted: (run) => (placed.onInterrupted = run),
      hasEnded: (engine, pid) => this.#hasEnded(engine, pid),
      assign: (engine) => {
        // What the next one reports is no interruption in the present one.
        placed.onInterrupted = undefined;
        this.#moveTo(placed, engine);
      },
      reconnect: () => {
        for (const feed of placed.feeds ?? []) feed.destroy();
      },
    };
    this.#figuresOf(to).arriving++;
    placed.next = to;
    placed.moving = move(stream);
    await placed.moving;
    placed.moving = undefined;
    placed.next = undefined;
    this.#figuresOf(to).arriving--;
    placed.onInterrupted = undefined;
    // Its settings, and whether this node runs it, may have changed meanwhile.
    this.#follow(placed);
  }

  /** Its restarts count for the one that has its number now. */
  #forgetEngine(client: EngineClient, successor: EngineClient | undefined): void {
    if (successor?.index === client.index) {
      this.#figuresOf(successor).losses += this.#figuresOf(client).losses;
    }
    this.#clients = this.#clients.filter((one) => one !== client);
    this.#figures.delete(client);
    this.#awaySince.delete(client);
  }

  #figuresOf(client: EngineClient): EngineFigures {
    const figures = this.#figures.get(client);
    if (!figures) throw new RangeError('An engine of another server.');
    return figures;
  }

  #send(placed: Placed): void {
    const { engine, epoch, settings, needsRecovery } = placed;
    const { lives, wake } = this.#options;
    // It is sent the stream when it is connected.
    if (epoch !== undefined && engine && lives.isDormant(engine.path)) wake?.(engine.path);
    if (
      placed.moving ||
      placed.isRemoved ||
      epoch === undefined ||
      !engine?.isConnected ||
      this.#quarantine.has(settings.uid)
    )
      return;
    const isSingleSession = this.#mover.singleSession.has(settings.uid);
    engine.send({ type: 'run', settings, epoch, needsRecovery, isSingleSession });
    placed.needsRecovery = false;
  }

  #sendAssigned(client: EngineClient): void {
    const uids = [...this.#placed.values()]
      .filter(({ engine, next, epoch }) => (engine === client || next === client) && epoch !== undefined)
      .map(({ settings }) => settings.uid)
      .filter((uid) => !this.#quarantine.has(uid));
    client.send({ type: 'assigned', uids });
    if (this.#known.lease) client.send({ type: 'lease', report: this.#known.lease });
  }

  #sendSetup(client: EngineClient, setup: EngineSetup): void {
    client.send({ type: 'set-up', setup });
    client.send({ type: 'disk', isInOrder: this.#known.isDiskInOrder });
  }

  #sendLoad(client: EngineClient): void {
    client.send({ type: 'load', level: this.#options.load.level });
  }

  #greet(client: EngineClient, hello: EngineHello): void {
    const { uids, singleSession = [] } = hello;
    const { log } = this.#options;
    this.#divide(client);
    this.#figuresOf(client).divided = undefined;
    this.#awaySince.delete(client);
    if (!this.#begun?.areAssigned) this.#earlier.note(hello, client);
    for (const uid of singleSession) this.#mover.singleSession.add(uid);
    if (this.#begun) this.#sendSetup(client, this.#begun.setup);
    this.#sendLoad(client);
    for (const placed of this.#placed.values()) if (placed.engine === client) this.#send(placed);
    if (this.#begun?.areAssigned) this.#sendAssigned(client);
    // Before the front has begun nothing depends on it.
    if (this.#begun) log.info({ engine: client.index, streams: uids.length }, 'An engine is connected');
  }

  #lose(client: EngineClient, socket: string): void {
    const figures = this.#figuresOf(client);
    figures.unexplained = this.#readNote(client, socket) ? undefined : client.pid;
    this.#awaySince.set(client, this.#options.clock.monotonicMs());
    figures.losses++;
    figures.vitals = undefined;
    figures.problem = null;
    figures.cpuPercent = 0;
    for (const [uid, placed] of this.#placed) {
      if (placed.engine !== client) continue;
      placed.needsRecovery = !client.isStopped;
      this.#note(uid, undefined, undefined);
    }
    if (this.#begun && !client.isStopped)
      this.#options.log.warn({ engine: client.index }, 'An engine was lost');
  }

  #take(client: EngineClient, message: EngineMessage): void {
    switch (message.type) {
      case 'problem':
        this.#noteProblem(client, message.reason);
        return;
      case 'state': {
        const placed = this.#placed.get(message.uid);
        if (placed?.engine === client)
          this.#note(message.uid, message.state, message.report ?? placed.report);
        return;
      }
      case 'reports':
        for (const [uid, report] of message.reports) {
          const placed = this.#placed.get(uid);
          // Another engine may have it in standby.
          if (placed && placed.engine !== client) continue;
          if (placed) placed.report = report;
          this.#observer?.onReport(uid, report);
        }
        return;
      case 'vitals':
        this.#noteVitals(client, message.vitals);
        return;
      case 'past-state':
        this.#observer?.onPastState(message.uid, message.state, message.atMs);
        return;
      case 'motion':
        this.#observer?.onMotion(message.uid, message.event);
        return;
      case 'log':
        this.#observer?.onLine(message.level, message.message, { ...message.fields, engine: client.index });
        return;
      case 'viewer-taken':
      case 'viewer-gone':
        this.#options.viewers?.take(client, message);
        return;
      // The client has handled these.
      case 'hello':
      case 'stopped':
      case 'answer':
      case 'fault':
    }
  }

  /**
   * A process that crashed without a note has ended, and another takes its place: the streams that may be the cause are
   * divided.
   */
  #divide(client: EngineClient): void {
    const { log, lives } = this.#options;
    const figures = this.#figuresOf(client);
    const pid = figures.unexplained;
    figures.unexplained = undefined;
    if (pid === undefined || !lives.hasCrashed(pid)) return;
    const running = [...this.#placed.values()].filter(
      ({ engine, epoch, settings }) =>
        engine === client && epoch !== undefined && !this.#quarantine.has(settings.uid),
    );
    const halves = this.#quarantine.noteDeath(running.map(({ settings }) => settings.uid));
    const apart = new Set(halves.apart);
    const fields = { engine: client.index, apart: [...apart] };
    log.error(fields, 'An engine crashed for a reason that it could not note');
    const others = this.#clients.filter((other) => other !== client && other.isConnected);
    const engine = this.#leastLoaded(others);
    const isOnly = this.#clients.length === 1;
    this.#temporary.noteCrash();
    if (engine) figures.divided = { left: new Set(halves.left), apartAt: engine };
    if (engine || (isOnly && apart.size > 0 && this.#temporary.request([...apart]))) {
      for (const placed of running) {
        if (placed.moving || !apart.has(placed.settings.uid)) continue;
        this.#moveTo(placed, engine);
        this.#send(placed);
      }
    }
    for (const { settings } of running) {
      const { uid } = settings;
      if (!this.#quarantine.has(uid)) continue;
      log.error({ stream: uid }, 'A stream was in all engines that crashed; the stream is not run any more');
      this.#observer?.onState(uid);
    }
  }

  /** Gives the temporary engine the streams that wait for it, and moves them back when it is not needed any more. */
  #followTemporary(): void {
    const { place } = this.#temporary;
    const found = place && this.#clientAt(place.path);
    const client = found ?? (place && this.#add(place));
    const isThere = client?.isConnected === true;
    for (const uid of this.#temporary.takeWaiting(isThere)) {
      const placed = this.#placed.get(uid);
      // New settings have given it to another one meanwhile.
      if (!placed || placed.engine || placed.epoch === undefined) continue;
      this.#moveTo(placed, isThere ? client : this.#leastLoaded());
      this.#send(placed);
    }
    if (!place || !isThere || !this.#temporary.isOver) return;
    const others = this.#clients.filter((other) => other !== client && other.isConnected);
    const isReplacing = this.#clients.some((other) => this.#figuresOf(other).isLeaving);
    if (others.length > 0 && !isReplacing) void this.#endTemporary(place.path, others);
  }

  async #endTemporary(path: string, others: readonly EngineClient[]): Promise<void> {
    // Asked once: if it fails, the engine stays for as long again.
    this.#temporary.noteCrash();
    try {
      await this.replace(path, others);
      this.#temporary.end(path);
    } catch (err) {
      this.#options.log.warn({ err }, 'The temporary engine could not be ended; it stays');
    }
  }

  /** Whether a stream is the reason. */
  #readNote({ index }: EngineClient, socket: string): boolean {
    const { log } = this.#options;
    const note = takeCrashNote(socket);
    if (note?.uid === undefined) return false;
    const fields = { engine: index, stream: note.uid, reason: note.message };
    if (this.#quarantine.noteCrash(note.uid)) {
      log.error(fields, 'The data of a stream crashed its engine again; the stream is not run any more');
    } else log.error(fields, 'The data of a stream crashed its engine');
    return true;
  }

  /** It concerns all streams of the engine. */
  #noteProblem(client: EngineClient, reason: string | null): void {
    this.#figuresOf(client).problem = reason;
    for (const [uid, { engine }] of this.#placed) if (engine === client) this.#observer?.onState(uid);
  }

  #noteVitals(client: EngineClient, vitals: EngineVitals): void {
    const figures = this.#figuresOf(client);
    const { uptimeSeconds, cpuSeconds } = figures.vitals ?? { uptimeSeconds: 0, cpuSeconds: 0 };
    const seconds = vitals.uptimeSeconds - uptimeSeconds;
    if (seconds > 0) figures.cpuPercent = ((vitals.cpuSeconds - cpuSeconds) / seconds) * 100;
    figures.vitals = vitals;
  }

  #note(uid: string, state: ManagedStreamState | undefined, report: StreamReport | undefined): void {
    const placed = this.#placed.get(uid);
    if (!placed) return;
    if (placed.state?.status === 'running' && state?.status !== 'running') placed.onInterrupted?.();
    placed.state = state;
    placed.report = report;
    this.#observer?.onReport(uid, report);
    this.#observer?.onState(uid);
  }
}
