import type { HandOverPoint } from '../archive/record/record.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { Semaphore } from '../base/semaphore.ts';
import type { EngineClient } from './engine-client.ts';
import type { ManagedStreamSettings } from './settings.ts';

/** A stream that goes from one engine to another. */
export interface MovingStream {
  readonly settings: ManagedStreamSettings;
  /** Undefined while this node doesn't run the stream. */
  readonly epoch: number | undefined;
  /** Its source delivers, as its engine reported last. */
  readonly isRunning: boolean;
  /** Calls `run` when its source stops delivering in the present engine, until the stream has moved. */
  onInterrupted(run: () => void): void;
  /** Whether that process of an engine, which may be lost, writes nothing any more; waits until that is known. */
  hasEnded(engine: EngineClient, pid: number | undefined): Promise<boolean>;
  /** From here on this engine runs it. */
  assign(engine: EngineClient): void;
  /** Its viewers connect with its present engine. */
  reconnect(): void;
}

/** Two engines between which a stream moves, and their processes when that began: another one knows nothing of it. */
class Route {
  readonly from: EngineClient;
  readonly to: EngineClient;
  readonly fromPid: number | undefined;
  readonly toPid: number | undefined;

  constructor(from: EngineClient, to: EngineClient) {
    this.from = from;
    this.to = to;
    this.fromPid = from.pid;
    this.toPid = to.pid;
  }

  get hasLostFrom(): boolean {
    return !this.from.isConnected || this.from.pid !== this.fromPid;
  }

  get hasLostTo(): boolean {
    return !this.to.isConnected || this.to.pid !== this.toPid;
  }
}

/**
 * Moves streams between engines without losing a frame: the next engine receives a stream before the present one ends its
 * recording, at a key frame from which the next one continues. A camera that admits one connection is found by trying,
 * and loses up to one GOP: the present engine ends first.
 */
export class StreamMover {
  readonly #log: Log;
  readonly #replacements = new Semaphore(1);
  /** Streams whose cameras admit one connection, by uid. */
  readonly singleSession = new Set<string>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Runs the replacement of an engine when the one in progress, if any, is over. */
  inTurn(replace: () => Promise<number>): Promise<number> {
    return this.#replacements.run(replace);
  }

