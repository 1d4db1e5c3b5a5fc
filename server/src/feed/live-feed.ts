import { Readable } from 'node:stream';
import type { Cancel, Clock } from '../base/clock.ts';
import type { Reader } from '../hub/reader.ts';
import type { Stream } from '../hub/stream.ts';
import { encodeEvent } from './sample-wire.ts';

/**
 * After this long without samples a keep-alive is sent, so that the other side can distinguish a quiet camera
 * from a dead process or machine.
 */
export const aliveMs = 1_000;
/** Buffer for a slow recipient, in addition to the hub's own queue. */
const bufferBytes = 1024 * 1024;
const queueBytes = 16 * 1024 * 1024;

/**
 * A stream's live video for another process or node: a Reader like any other, so that a slow recipient skips to a key
 * frame and the camera's side never waits. Ends with the stream, or when it is destroyed.
 */
export class LiveFeed extends Readable {
  readonly #stream: Stream;
  readonly #clock: Clock;
  readonly #isReduced: () => boolean;
  #reader: Reader | undefined;
  #cancelAlive: Cancel | undefined;
  #hasRoom = false;
  #isQuiet = true;
  /** Samples are left out up to the next key frame. */
  #awaitsKey = false;

  /** @param isReduced whether only key frames are to be sent now */
  constructor(stream: Stream, clock: Clock, isReduced: () => boolean = () => false) {
    super({ highWaterMark: bufferBytes });
    this.#stream = stream;
    this.#clock = clock;
    this.#isReduced = isReduced;
  }

  override _read(): void {
    this.#hasRoom = true;
    this.#reader ??= this.#begin();
    this.#pump();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#cancelAlive?.();
    this.#reader?.close();
    done(error);
  }

  #begin(): Reader {
    this.#cancelAlive = this.#clock.every(aliveMs, () => {
      if (this.#isQuiet && this.#hasRoom) this.#send(encodeEvent({ type: 'alive' }));
      this.#isQuiet = true;
    });
    const { pauseCause } = this.#stream;
    if (pauseCause !== undefined) this.#send(encodeEvent({ type: 'pause', cause: pauseCause }));
    return this.#stream.addReader({
      name: 'link',
      maxBytes: queueBytes,
      from: 'gop',
      // After the writer's own work, and after what it wrote in one turn.
      onReadable: () => queueMicrotask(() => this.#pump()),
    });
  }

  #pump(): void {
    while (this.#hasRoom && !this.destroyed) {
      const event = this.#reader?.take();
      if (!event) return;
      if (event.type === 'end') {
        this.push(null);
        return;
      }
      if (event.type === 'sample' && this.#isLeftOut(event.startsGop)) continue;
      // A skip here ends at a key frame, at which every reader on the other side continues as well.
      if (event.type !== 'skipped') this.#send(encodeEvent(event));
    }
  }

  #isLeftOut(startsGop: boolean): boolean {
    if (startsGop) this.#awaitsKey = false;
    else if (this.#isReduced()) this.#awaitsKey = true;
    return this.#awaitsKey;
  }

  #send(pieces: readonly Uint8Array[]): void {
    this.#isQuiet = false;
    for (const piece of pieces) this.#hasRoom = this.push(piece);
  }
}
