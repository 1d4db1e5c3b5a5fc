import { createServer, type Server, type Socket } from 'node:net';
import { Fault } from '../base/fault.ts';
import type { Cancel, Clock } from '../base/clock.ts';
import type { LoadLevel } from '../base/load-level.ts';
import type { Log } from '../base/log.ts';
import type { PermitsReport } from '../base/write-permits.ts';
import { LiveFeed } from '../feed/live-feed.ts';
import { encodeEvent } from '../feed/sample-wire.ts';
import type { HandOverPoint } from '../archive/record/record.ts';
import { PastStates } from './past-states.ts';
import type { MotionEvent } from '../motion/motion-detector.ts';
import {
  encodeMessage,
  messageReader,
  type EngineMessage,
  type EngineSetup,
  type EngineVitals,
  type FrontMessage,
  type Greeting,
  type LogLevel,
  type ReleaseCause,
} from './engine-protocol.ts';
import { asStream } from '../base/stream-context.ts';
import { goodMomentToEnd } from './gop-moment.ts';
import type { EngineViewers } from './engine-viewers.ts';
import type { ManagedStream } from './managed-stream.ts';
import type { StreamManager } from './stream-manager.ts';
import { newestKeyFrame, type StreamReport } from './stream-report.ts';

/** What an engine does on behalf of its front. */
export interface EngineCommands {
  /** Opens the archive for recording; once, and again until it succeeds. */
  setUp(setup: EngineSetup): Promise<void>;
  run(order: Extract<FrontMessage, { readonly type: 'run' }>): void;
  /** Only these streams are assigned: forgets orders for others that were sent before the engine was set up. */
  keepEarly(assigned: ReadonlySet<string>): void;
  /** See `WritePermits.note`. */
  noteLease(report: PermitsReport): void;
  noteDisk(isInOrder: boolean): void;
  /** Resolves when the last GOP of the stream is on the disk. */
  release(uid: string, cause: ReleaseCause): Promise<void>;
  /** Resolves when the stream is received. @throws Fault when its source can't be reached */
  prepare(order: Extract<FrontMessage, { readonly type: 'prepare' }>): Promise<void>;
  /** Streams whose cameras admit one connection, as the front says. */
  readonly singleSession: ReadonlySet<string>;
}

export interface EngineServerOptions {
  /** Undefined until the engine is set up. */
  readonly streamManager: () => StreamManager | undefined;
  readonly commands: EngineCommands;
  readonly vitals: () => EngineVitals;
  /** As the front decided last. */
  readonly load: LoadLevel;
  /** The file that the process holds locked. */
  readonly lock?: string;
  /** Undefined where it serves none itself. */
  readonly viewers?: EngineViewers;
  readonly clock: Clock;
  readonly log: Log;
}

/** Reports are this old at most; with many streams less often, so that they cost little. */
const reportMs = 1_000;
const streamsPerSecond = 500;
/** Above this the front does not read: what can wait is kept until it does. */
const highWaterBytes = 1024 * 1024;
/** Most motion events that are kept for a front; beyond it the oldest are dropped. */
const mostEvents = 10_000;
/** A front stores events within a second; one that ends before is followed by another, which gets them again. */
const keptMs = 60_000;

interface KeptEvent {
  readonly uid: string;
  readonly event: MotionEvent;
  /** When it was sent to the present front, monotonic. */
  sentMs: number | undefined;
}

/**
 * The engine's side of its connections with the front, which comes and goes: the newest control connection is the
 * one that counts. What happens while there is none is kept and delivered to the next.
 */
export class EngineServer {
  readonly #options: EngineServerOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #changed = new Set<string>();
  readonly #events = new Map<string, KeptEvent>();
  readonly #pastStates: PastStates;
  #front: Socket | undefined;
  /** The front knows its streams, and takes what is reported of them. */
  #isAssigned = false;
  #problem: string | undefined;
  #cancelReports: Cancel | undefined;
  #skippedReports = 0;

  constructor(options: EngineServerOptions) {
    this.#options = options;
    this.#pastStates = new PastStates(options.clock);
    this.#server = createServer((socket) => this.#accept(socket));
  }

