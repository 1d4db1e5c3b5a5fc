import type { Sample } from '@vidette/media/sample';
import type { VideoTrack } from '@vidette/media/track';
import type { Cancel, Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { AvJob, AvPool } from './pool.ts';

export interface PictureOptions {
  /** Pixels; the picture keeps its shape and is never enlarged. Default 640. */
  readonly maxWidth?: number;
  /** JPEG quality, 1 to 100. Default 75. */
  readonly quality?: number;
  /** From the call to the picture, waiting included. Default 5000. */
  readonly deadlineMs?: number;
}

interface Order {
  readonly track: VideoTrack;
  readonly sample: Sample;
  readonly options: Required<PictureOptions>;
  readonly resolve: (jpeg: Uint8Array) => void;
  readonly reject: (fault: Fault) => void;
  cancelDeadline: Cancel;
}

/** Orders that may wait; a picture takes about 20 ms, so the last of them still meets its deadline. */
const waitingMax = 64;
const sampleMaxBytes = 16 * 1024 * 1024;

/**
 * Makes still pictures one after the other. An order whose deadline passes while it is being made takes the child
 * with it: native code that hangs can't be stopped in another way, and nothing else lives in that child.
 */
export class PictureQueue {
  readonly #pool: AvPool;
  readonly #clock: Clock;
  readonly #waiting: Order[] = [];
  #current: { order: Order; job: AvJob } | undefined;

  constructor(pool: AvPool, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
  }

  make(track: VideoTrack, sample: Sample, options: PictureOptions = {}): Promise<Uint8Array> {
    if (sample.size > sampleMaxBytes) {
      return Promise.reject(
        new Fault('ProbeError', `A key frame of ${sample.size} bytes is too large for a picture.`),
      );
    }
    if (this.#waiting.length >= waitingMax) {
      const details = { retryAfterSeconds: 1 };
      return Promise.reject(
        new Fault('TooManyRequests', 'Too many pictures are asked for at once.', { details }),
      );
    }
    return new Promise((resolve, reject) => {
      const full = { maxWidth: 640, quality: 75, deadlineMs: 5000, ...options };
      const order: Order = { track, sample, options: full, resolve, reject, cancelDeadline: () => {} };
      order.cancelDeadline = this.#clock.after(full.deadlineMs, () => this.#expire(order));
      this.#waiting.push(order);
      this.#next();
    });
  }

  #next(): void {
    if (this.#current) return;
    const order = this.#waiting.shift();
    if (!order) return;
    try {
      this.#current = { order, job: this.#start(order) };
    } catch (error) {
      order.cancelDeadline();
      order.reject(
        error instanceof Fault ? error : new Fault('InternalServerError', 'No picture.', { cause: error }),
      );
      this.#next();
    }
  }

  #start(order: Order): AvJob {
    const { track, sample, options } = order;
    let jpeg: Uint8Array | undefined;
    const job = this.#pool.open(
      () => ({
        kind: 'picture',
        codec: track.codec,
        config: Buffer.from(track.config).toString('base64'),
        maxWidth: options.maxWidth,
        quality: options.quality,
      }),
      'picture',
      {
        message: (message) => {
          if (message.type === 'picture') jpeg = Uint8Array.from(message.bytes);
        },
        ended: (fault, words) => {
          this.#current = undefined;
          order.cancelDeadline();
          if (jpeg) order.resolve(jpeg);
          else order.reject(fault ?? new Fault('ProbeError', words));
          this.#next();
        },
      },
    );
    job.data(Buffer.concat(sample.data), 0);
    return job;
  }

  #expire(order: Order): void {
    order.reject(new Fault('SERVER_NOT_RESPONSE_ERR', 'The picture could not be made in time.'));
    if (this.#current?.order === order) {
      this.#current.job.kill('a picture took too long');
      return;
    }
    const at = this.#waiting.indexOf(order);
    if (at >= 0) this.#waiting.splice(at, 1);
  }
}
