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
  /** From here on this engine runs it. */
  assign(engine: EngineClient): void;
  /** Its viewers connect with its present engine. */
  reconnect(): void;
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
   * the present engine is lost, because its process may still be writing.
   */
  async move(stream: MovingStream, from: EngineClient, to: EngineClient): Promise<void> {
    const { uid } = stream.settings;
    const isMoved =
      this.#canOverlap(stream, from, to) && (await this.#tried(() => this.#overlap(stream, from, to), uid));
    // Nor is it interrupted for an engine that has been lost meanwhile.
    const hasLost = () => !to.isConnected && from.isConnected;
    if (isMoved || hasLost()) return;
    if (stream.isRunning && from.hello?.canHandOver) await this.#tried(() => from.awaitMoment(uid), uid);
    if (hasLost()) return;
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
    const step = async () => this.#finish(stream, { from, to }, await from.handOver(uid));
    if (!(await this.#tried(step, uid))) await this.#tried(() => to.release(uid, 'moved'), uid);
  }

  /** False, too, when it fails. */
  async #tried(step: () => Promise<boolean | void>, uid: string): Promise<boolean | void> {
    try {
      return await step();
    } catch (err) {
      this.#log.warn(
        { err, stream: uid },
        'A stream is moved to another engine with an interruption: up to a GOP of it is not recorded',
      );
      return false;
    }
  }

  #canOverlap({ settings, isRunning }: MovingStream, from: EngineClient, to: EngineClient): boolean {
    const { uid } = settings;
    return isRunning && !!from.hello?.canHandOver && !!to.hello?.canHandOver && !this.singleSession.has(uid);
  }

  /** False if the stream still runs in the present engine. */
  async #overlap(stream: MovingStream, from: EngineClient, to: EngineClient): Promise<boolean> {
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
    return this.#finish(stream, { from, to }, point);
  }

  /** False if the next engine has been lost: the stream still runs in the present one, which continues where it has ended. */
  async #finish(
    stream: MovingStream,
    { from, to }: { readonly from: EngineClient; readonly to: EngineClient },
    point: HandOverPoint | undefined,
  ): Promise<boolean> {
    const { uid } = stream.settings;
    if (!to.isConnected && from.isConnected) return false;
    stream.assign(to);
    await this.#tried(() => to.takeOver(uid, point), uid);
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
