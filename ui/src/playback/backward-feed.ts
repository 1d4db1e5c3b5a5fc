import type { ArchiveAccess } from './archive-access.ts';
import type { ArchiveFragment } from './archive-playlist.ts';
import type { PageClock } from '../base/clock.ts';
import { FeedLoop } from './feed-loop.ts';
import type { InitSegment } from './init-segments.ts';
import type { MediaSink } from './media-sink.ts';
import type { AwayReason } from '../base/retry.ts';

export interface BackwardFeedOptions {
  readonly reader: ArchiveAccess;
  readonly sink: MediaSink;
  readonly clock: PageClock;
  readonly fromMs: number;
  /** The playhead, UTC ms. */
  readonly playheadMs: () => number;
  readonly speed: () => number;
  /** Only the first frame of each fragment. */
  readonly isKeyFramesOnly: boolean;
  /** The first bytes are appended; playback can begin at `startMs`. */
  readonly onStart: (startMs: number) => void;
  /** The archive's beginning is in the sink. */
  readonly onEnd: () => void;
  readonly onWaiting: (reason: AwayReason | undefined) => void;
  readonly onUnsupported: (codec: string) => void;
  readonly onFailed: (error: unknown) => void;
}

/** Target buffer behind the playhead, seconds of playback; and its maximum, ms of media. */
const BEHIND_S = 6;
const BEHIND_MOST_MS = 60_000;
/** The last frame of a fragment begins at least this long before its end. */
const LAST_FRAME_MS = 5;

/**
 * Feeds the recorded fragments before one moment into the sink, newest first, as far back as reverse playback
 * needs.
 */
export class BackwardFeed {
  readonly #options: BackwardFeedOptions;
  readonly #loop: FeedLoop;
  #beforeMs: number;
  /** Media fed and not yet played. */
  #fed: { readonly startMs: number; readonly endMs: number }[] = [];
  #isStarted = false;
  #hasEnded = false;

  constructor(options: BackwardFeedOptions) {
    this.#options = options;
    this.#beforeMs = options.fromMs + 1;
    this.#loop = new FeedLoop(options);
    this.#loop.run(() => this.#step());
  }

  /** The first bytes are appended. */
  get isStarted(): boolean {
    return this.#isStarted;
  }

  /** The archive's beginning is in the sink. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The playhead moved: more media may be needed. */
  moved(): void {
    this.#loop.moved();
  }

  /** The network is back: a pause between retries ends now. */
  wake(): void {
    this.#loop.retry.wake();
  }

  /** Idempotent; nothing is appended afterwards. */
  close(): void {
    this.#loop.close();
  }

  /** False when this feed has ended. */
  async #step(): Promise<boolean> {
    const { reader, onEnd } = this.#options;
    if (this.#behindMs() >= this.#goalMs()) {
      await this.#loop.untilMoved();
      return true;
    }
    const fragment = await this.#loop.retry.run((signal) => reader.fragments.before(this.#beforeMs, signal));
    if (this.#loop.isClosed) return false;
    if (!fragment) {
      this.#hasEnded = true;
      onEnd();
      return false;
    }
    await this.#feed(fragment);
    this.#beforeMs = fragment.startMs;
    return true;
  }

  async #feed(fragment: ArchiveFragment): Promise<void> {
    const { reader, isKeyFramesOnly } = this.#options;
    if (isKeyFramesOnly) {
      const key = await this.#loop.retry.run((signal) => reader.keys.of(fragment, signal));
      if (key) this.#append(fragment, key.init, key.bytes);
      return;
    }
    const [init, bytes] = await Promise.all([
      this.#loop.retry.run((signal) => reader.inits.of(fragment.init, signal)),
      this.#loop.retry.run((signal) => reader.source.bytes(fragment, signal)),
    ]);
    if (init && bytes) this.#append(fragment, init, bytes);
  }

  #append(fragment: ArchiveFragment, init: InitSegment, bytes: Uint8Array): void {
    if (this.#loop.isClosed || !this.#loop.append(fragment.init, init, bytes)) return;
    const { fromMs, onStart } = this.#options;
    this.#fed.push({ startMs: fragment.startMs, endMs: fragment.endMs });
    if (this.#isStarted) return;
    this.#isStarted = true;
    onStart(Math.min(fromMs, fragment.endMs - LAST_FRAME_MS));
  }

  /** Media fed and not yet played, ms; gaps don't count. */
  #behindMs(): number {
    const playheadMs = this.#options.playheadMs();
    this.#fed = this.#fed.filter((fragment) => fragment.startMs < playheadMs);
    return this.#fed.reduce(
      (sum, fragment) => sum + Math.min(fragment.endMs, playheadMs) - fragment.startMs,
      0,
    );
  }

  #goalMs(): number {
    return Math.min(BEHIND_MOST_MS, BEHIND_S * 1000 * Math.max(1, this.#options.speed()));
  }
}
