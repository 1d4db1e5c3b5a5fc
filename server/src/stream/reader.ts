import type { Sample } from '@vidette/media/sample';
import type { Track } from '@vidette/media/track';

/** What a reader takes out of its queue, in the order in which it happened. */
export type ReaderEvent =
  /** Decoder parameters: first of all, and again whenever they change. The next video sample is a key frame. */
  | { readonly type: 'tracks'; readonly generation: number; readonly tracks: readonly Track[] }
  | { readonly type: 'sample'; readonly sample: Sample }
  /** The reader was too slow: `samples` were left out; what follows starts at a key frame. */
  | { readonly type: 'skipped'; readonly samples: number }
  /** The source went away (it may come back: `tracks` follows then). Whoever holds an open GOP closes it. */
  | { readonly type: 'pause'; readonly cause: PauseCause }
  /** The stream itself is gone; nothing follows. */
  | { readonly type: 'end'; readonly cause: string };

/** Why no frames come, kept beside the gap it makes in the archive. */
export type PauseCause =
  'unreachable' | 'no-frames' | 'stopped' | 'paused' | 'source-changed' | 'idle' | 'damaged' | 'ended';

export interface ReaderOptions {
  /** For logs and statistics: 'archive', 'live', 'hls', 'motion'. */
  readonly name: string;
  /** Most bytes that may wait in the queue; over it the queue is emptied and reading resumes at a key frame. */
  readonly maxBytes: number;
  /** Start with the GOP so far (a key frame at once) or only with what comes from now on. */
  readonly from: 'gop' | 'next-key';
  /** Called when the queue goes from empty to not empty; the reader then takes until `undefined`. */
  readonly onReadable: () => void;
}

const eventBytes = 64;

/**
 * A bounded queue between the one writer of a stream and one slow or quick consumer.
 * The writer never waits: when the consumer lags past `maxBytes` all that waits is dropped, counted,
 * and the consumer is told by a `skipped` event before the key frame at which it goes on.
 */
export class Reader {
  readonly name: string;
  readonly #maxBytes: number;
  readonly #onReadable: () => void;
  readonly #onClose: (reader: Reader) => void;
  #queue: ReaderEvent[] = [];
  #head = 0;
  #bytes = 0;
  #skipping: { samples: number } | undefined;
  #awaitsKey = false;
  #closed = false;
  #skippedTotal = 0;

  constructor(options: ReaderOptions, onClose: (reader: Reader) => void) {
    this.name = options.name;
    this.#maxBytes = options.maxBytes;
    this.#onReadable = options.onReadable;
    this.#onClose = onClose;
  }

  /** The next event, or undefined when the queue is empty. */
  take(): ReaderEvent | undefined {
    const event = this.#queue[this.#head];
    if (!event) return undefined;
    this.#head++;
    this.#bytes -= bytesOf(event);
    if (this.#head === this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
    } else if (this.#head > 1024) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
    return event;
  }

  /** Samples left out so far because this reader was too slow. */
  get skippedSamples(): number {
    return this.#skippedTotal;
  }

  get queuedBytes(): number {
    return this.#bytes;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Leaves the stream; idempotent. What still waits is forgotten. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#queue = [];
    this.#head = 0;
    this.#bytes = 0;
    this.#onClose(this);
  }

  /** Called by the stream only: what comes before the next key frame is not for this reader. */
  awaitKey(): void {
    this.#awaitsKey = true;
  }

  /** Called by the stream only. */
  offer(event: ReaderEvent, isKeyPoint: boolean): void {
    if (this.#closed) return;
    if (event.type !== 'sample') {
      this.#push(event);
      return;
    }
    if (this.#awaitsKey) {
      if (!isKeyPoint) return;
      this.#awaitsKey = false;
    }
    if (this.#skipping) {
      if (!isKeyPoint || this.#bytes > this.#maxBytes / 2) {
        this.#countSkip(1);
        return;
      }
      this.#push({ type: 'skipped', samples: this.#skipping.samples });
      this.#skipping = undefined;
    } else if (this.#bytes + bytesOf(event) > this.#maxBytes) {
      this.#dropWaitingSamples();
      this.#countSkip(1);
      return;
    }
    this.#push(event);
  }

  #push(event: ReaderEvent): void {
    const wasEmpty = this.#queue.length === this.#head;
    this.#queue.push(event);
    this.#bytes += bytesOf(event);
    if (wasEmpty) this.#onReadable();
  }

  /** Drops the samples that wait but keeps what the consumer must know: parameters, pauses, the end. */
  #dropWaitingSamples(): void {
    const kept: ReaderEvent[] = [];
    let dropped = 0;
    for (const event of this.#queue.slice(this.#head)) {
      if (event.type === 'sample') dropped++;
      else if (event.type === 'skipped') dropped += event.samples;
      else kept.push(event);
    }
    this.#queue = kept;
    this.#head = 0;
    this.#bytes = kept.length * eventBytes;
    this.#skipping = { samples: 0 };
    this.#countSkip(dropped);
  }

  #countSkip(samples: number): void {
    this.#skipping ??= { samples: 0 };
    this.#skipping.samples += samples;
    this.#skippedTotal += samples;
  }
}

function bytesOf(event: ReaderEvent): number {
  return event.type === 'sample' ? event.sample.size + eventBytes : eventBytes;
}
