import type { Sample } from '@vidette/media/sample';
import type { VideoTrack } from '@vidette/media/track';
import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { JobListener } from './worker-process.ts';
import type { FfmpegJob, WorkerRole } from './job.ts';
import type { JobRequest } from './protocol.ts';

export interface SnapshotOptions {
  /** Pixels; the snapshot keeps its aspect ratio and is never enlarged. Default 640. */
  readonly maxWidth?: number;
  /** JPEG quality, 1 to 100. Default 75. */
  readonly quality?: number;
  /** From the call to the result, including the wait in the queue. Default 5000. */
  readonly deadlineMs?: number;
}

/** What the queue needs of the pool. */
export interface SnapshotPool {
  open(request: () => JobRequest, role: WorkerRole, listener: JobListener): FfmpegJob;
}

interface Order {
  readonly track: VideoTrack;
  readonly sample: Sample;
  readonly options: Required<SnapshotOptions>;
  /** Monotonic ms at which the caller gives up. */
  readonly dueMs: number;
  readonly resolve: (jpeg: Uint8Array) => void;
  readonly reject: (fault: Fault) => void;
  cancelDeadline: Cancel;
}

/** Requests that may be queued; a snapshot takes about 20 ms. */
const waitingMax = 64;
const sampleMaxBytes = 16 * 1024 * 1024;
/** A render that takes this long is considered hanging: a machine under load is slow, but not that slow, ms. */
const hangMs = 20_000;
/**
 * Minimum time between replacements of a child that crashed or hung: starting one costs more than a hundred
 * frames, ms.
 */
const restartPeriodMs = 60_000;

/**
 * Renders snapshots one at a time, the most urgent first. A request whose deadline passes is only abandoned;
 * the child continues with it, since under load every render is late and a new child would be later still. A
 * child whose render hangs is killed (native code cannot be stopped in any other way, and the child has no
 * other jobs), and a child that ended with a fault is replaced at most once a minute.
 */
export class SnapshotQueue {
  readonly #pool: SnapshotPool;
  readonly #clock: Clock;
  readonly #waiting: Order[] = [];
  #current: { order: Order; job: FfmpegJob; cancelHang: Cancel } | undefined;
  /** When the newest child that ended with a fault was replaced, monotonic ms. */
  #replacedMs = Number.NEGATIVE_INFINITY;
  /** The last child ended with a fault and has not been replaced yet. */
  #isBroken = false;

  constructor(pool: SnapshotPool, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
  }

  make(track: VideoTrack, sample: Sample, options: SnapshotOptions = {}): Promise<Uint8Array> {
    if (sample.size > sampleMaxBytes) {
      return Promise.reject(
        new Fault('ProbeError', `A key frame of ${sample.size} bytes is too large for a snapshot.`),
      );
    }
    if (this.#waiting.length >= waitingMax) {
      const details = { retryAfterSeconds: 1 };
      return Promise.reject(
        new Fault('TooManyRequests', 'Too many snapshots were requested simultaneously.', { details }),
      );
    }
    const pauseMs = this.#pauseMs();
    if (pauseMs > 0) {
      const details = { retryAfterSeconds: Math.ceil(pauseMs / 1000) };
      const words = 'The process that renders snapshots failed twice within a minute and restarts later.';
      return Promise.reject(new Fault('Unavailable', words, { details }));
    }
    return new Promise((resolve, reject) => {
      const full = { maxWidth: 640, quality: 75, deadlineMs: 5000, ...options };
      const dueMs = this.#clock.monotonicMs() + full.deadlineMs;
      const order: Order = { track, sample, options: full, dueMs, resolve, reject, cancelDeadline: () => {} };
      order.cancelDeadline = this.#clock.after(full.deadlineMs, () => this.#expire(order));
      this.#waiting.push(order);
      this.#next();
    });
  }

  #next(): void {
    // While the process must not be replaced yet, queued requests fail at their deadlines.
    if (this.#current || this.#pauseMs() > 0) return;
    const order = this.#takeMostUrgent();
    if (!order) return;
    if (this.#isBroken) {
      this.#isBroken = false;
      this.#replacedMs = this.#clock.monotonicMs();
    }
    try {
      const job = this.#start(order);
      this.#current = { order, job, cancelHang: this.#clock.after(hangMs, () => this.#killHanging(order)) };
    } catch (error) {
      order.cancelDeadline();
      order.reject(
        error instanceof Fault
          ? error
          : new Fault('InternalServerError', 'No snapshot was made.', { cause: error }),
      );
      this.#next();
    }
  }

  #start(order: Order): FfmpegJob {
    const { track, sample, options } = order;
    let jpeg: Uint8Array | undefined;
    const job = this.#pool.open(
      () => ({
        kind: 'snapshot',
        codec: track.codec,
        config: Buffer.from(track.config).toString('base64'),
        maxWidth: options.maxWidth,
        quality: options.quality,
      }),
      'snapshot',
      {
        message: (message) => {
          if (message.type === 'snapshot') jpeg = Uint8Array.from(message.bytes);
        },
        ended: (fault, words) => {
          this.#current?.cancelHang();
          this.#current = undefined;
          if (fault?.code === 'Unavailable') this.#breakDown();
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

  #takeMostUrgent(): Order | undefined {
    const order = this.#waiting.reduce<Order | undefined>(
      (first, next) => (first && first.dueMs <= next.dueMs ? first : next),
      undefined,
    );
    if (order) this.#waiting.splice(this.#waiting.indexOf(order), 1);
    return order;
  }

  /** For how long no child may be started, ms; 0 if one may be started, or is running. */
  #pauseMs(): number {
    if (!this.#isBroken) return 0;
    return Math.max(0, this.#replacedMs + restartPeriodMs - this.#clock.monotonicMs());
  }

  #breakDown(): void {
    this.#isBroken = true;
    const pauseMs = this.#pauseMs();
    if (pauseMs > 0) this.#clock.after(pauseMs, () => this.#next());
  }

  #killHanging(order: Order): void {
    if (this.#current?.order === order) this.#current.job.kill('a snapshot took too long');
  }

  #expire(order: Order): void {
    order.reject(new Fault('SERVER_NOT_RESPONSE_ERR', 'The snapshot could not be made in time.'));
    const at = this.#waiting.indexOf(order);
    if (at >= 0) this.#waiting.splice(at, 1);
  }
}
