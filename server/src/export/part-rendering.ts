import type { Sample } from '@vidette/media/sample';
import type { Track } from '@vidette/media/track';
import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { FfmpegJob } from '../ffmpeg/job.ts';
import type { FfmpegPool } from '../ffmpeg/pool.ts';
import type { DigestRequest } from '../ffmpeg/protocol.ts';

/** Frames that the process has not decoded yet. */
const aheadMax = 32;
/** A process that does nothing for this long has stopped working, ms. A busy machine is slow, but not that slow. */
const hangMs = 60_000;

export interface PartRenderingOptions {
  readonly pool: Pick<FfmpegPool, 'open'>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly request: DigestRequest;
  readonly onTrack: (track: Track) => void;
  readonly onFrame: (frame: Omit<Sample, 'trackId'>) => void;
}

/**
 * One part of a digest in a child process at lower priority, which is killed when the signal is aborted. Its creator calls
 * `finish` or `close`.
 */
export class PartRendering {
  readonly #options: PartRenderingOptions;
  readonly #job: FfmpegJob;
  readonly #done = Promise.withResolvers<void>();
  readonly #onAbort: () => void;
  #room: PromiseWithResolvers<void> | undefined;
  #ahead = 0;
  #isWaiting = false;
  #cancelHang: Cancel = () => {};

  /** @throws Fault Unavailable without node-av; the signal's reason */
  constructor(options: PartRenderingOptions) {
    const { pool, signal, request } = options;
    signal.throwIfAborted();
    this.#options = options;
    // Awaited in `feed` and `finish`, which may not follow.
    this.#done.promise.catch(() => {});
    this.#job = pool.open(() => request, 'digest', {
      message: (message) => {
        this.#noteLife();
        if (message.type === 'tracks') this.#attempt(() => message.tracks.forEach(options.onTrack));
        else if (message.type === 'sample') {
          const { dts, pts, isKey, isDamaged } = message;
          // The message is a view of the pipe's read buffer.
          const bytes = Uint8Array.from(message.bytes);
          const frame = { dts, pts, isKey, isDamaged, data: [bytes], size: bytes.length };
          this.#attempt(() => options.onFrame(frame));
        } else if (message.type === 'taken') {
          this.#ahead--;
          this.#room?.resolve();
        }
      },
      ended: (fault) => {
        if (fault) this.#fail(fault);
        else this.#done.resolve();
      },
    });
    this.#onAbort = () => {
      this.#job.kill('the export was cancelled');
      this.#fail(signal.reason);
    };
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Sends one coded frame, as soon as the process has room. @throws Fault ProbeError, Unavailable; the signal's reason */
  async feed(sample: Sample, utcTicks: number): Promise<void> {
    while (this.#ahead >= aheadMax) {
      this.#room = Promise.withResolvers<void>();
      await this.#waited(this.#room.promise);
    }
    await this.#send(Buffer.concat(sample.data), utcTicks);
    this.#ahead++;
  }

  /** Resolves when the last frame has been rendered. @throws the same */
  async finish(): Promise<void> {
    try {
      if (this.#options.request.video) await this.#send(new Uint8Array(), 0);
      await this.#waited(this.#done.promise);
    } finally {
      this.close();
    }
  }

  /** Idempotent. */
  close(): void {
    this.#cancelHang();
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    this.#job.close();
  }

  async #send(bytes: Uint8Array, utcTicks: number): Promise<void> {
    const sent = this.#job.send(bytes, utcTicks);
    await this.#waited(sent.then((isTaken) => (isTaken ? undefined : this.#done.promise)));
  }

  /** Waits for the process, which is killed if it does nothing meanwhile. @throws what ended it */
  async #waited(promise: Promise<void>): Promise<void> {
    this.#isWaiting = true;
    this.#noteLife();
    try {
      await Promise.race([promise, this.#done.promise]);
    } finally {
      this.#isWaiting = false;
      this.#cancelHang();
    }
  }

  #noteLife(): void {
    this.#cancelHang();
    if (!this.#isWaiting) return;
    this.#cancelHang = this.#options.clock.after(hangMs, () =>
      this.#job.kill('the rendering of a digest has stopped'),
    );
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(cause: unknown): void {
    this.#done.reject(cause instanceof Error ? cause : new Fault('Unavailable', String(cause)));
    this.#room?.resolve();
  }
}
