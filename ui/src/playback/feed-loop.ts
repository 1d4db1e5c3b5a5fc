import { Retry, type AwayReason } from '../base/retry.ts';
import type { PageClock } from '../base/clock.ts';
import type { ByteSpan } from './archive-playlist.ts';
import { codecName, codecsOf } from './codec-name.ts';
import { keyOf, type InitSegment } from './init-segments.ts';
import type { MediaSink } from './media-sink.ts';

export interface FeedLoopOptions {
  readonly sink: MediaSink;
  readonly clock: PageClock;
  readonly onWaiting: (reason: AwayReason | undefined) => void;
  readonly onUnsupported: (codec: string) => void;
  readonly onFailed: (error: unknown) => void;
}

/**
 * What a feed of recorded fragments does in either direction: it clears the sink, waits for the playhead, retries
 * requests, and appends fragments with the init segments that they need, until it is closed.
 */
export class FeedLoop {
  readonly retry: Retry;
  readonly #options: FeedLoopOptions;
  readonly #abort = new AbortController();
  #initInUse: string | undefined;
  #wakeUp: (() => void) | undefined;

  constructor(options: FeedLoopOptions) {
    const { clock, onWaiting } = options;
    this.#options = options;
    this.retry = new Retry({ clock, signal: this.#abort.signal, onWaiting });
  }

  get isClosed(): boolean {
    return this.#abort.signal.aborted;
  }

  /** Calls `step` again and again until it resolves with false, or the loop is closed. */
  run(step: () => Promise<boolean>): void {
    this.#run(step).catch((error: unknown) => {
      if (!this.isClosed) this.#options.onFailed(error);
    });
  }

  /** The playhead moved: more media may be needed. */
  moved(): void {
    this.#wakeUp?.();
  }

  /** Resolves when the playhead has moved, or the loop is closed. */
  untilMoved(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeUp = () => {
        this.#wakeUp = undefined;
        resolve();
      };
    });
  }

  /**
   * Appends the bytes of one or more fragments after the init segment at `span`, if it is not in use already.
   * False when this browser can't play them, which closes the loop.
   */
  append(span: ByteSpan, init: InitSegment, bytes: Uint8Array): boolean {
    const { sink, onUnsupported } = this.#options;
    if (!sink.isSupported(init.mimeType)) {
      this.close();
      onUnsupported(codecName(codecsOf(init.mimeType)[0] ?? init.mimeType));
      return false;
    }
    if (this.#initInUse !== keyOf(span)) {
      this.#initInUse = keyOf(span);
      sink.setType(init.mimeType);
      sink.append(init.bytes);
    }
    sink.append(bytes);
    return true;
  }

  /** Idempotent; nothing is appended afterwards. */
  close(): void {
    this.#abort.abort();
    this.#wakeUp?.();
    this.retry.wake();
  }

  async #run(step: () => Promise<boolean>): Promise<void> {
    await this.#options.sink.clear();
    while (!this.isClosed && (await step()));
  }
}