  /**
   * Never rejects: an engine that is lost meanwhile is told what to do when it is back. The stream stays where it is while
   * the process of the present engine, which is lost, may still be writing.
   */
  async move(stream: MovingStream, from: EngineClient, to: EngineClient): Promise<void> {
    const { uid } = stream.settings;
    const route = new Route(from, to);
    const isMoved =
      this.#canOverlap(stream, from, to) && (await this.#tried(() => this.#overlap(stream, route), uid));
    // Nor is it interrupted for an engine that has been lost meanwhile.
    const staysInPlace = () => route.hasLostTo && !route.hasLostFrom;
    if (isMoved || staysInPlace()) return;
    if (stream.isRunning && from.hello?.canHandOver) await this.#tried(() => from.awaitMoment(uid), uid);
    if (staysInPlace() || (await this.#inherited(stream, route))) return;
    await this.#tried(() => from.release(uid, 'moved'), uid);
    if (from.isConnected || from.isStopped) stream.assign(to);
    else await this.#tried(() => to.release(uid, 'moved'), uid);
  }

  /**
   * Goes on with a move that an earlier front began: the present engine has ended its recording, or is about to. Never
   * rejects; the stream stays where it is if it can't be moved.
   */
  async resume(stream: MovingStream, from: EngineClient, to: EngineClient): Promise<void> {
    const { uid } = stream.settings;
    const route = new Route(from, to);
    const step = async () => this.#finish(stream, route, await from.handOver(uid));
    if ((await this.#tried(step, uid)) || (await this.#inherited(stream, route))) return;
    await this.#tried(() => to.release(uid, 'moved'), uid);
  }

  /**
   * Gives a stream whose present engine was lost to the next one, once that process has ended: what it had not put on the
   * disk is held there. False otherwise.
   */
  async #inherited(stream: MovingStream, route: Route): Promise<boolean> {
    const { from, to, fromPid } = route;
    const { uid } = stream.settings;
    if (!route.hasLostFrom || from.isStopped || route.hasLostTo) return false;
    if (!(await stream.hasEnded(from, fromPid)) || route.hasLostTo) return false;
    this.#log.warn({ stream: uid }, 'The present engine was lost; the next one goes on with the stream');
    stream.assign(to);
    return true;
  }

  /** False, too, when it fails. */
  async #tried(
    step: () => Promise<boolean | void>,
    uid: string,
    consequence = 'A stream is moved to another engine with an interruption: up to a GOP of it is not recorded',
  ): Promise<boolean | void> {
    try {
      return await step();
    } catch (err) {
      this.#log.warn({ err, stream: uid }, consequence);
      return false;
    }
  }

  #canOverlap({ settings, isRunning }: MovingStream, from: EngineClient, to: EngineClient): boolean {
    const { uid } = settings;
    return isRunning && !!from.hello?.canHandOver && !!to.hello?.canHandOver && !this.singleSession.has(uid);
  }

  /** False if the stream still runs in the present engine. */
  async #overlap(stream: MovingStream, route: Route): Promise<boolean> {
    const { from, to } = route;
    const { settings, epoch } = stream;
    const { uid } = settings;
    if (epoch === undefined) return false;
    let interrupted: Promise<HandOverPoint | undefined> | undefined;
    stream.onInterrupted(() => {
      // Its connection ended when that of the other began, and must not be tried again.
      interrupted ??= this.#giveUp(stream, from);
      interrupted.catch(() => undefined);
    });
    try {
      await to.prepare(settings, epoch);
    } catch (err) {
      const isSlow = err instanceof Fault && err.code === 'Unavailable';
      if (stream.isRunning && to.isConnected && !isSlow) this.#noteSingleSession(uid, err);
      await to.release(uid, 'moved');
      if (isSlow && to.isConnected) throw err;
      return false;
    }
    const point = await (interrupted ?? this.#end(settings, from));
    if (interrupted && from.isConnected) this.#noteSingleSession(uid, undefined);
    return this.#finish(stream, route, point);
  }

  /**
   * False if the next engine has been lost: the stream still runs in the present one, which continues where it has ended, or
   * after what the other one has put on the disk.
   */
  async #finish(stream: MovingStream, route: Route, point: HandOverPoint | undefined): Promise<boolean> {
    const { from, to, toPid } = route;
    const { uid } = stream.settings;
    if (route.hasLostTo && !route.hasLostFrom) return false;
    stream.assign(to);
    const consequence = 'The next engine does not say that it records a stream';
    const isTaken = await this.#tried(() => to.takeOver(uid, point), uid, consequence);
    if (isTaken === false && !route.hasLostFrom && (await stream.hasEnded(to, toPid))) {
      this.#log.warn({ stream: uid }, 'The next engine was lost; the present one goes on with the stream');
      stream.assign(from);
      return false;
    }
    stream.reconnect();
    await this.#tried(() => from.release(uid, 'moved'), uid);
    return true;
  }

  /** Whether it is recorded is as it was when the next engine began to receive it. */
  async #end(settings: ManagedStreamSettings, from: EngineClient): Promise<HandOverPoint | undefined> {
    return settings.isRecorded ? from.handOver(settings.uid) : undefined;
  }

  async #giveUp(stream: MovingStream, from: EngineClient): Promise<HandOverPoint | undefined> {
    try {
      return await this.#end(stream.settings, from);
    } finally {
      await from.release(stream.settings.uid, 'moved');
    }
  }

  #noteSingleSession(uid: string, err: unknown): void {
    this.singleSession.add(uid);
    const words =
      'The camera admits one connection: its stream is moved between engines with an interruption';
    this.#log.warn({ err, stream: uid }, words);
  }
}