  /** @throws system errors */
  async listen(path: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(path, resolve);
    });
    this.#cancelReports = this.#options.clock.every(reportMs, () => this.#report());
  }

  /** The state of a stream shown to users changed. */
  noteState(uid: string): void {
    this.#changed.add(uid);
    const running = this.#options.streamManager()?.find(uid);
    if (running) this.#pastStates.add(uid, running.state, this.#isAssigned && this.#front !== undefined);
    this.#flush();
  }

  /** A later report of the same event replaces it. */
  noteMotion(uid: string, event: MotionEvent): void {
    this.#events.set(`${uid} ${event.startMs}`, { uid, event, sentMs: undefined });
    for (const key of this.#events.keys()) {
      if (this.#events.size <= mostEvents) break;
      this.#events.delete(key);
    }
    this.#flush();
  }

  /** The front releases what it holds for a viewer; the next one learns of those who are left by the greeting. */
  noteViewer(type: 'viewer-taken' | 'viewer-gone', id: string): void {
    this.#send({ type, id });
  }

  noteLine(level: LogLevel, message: string, fields: object): void {
    if (this.#canSend) this.#send({ type: 'log', level, message, fields });
  }

  /** Why the engine cannot record at present; undefined when it can. */
  noteProblem(reason: string | undefined): void {
    if (reason === this.#problem) return;
    this.#problem = reason;
    this.#send({ type: 'problem', reason: reason ?? null });
  }

  /** Ends all connections without a word, as the end of the process does. */
  abandon(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#front = undefined;
  }

  /** Reports that everything is on the disk, and ends. */
  async close(): Promise<void> {
    this.#cancelReports?.();
    const front = this.#front;
    if (front) {
      this.#send({ type: 'stopped' });
      await new Promise<void>((resolve) => {
        front.once('close', () => resolve());
        front.end(() => resolve());
      });
    }
    this.abandon();
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve));
  }

  get #canSend(): boolean {
    return this.#isAssigned && this.#front !== undefined && this.#front.writableLength < highWaterBytes;
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    const { log } = this.#options;
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (this.#front !== socket) return;
      this.#front = undefined;
      this.#options.viewers?.orphan();
    });
    socket.on('error', (err) => log.debug({ err }, 'A connection of the front was lost'));
    let handle = (message: unknown) => {
      handle = this.#begin(socket, message as Greeting);
    };
    const frames = messageReader((message) => handle(message));
    socket.on('data', (chunk) => {
      try {
        frames.push(chunk);
      } catch (err) {
        log.error({ err }, 'The front sent an invalid message');
        socket.destroy();
      }
    });
  }

  /** Serves a connection; returns what takes its further messages. */
  #begin(socket: Socket, greeting: Greeting): (message: unknown) => void {
    switch (greeting.type) {
      case 'control':
        this.#attach(socket);
        return (message) => this.#take(message as FrontMessage);
      case 'live':
        this.#serveLive(socket, greeting.uid, greeting.variant);
        return () => {};
      case 'key-frame':
        this.#serveKeyFrame(socket, greeting.uid);
        return () => {};
      default:
        // Of a newer front.
        socket.destroy();
        return () => {};
    }
  }

  #attach(socket: Socket): void {
    this.#front?.destroy();
    this.#front = socket;
    socket.on('drain', () => this.#flush());
    const uids = this.#uidsOf('active');
    const { lock, commands, viewers } = this.#options;
    const singleSession = uids.filter((uid) => commands.singleSession.has(uid));
    // Until this front says that it follows them.
    viewers?.orphan();
    this.#send({
      type: 'hello',
      uids,
      standby: this.#uidsOf('standby'),
      handedOver: this.#uidsOf('handed-over'),
      pid: process.pid,
      canHandOver: true,
      ...(lock !== undefined && { lock }),
      singleSession,
      ...(viewers && { viewers: viewers.present }),
    });
    if (this.#problem !== undefined) this.#send({ type: 'problem', reason: this.#problem });
    this.#isAssigned = false;
    for (const uid of uids) this.#changed.add(uid);
    for (const kept of this.#events.values()) kept.sentMs = undefined;
  }

  #take(message: FrontMessage): void {
    const { commands } = this.#options;
    switch (message.type) {
      case 'set-up':
        commands.setUp(message.setup).catch((err: unknown) => {
          this.#options.log.error({ err }, 'The engine cannot record');
        });
        return;
      case 'run':
        commands.run(message);
        // It may have been another engine's meanwhile: the front knows no state of it then.
        this.#changed.add(message.settings.uid);
        this.#flush();
        return;
      case 'release':
        this.#answer(message.id, () => commands.release(message.uid, message.cause));
        return;
      case 'assigned':
        this.#takeAssigned(message.uids);
        return;
      case 'load':
        this.#options.load.set(message.level);
        return;
      case 'disk':
        commands.noteDisk(message.isInOrder);
        return;
      case 'lease':
        commands.noteLease(message.report);
        return;
      case 'expect-viewer':
        this.#expectViewer(message.uid);
        return;
      case 'end-viewer':
        this.#options.viewers?.end(message.id, message.code);
        return;
      case 'viewer-until':
        this.#options.viewers?.noteUntil(message.id, message.untilMs);
        return;
      case 'alive':
        this.#options.viewers?.noteFront();
        return;
      case 'viewers-followed':
        this.#options.viewers?.adopt();
        return;
      case 'details':
        this.#answer(message.id, async () => this.#details(message.uid));
        return;
      case 'prepare':
        this.#answer(message.id, () => commands.prepare(message));
        return;
      case 'await-moment':
        this.#answer(message.id, () => this.#awaitMoment(message.uid));
        return;
      case 'hand-over':
        this.#answer(message.id, () => this.#handOver(message.uid));
        return;
      case 'take-over':
        this.#answer(message.id, () => this.#takeOver(message.uid, message.point));
    }
  }

  #takeAssigned(uids: readonly string[]): void {
    this.#releaseOthers(new Set(uids));
    this.#isAssigned = true;
    for (const past of this.#pastStates.takeAll()) this.#send({ type: 'past-state', ...past });
    this.#flush();
    this.#report(true);
  }

  #expectViewer(uid: string): void {
    const running = this.#options.streamManager()?.find(uid);
    if (running) asStream(uid, () => running.demand.extend());
  }

  async #awaitMoment(uid: string): Promise<void> {
    const running = this.#options.streamManager()?.find(uid);
    if (running?.stream.tracks) await goodMomentToEnd(running.stream, this.#options.clock);
  }

  async #handOver(uid: string) {
    const point = await this.#options.streamManager()?.find(uid)?.handOver();
    return point && { point };
  }

  async #takeOver(uid: string, point: HandOverPoint | undefined): Promise<void> {
    const running = this.#options.streamManager()?.find(uid);
    if (!running) throw new Fault('Unavailable', 'The engine does not receive the stream.');
    await asStream(uid, () => running.takeOver(point));
    this.noteState(uid);
  }

  #releaseOthers(assigned: ReadonlySet<string>): void {
    const { commands, log } = this.#options;
    commands.keepEarly(assigned);
    for (const { uid } of [...this.#streams()]) {
      if (assigned.has(uid)) continue;
      commands.release(uid, 'moved').catch((err: unknown) => {
        log.error({ err, stream: uid }, 'A stream could not be released');
      });
    }
  }

  /** Before the engine has opened its archive and begun with the stream there is nothing to tell of it. */
  async #details(uid: string) {
    const running = this.#options.streamManager()?.find(uid);
    return { details: (await running?.details()) ?? { tracks: [], lines: [] } };
  }

  #answer(id: number, run: () => Promise<object | void>): void {
    run().then(
      (answer) => this.#send({ type: 'answer', id, ...answer }),
      (error: unknown) => {
        if (!(error instanceof Fault)) this.#options.log.error({ err: error }, 'The engine could not answer');
        const { code, message } =
          error instanceof Fault ? error : new Fault('InternalServerError', 'The engine failed.');
        this.#send({ type: 'fault', id, code, message });
      },
    );
  }

  #serveLive(socket: Socket, uid: string, variant: 'main' | 'sub'): void {
    const running = this.#options.streamManager()?.find(uid);
    if (!running) {
      socket.destroy();
      return;
    }
    const sub = variant === 'sub' ? running.sub : undefined;
    const { stream, demand } = sub ?? running;
    const release = asStream(uid, () => demand.addViewer());
    const { clock, load } = this.#options;
    const feed = new LiveFeed(stream, clock, () => load.defers(sub ? 'sub-streams' : 'live'));
    socket.once('close', () => {
      feed.destroy();
      release();
    });
    feed.pipe(socket);
  }

  #serveKeyFrame(socket: Socket, uid: string): void {
    const running = this.#options.streamManager()?.find(uid);
    const frame = running && newestKeyFrame(running.stream);
    if (frame) {
      for (const piece of encodeEvent({ type: 'tracks', tracks: [frame.track] })) socket.write(piece);
      for (const piece of encodeEvent({ type: 'sample', sample: frame.sample })) socket.write(piece);
    }
    socket.end();
  }

  /** Sends what has waited for a front, as far as it reads. */
  #flush(): void {
    const streamManager = this.#options.streamManager();
    for (const uid of this.#changed) {
      if (!this.#canSend || !streamManager) return;
      this.#changed.delete(uid);
      const running = streamManager.find(uid);
      if (running) this.#send({ type: 'state', uid, state: running.state, report: this.#reportOf(running) });
    }
    for (const kept of this.#events.values()) {
      if (!this.#canSend) return;
      if (kept.sentMs !== undefined) continue;
      kept.sentMs = this.#options.clock.monotonicMs();
      this.#send({ type: 'motion', uid: kept.uid, event: kept.event });
    }
  }

  #forgetStored(): void {
    this.#pastStates.forgetStored();
    const untilMs = this.#options.clock.monotonicMs() - keptMs;
    for (const [key, { sentMs }] of this.#events)
      if (sentMs !== undefined && sentMs < untilMs) this.#events.delete(key);
  }

  #report(isDue = false): void {
    this.#forgetStored();
    const streams = this.#options.streamManager()?.size ?? 0;
    this.#skippedReports++;
    if (!this.#canSend || (!isDue && this.#skippedReports < streams / streamsPerSecond)) return;
    this.#skippedReports = 0;
    this.#send({
      type: 'reports',
      reports: Array.from(this.#streams(), (running) => [running.uid, this.#reportOf(running)] as const),
    });
    this.#send({ type: 'vitals', vitals: this.#options.vitals() });
  }

  #reportOf({ stream, report }: ManagedStream): StreamReport {
    return { ...report, audience: this.#options.viewers?.audience(stream) };
  }

  #uidsOf(role: ManagedStream['role']): string[] {
    const streams = Array.from(this.#streams()).filter((stream) => stream.role === role);
    return streams.map(({ uid }) => uid);
  }

  #streams() {
    return this.#options.streamManager()?.streams() ?? [];
  }

  #send(message: EngineMessage): void {
    this.#front?.write(encodeMessage(message));
  }
}
