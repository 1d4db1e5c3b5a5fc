import type { Sample } from '@vidette/media/sample';
import { holdSample, keepSample } from '@vidette/media/sample-block';
import { type ByteTally, bytesOf, eventBytes, EventQueue } from './event-queue.ts';
import type { ReaderEvent } from './reader-event.ts';

export type { PauseCause, ReaderEvent } from './reader-event.ts';

/** A limit that several readers share, beside their own. */
export interface SharedLimit extends ByteTally {
  /** Called after a queue has grown. May shorten the queues of any of these readers. */
  enforce(): void;
}

export interface ReaderOptions {
  /** For logs and statistics: 'archive', 'live', 'hls', 'motion'. */
  readonly name: string;
  /** Queue limit in bytes; beyond it the queue is emptied and reading resumes at a key frame. */
  readonly maxBytes: number;
  /**
   * Starts with the GOP so far (a key frame immediately), only with new samples, or with these events, which end with
   * the newest one of the stream.
   */
  readonly from: 'gop' | 'next-key' | readonly ReaderEvent[];
  /** Accepts samples a quarter of a second late and in batches, which are cheaper to receive. Default false. */
  readonly toleratesLatency?: boolean | undefined;
  /** Its samples are recorded. Default false. */
  readonly isRecorder?: boolean | undefined;
  /**
   * What it does with the data of its samples. `keeps`: reads them at any time. `releases`: reads them until it has called
   * `releaseSample`, once for each sample that it has taken. `ignores`: never reads them. Default `keeps`.
   */
  readonly data?: DataUse | undefined;
  readonly sharedLimit?: SharedLimit;
  /**
   * Called when the queue goes from empty to not empty; the reader then takes events until `undefined`. Runs
   * inside the writer's call, so it must be short and must not throw; for events that are queued from the start
   * it is called a microtask after `addReader` has returned.
   */
  readonly onReadable: () => void;
}

type DataUse = 'keeps' | 'releases' | 'ignores';

/**
 * A bounded queue between the one writer of a stream and one consumer, slow or fast.
 * The writer never waits: when the consumer lags past `maxBytes`, all queued samples are dropped and counted,
 * and the consumer gets a `skipped` event before the key frame at which it resumes.
 */
export class Reader {
  readonly #role: Pick<ReaderOptions, 'name' | 'toleratesLatency' | 'isRecorder' | 'data'>;
  readonly #maxBytes: number;
  readonly #onReadable: () => void;
  readonly #onClose: (reader: Reader) => void;
  readonly #queue: EventQueue;
  readonly #sharedLimit: SharedLimit | undefined;
  #skipping: { samples: number } | undefined;
  #awaitsKey = false;
  #isAnnounced = false;
  #closed = false;
  #skippedTotal = 0;

  constructor(options: ReaderOptions, onClose: (reader: Reader) => void) {
    const { name, toleratesLatency, isRecorder, data } = options;
    this.#role = { name, toleratesLatency, isRecorder, data };
    this.#maxBytes = options.maxBytes;
    this.#sharedLimit = options.sharedLimit;
    this.#queue = new EventQueue(options.sharedLimit);
    this.#onReadable = options.onReadable;
    this.#onClose = onClose;
  }

  get name(): string {
    return this.#role.name;
  }

  get toleratesLatency(): boolean {
    return this.#role.toleratesLatency ?? false;
  }

  get isRecorder(): boolean {
    return this.#role.isRecorder ?? false;
  }

  /** The next event, or undefined when the queue is empty. */
  take(): ReaderEvent | undefined {
    return this.#queue.take();
  }

  /** Samples dropped so far because this reader was too slow. */
  get skippedSamples(): number {
    return this.#skippedTotal;
  }

  get queuedBytes(): number {
    return this.#queue.bytes;
  }

  /** Number of GOPs that begin in the queue: a measure of the consumer's lag. */
  get waitingGops(): number {
    return this.#queue.gops;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Leaves the stream; idempotent. Queued events are discarded. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#queue.replace([]);
    this.#onClose(this);
  }

