import type { Writable } from 'node:stream';

/** Bytes that may be queued for the child; a single message of any size is accepted if the queue is empty. */
const queueMaxBytes = 4 * 1024 * 1024;

/**
 * Messages on their way to a child process: those for a child that is still loading, then those that its pipe
 * has not accepted. It is bounded, and the sender of media is notified when it is empty again.
 */
export class WorkerQueue {
  readonly #pipe: Writable;
  /** Data for a child that is still loading; undefined from its greeting on. */
  #early: Buffer[] | undefined = [];
  #earlyBytes = 0;
  #drainWaiters: (() => void)[] = [];

  constructor(pipe: Writable) {
    this.#pipe = pipe;
  }

  /** The child has sent its greeting: it gets the queued messages, and everything else directly. */
  open(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    this.#earlyBytes = 0;
    for (const frame of early) this.#pipe.write(frame, () => this.#drain());
  }

  get isOpen(): boolean {
    return this.#early === undefined;
  }

  /** Whether this many bytes of media are accepted now. */
  hasRoom(bytes: number): boolean {
    const queuedBytes = this.#queuedBytes;
    return queuedBytes === 0 || queuedBytes + bytes <= queueMaxBytes;
  }

  /** Adds a message with media. */
  push(frame: Buffer): void {
    if (this.#early) {
      this.#early.push(frame);
      this.#earlyBytes += frame.length;
    } else {
      this.#pipe.write(frame, () => this.#drain());
    }
  }

  /** Sends a message that controls a job, however full the queue is. Only once it is open. */
  send(frame: Buffer): void {
    this.#pipe.write(frame);
  }

  /** Resolves when the child has read its queue, or has exited. */
  drained(): Promise<void> {
    if (this.#queuedBytes === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drainWaiters.push(resolve));
  }

  /** The child has exited: no sender waits any longer. */
  end(): void {
    this.#resolveWaiters();
  }

  get #queuedBytes(): number {
    return this.#early ? this.#earlyBytes : this.#pipe.writableLength;
  }

  #drain(): void {
    if (this.#queuedBytes === 0) this.#resolveWaiters();
  }

  #resolveWaiters(): void {
    const waiters = this.#drainWaiters;
    this.#drainWaiters = [];
    for (const resolve of waiters) resolve();
  }
}
