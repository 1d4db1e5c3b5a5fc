import { connect, type Socket } from 'node:net';
import type { HandOverPoint } from '../archive/record/record.ts';
import { delay, type Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { FrameReader } from '../base/frame-reader.ts';
import type { Log } from '../base/log.ts';
import { decodeEvent } from '../feed/sample-wire.ts';
import {
  encodeMessage,
  faultOfAnswer,
  messageReader,
  type EngineMessage,
  type FrontMessage,
  type Greeting,
} from './engine-protocol.ts';
import type { ManagedStreamSettings } from './settings.ts';
import type { KeyFrame, StreamDetails } from './stream-report.ts';

export interface EngineClientOptions {
  /** Path of the engine's Unix socket. */
  readonly path: string;
  /** Number of the engine, from 0. */
  readonly index: number;
  readonly clock: Clock;
  readonly log: Log;
  /** The engine is there: it is sent what it has to do. */
  readonly onConnected: (hello: EngineHello) => void;
  readonly onLost: () => void;
  /** Called for each message but greetings and answers. */
  readonly onMessage: (message: EngineMessage) => void;
}

export type EngineHello = Extract<EngineMessage, { readonly type: 'hello' }>;
type EngineAnswer = Extract<EngineMessage, { readonly type: 'answer' }>;

const retryMs = 100;
const answerTimeoutMs = 4_000;
/** Each step of a move. The stream is recorded meanwhile, so that only an engine that never answers is not waited for. */
const moveTimeoutMs = 120_000;
const keyFrameTimeoutMs = 4_000;

/** The front's connections with one engine process, which may end and come back at any time. */
export class EngineClient {
  readonly index: number;
  /** Of its Unix socket. */
  readonly path: string;
  readonly #options: EngineClientOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  readonly #waiting = new Map<number, PromiseWithResolvers<EngineAnswer>>();
  #control: Socket | undefined;
  #hello: EngineHello | undefined;
  #isConnected = false;
  #isStopped = false;
  #pid: number | undefined;
  #lastId = 0;

  constructor(options: EngineClientOptions) {
    this.index = options.index;
    this.path = options.path;
    this.#options = options;
    this.#running = this.#run();
  }

  /** It has greeted, and takes messages. */
  get isConnected(): boolean {
    return this.#isConnected;
  }

  /** The process that greeted last. */
  get pid(): number | undefined {
    return this.#pid;
  }

  /** What it said when it was connected last. */
  get hello(): EngineHello | undefined {
    return this.#hello;
  }

  /** It ended in order, and has not come back. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Sends a message, if the engine is there: one that comes back is told everything again. */
  send(message: FrontMessage): void {
    if (this.#isConnected) this.#control?.write(encodeMessage(message));
  }

  /** Resolves when the last GOP of the stream is on the disk, or the engine is gone. */
  async release(uid: string, cause: 'removed' | 'moved' | 'drained'): Promise<void> {
    if (!this.#isConnected) return;
    try {
      // As long as it takes: a slow disk takes seconds, and an engine that ended answers with its connection.
      await this.#ask((id) => ({ type: 'release', id, uid, cause }));
    } catch (error) {
      if (this.#isConnected) throw error;
    }
  }

  /**
   * Resolves when the engine receives the stream. @throws Fault of the source when the camera refuses the connection;
   * Unavailable when the engine is gone, or it takes too long
   */
  async prepare(settings: ManagedStreamSettings, epoch: number): Promise<void> {
    await this.#ask((id) => ({ type: 'prepare', id, settings, epoch }), moveTimeoutMs);
  }

  /** Resolves when the stream had better be released. @throws Fault Unavailable when the engine is gone */
  async awaitMoment(uid: string): Promise<void> {
    await this.#ask((id) => ({ type: 'await-moment', id, uid }), moveTimeoutMs);
  }

  /**
   * Ends the recording of a stream where its next GOP begins, and resolves to that place. @throws Fault Unavailable when
   * the engine is gone, or no GOP begins for a long time
   */
  async handOver(uid: string): Promise<HandOverPoint | undefined> {
    return (await this.#ask((id) => ({ type: 'hand-over', id, uid }), moveTimeoutMs)).point;
  }

  /** Resolves when the engine has put the first GOP of the stream on the disk. @throws Fault Unavailable when it is gone */
  async takeOver(uid: string, point: HandOverPoint | undefined): Promise<void> {
    await this.#ask((id) => ({ type: 'take-over', id, uid, ...(point && { point }) }), moveTimeoutMs);
  }

  /** @throws Fault Unavailable when the engine is gone or does not answer */
  async details(uid: string): Promise<StreamDetails> {
    const { details } = await this.#ask((id) => ({ type: 'details', id, uid }), answerTimeoutMs);
    if (!details) throw this.#away();
    return details;
  }

  /** The connection of a live feed. @throws Fault Unavailable */
  live(uid: string, variant: 'main' | 'sub', signal: AbortSignal): Promise<Socket> {
    return this.#open({ type: 'live', uid, variant }, signal);
  }

  /** Undefined before the stream's first key frame. @throws Fault Unavailable */
  async newestKeyFrame(uid: string): Promise<KeyFrame | undefined> {
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(keyFrameTimeoutMs)]);
    const socket = await this.#open({ type: 'key-frame', uid }, signal);
    let track: KeyFrame['track'] | undefined;
    let sample: KeyFrame['sample'] | undefined;
    const frames = new FrameReader((frame) => {
      const event = decodeEvent(frame);
      if (event?.type === 'tracks') track = event.tracks.find((candidate) => candidate.kind === 'video');
      else if (event?.type === 'sample') sample = event.sample;
    });
    try {
      for await (const chunk of socket) frames.push(chunk as Buffer);
    } catch (cause) {
      throw this.#away(cause);
    }
    return track && sample ? { track, sample } : undefined;
  }

  /** The engine goes on. */
  async close(): Promise<void> {
    this.#stopping.abort();
    this.#control?.destroy();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#converse(await this.#open({ type: 'control' }, signal));
      } catch (err) {
        if (!signal.aborted) log.debug({ err, engine: this.index }, 'The engine is not there');
      }
      if (!signal.aborted) await delay(clock, retryMs, signal).catch(() => undefined);
    }
  }

  /** One control connection from beginning to end. */
  async #converse(socket: Socket): Promise<void> {
    this.#control = socket;
    const frames = messageReader<EngineMessage>((message) => this.#take(message));
    try {
      for await (const chunk of socket) frames.push(chunk as Buffer);
    } finally {
      socket.destroy();
      const wasConnected = this.#isConnected;
      this.#isConnected = false;
      for (const { reject } of this.#waiting.values()) reject(this.#away());
      this.#waiting.clear();
      if (wasConnected && !this.#stopping.signal.aborted) this.#options.onLost();
    }
  }

  #take(message: EngineMessage): void {
    switch (message.type) {
      case 'hello':
        this.#isConnected = true;
        this.#isStopped = false;
        this.#pid = message.pid;
        this.#hello = message;
        this.#options.onConnected(message);
        return;
      case 'stopped':
        this.#isStopped = true;
        return;
      case 'answer':
        this.#settle(message.id)?.resolve(message);
        return;
      case 'fault':
        this.#settle(message.id)?.reject(faultOfAnswer(message));
        return;
      case 'problem':
      case 'state':
      case 'reports':
      case 'vitals':
      case 'motion':
      case 'past-state':
      case 'log':
      case 'viewer-taken':
      case 'viewer-gone':
        this.#options.onMessage(message);
    }
  }

  #settle(id: number) {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    return waiting;
  }

  async #ask(messageOf: (id: number) => FrontMessage, timeoutMs?: number): Promise<EngineAnswer> {
    if (!this.#isConnected) throw this.#away();
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<EngineAnswer>();
    this.#waiting.set(id, answer);
    this.send(messageOf(id));
    const cancel =
      timeoutMs === undefined
        ? undefined
        : this.#options.clock.after(timeoutMs, () => this.#settle(id)?.reject(this.#away()));
    return answer.promise.finally(() => cancel?.());
  }

  #open(greeting: Greeting, signal: AbortSignal): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ path: this.#options.path });
      const abort = () => socket.destroy(new Error('no longer needed'));
      signal.addEventListener('abort', abort, { once: true });
      socket.once('close', () => signal.removeEventListener('abort', abort));
      socket.once('error', (cause) => reject(this.#away(cause)));
      socket.once('connect', () => {
        socket.write(encodeMessage(greeting));
        resolve(socket);
      });
      if (signal.aborted) abort();
    });
  }

  #away(cause?: unknown): Fault {
    return new Fault('Unavailable', 'The process that runs the stream is not there.', { cause });
  }
}