  /**
   * Drops queued samples before the newest GOP, for a consumer whose own limit is time rather than bytes.
   * Reading resumes at a key frame, after a `skipped` event that counts the dropped samples.
   * @returns their number
   */
  skipToNewestGop(): number {
    const { waiting } = this.#queue;
    const newest = waiting.findLastIndex((event) => event.type === 'sample' && event.startsGop);
    if (newest < 0) return 0;
    const { kept, samples, lostBefore } = withoutSamples(waiting.slice(0, newest));
    if (samples === 0) return 0;
    this.#skippedTotal += samples;
    this.#queue.replace([
      ...kept,
      { type: 'skipped', samples: samples + lostBefore },
      ...waiting.slice(newest),
    ]);
    return samples;
  }

  /** Drops all queued samples; reading resumes at the next key frame to arrive. @returns their number */
  skipAll(): number {
    const before = this.#skippedTotal;
    this.#dropWaitingSamples();
    return this.#skippedTotal - before;
  }

  /** Called by the stream only: this reader gets no samples before the next key frame. */
  awaitKey(): void {
    this.#awaitsKey = true;
  }

  /** Called by the stream only: announces events queued before the consumer received the reader. */
  announceWaiting(): void {
    this.#isAnnounced = true;
    queueMicrotask(() => {
      if (!this.#queue.isEmpty) this.#onReadable();
    });
  }

  /** Called by the stream only. */
  offer(event: ReaderEvent): void {
    if (this.#closed) return;
    this.#accept(event);
    this.#sharedLimit?.enforce();
  }

  #accept(event: ReaderEvent): void {
    if (event.type !== 'sample') {
      // A source that keeps reconnecting must not fill the queue of a stuck consumer.
      if (this.#queue.bytes + eventBytes > this.#maxBytes) this.#dropWaitingSamples();
      this.#push(event);
      return;
    }
    if (this.#awaitsKey) {
      if (!event.startsGop) return;
      this.#awaitsKey = false;
    }
    if (!this.#skipping && this.#queue.bytes + bytesOf(event) > this.#maxBytes) this.#dropWaitingSamples();
    if (this.#skipping) {
      if (!event.startsGop || this.#queue.bytes > this.#maxBytes / 2) {
        this.#skipping.samples++;
        this.#skippedTotal++;
        return;
      }
      const { samples } = this.#skipping;
      this.#skipping = undefined;
      if (samples > 0) this.#push({ type: 'skipped', samples });
    }
    this.#push(event);
  }

  #push(event: ReaderEvent): void {
    if (event.type === 'sample') this.#secure(event.sample);
    const wasEmpty = this.#queue.isEmpty;
    this.#queue.push(event);
    if (wasEmpty && this.#isAnnounced) this.#onReadable();
  }

  /** What is dropped from the queue later is not released: the garbage collector finds it. */
  #secure(sample: Sample): void {
    const { data = 'keeps' } = this.#role;
    if (data === 'keeps') keepSample(sample);
    else if (data === 'releases') holdSample(sample);
  }

  /** Empties the queue except for events the consumer needs; drops new samples until a key frame. */
  #dropWaitingSamples(): void {
    const { kept, samples, lostBefore } = withoutSamples(this.#queue.waiting);
    this.#queue.replace(kept);
    this.#skippedTotal += samples;
    this.#skipping = { samples: samples + lostBefore + (this.#skipping?.samples ?? 0) };
  }
}

/**
 * The dropped events that the consumer still needs: the newest parameters, and whether the source paused or
 * ended after them. Also how many samples are lost, including earlier losses not yet reported to the consumer.
 */
function withoutSamples(events: readonly ReaderEvent[]): {
  kept: ReaderEvent[];
  samples: number;
  lostBefore: number;
} {
  let kept: ReaderEvent[] = [];
  let samples = 0;
  let lostBefore = 0;
  for (const event of events) {
    if (event.type === 'sample') samples++;
    else if (event.type === 'skipped') lostBefore += event.samples;
    else if (event.type === 'tracks') kept = [event];
    else kept = [...kept.filter(({ type }) => type === 'tracks'), event];
  }
  return { kept, samples, lostBefore };
}
