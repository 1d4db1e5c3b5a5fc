import type { Interval } from '../timeline/intervals.ts';
import type { ArchiveAccess } from './archive-access.ts';
import { joinable, fragmentIndexAt, type ArchiveFragment } from './archive-playlist.ts';
import type { PageClock } from '../base/clock.ts';
import { FeedLoop } from './feed-loop.ts';
import type { InitSegment } from './init-segments.ts';
import type { MediaSink } from './media-sink.ts';
import type { AwayReason } from '../base/retry.ts';

/** What follows after everything recorded has been fed. */
export type ArchiveFeedEnd = 'live' | 'nothing';

export interface ArchiveFeedOptions {
  readonly reader: ArchiveAccess;
  readonly sink: MediaSink;
  readonly clock: PageClock;
  readonly fromMs: number;
  /**
   * Only the first frame of each fragment, without audio: for speeds at which this machine can't decode all
   * frames.
   */
  readonly isKeyFramesOnly: boolean;
  /** The playhead, UTC ms. */
  readonly playheadMs: () => number;
  /** Media that the element has left to play, ms. */
  readonly leftMs: () => number;
  readonly speed: () => number;
  /**
   * The viewer wants playback: a viewer who paused right before the edge of the archive is not moved to the
   * live video.
   */
  readonly isPlaying: () => boolean;
  /**
   * The first bytes are appended; playback can begin at `startMs`, which is later than requested if that was in
   * a gap.
   */
  readonly onStart: (startMs: number) => void;
  /**
   * After `nothing` the feed keeps polling, less and less often, until it is closed or `onMore`; `live` is its
   * last event.
   */
  readonly onEnd: (end: ArchiveFeedEnd) => void;
  /** More was recorded after the end, and the feed continues with it. */
  readonly onMore: () => void;
  /** What is unreachable and being retried with growing pauses; undefined: it answers again. */
  readonly onWaiting: (reason: AwayReason | undefined) => void;
  readonly onUnsupported: (codec: string) => void;
  /** Failed for a reason that a retry does not change. */
  readonly onFailed: (error: unknown) => void;
}

/**
 * Each request to the server covers this much, and the first begins a little before the moment for small steps
 * back.
 */
const WINDOW_MS = 10 * 60_000;
const WINDOW_BEFORE_MS = 15_000;
/** Target buffer ahead of the playhead, seconds of playback; and its maximum, ms of media. */
const AHEAD_S = 12;
const AHEAD_MOST_MS = 90_000;
const AFTER_FRAGMENT_MS = 2;
const ROUNDING_MS = 1.5;
const BATCH_BYTES = 6 * 1024 * 1024;
const BATCH_S = 4;
/** Within this of the present the archive still grows: the next request waits until little is left. */
const GROWING_MS = 15_000;
const LITTLE_LEFT_MS = 3000;
const NOTHING_LEFT_MS = 400;
const GROWING_PAUSE_MS = 700;
const GROWTH_LOOKS = 4;
const STANDING_PAUSE_MS = 2000;
/**
 * Playing faster than the archive grows: media that plays in less time than this is not worth another request,
 * and the edge counts as reached.
 */
const EDGE_MS = 1500;
/** Pauses between polls for recordings after the end; the last one repeats. */
const MORE_PAUSES_MS = [2000, 4000, 8000] as const;
const LAST_MORE_PAUSE_MS = 15_000;
/** Key frames are small: this many are requested concurrently. */
const KEYS_AT_ONCE = 8;

/**
 * Feeds the recorded fragments from one moment on into the sink, in order, as far ahead of the playhead as
 * playback needs, until no recording is left. One feed per seek: it is closed when the viewer seeks elsewhere.
 */
export class ArchiveFeed {
  readonly #options: ArchiveFeedOptions;
  readonly #loop: FeedLoop;
  #fragments: readonly ArchiveFragment[] = [];
  #next = 0;
  /** The server has been asked up to here. */
  #knownUntilMs: number;
  /** Media fed and not yet played. */
  #fed: { readonly startMs: number; readonly endMs: number }[] = [];
  #isStarted = false;
  /**
   * Playback faster than the archive grows has reached its edge: the fed media is played, then what follows is
   * decided.
   */
  #isAtEdge = false;

  constructor(options: ArchiveFeedOptions) {
    this.#options = options;
    this.#loop = new FeedLoop(options);
    this.#knownUntilMs = options.fromMs - WINDOW_BEFORE_MS;
    this.#loop.run(() => this.#step());
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
    if (this.#next >= this.#fragments.length)
      return this.#isAtEdge && this.#isFast ? this.#leaveEdge() : this.#extend();
    if (this.#aheadMs() < this.#goalMs()) await this.#feedNext();
    else await this.#loop.untilMoved();
    return true;
  }

  /** Media fed and not yet played, ms; gaps don't count. */
  #aheadMs(): number {
    const playheadMs = this.#options.playheadMs();
    let sumMs = 0;
    this.#fed = this.#fed.filter((fragment) => fragment.endMs > playheadMs - AHEAD_MOST_MS);
    for (const fragment of this.#fed)
      sumMs += Math.max(0, fragment.endMs - Math.max(fragment.startMs, playheadMs));
    return sumMs;
  }

  #goalMs(): number {
    return Math.min(AHEAD_MOST_MS, AHEAD_S * 1000 * Math.max(1, this.#options.speed()));
  }

  #feedNext(): Promise<void> {
    return this.#options.isKeyFramesOnly ? this.#feedKeys() : this.#feedWhole();
  }

  async #feedWhole(): Promise<void> {
    const { reader, speed } = this.#options;
    const batch = this.#isStarted
      ? joinable(this.#fragments, this.#next, {
          durationMs: BATCH_S * 1000 * Math.max(1, speed()),
          bytes: BATCH_BYTES,
        })
      : joinable(this.#fragments, this.#next, { durationMs: 0, bytes: 0 });
    const first = batch[0];
    const last = batch.at(-1);
    if (!first || !last) return;
    const length = last.length === undefined ? undefined : last.offset + last.length - first.offset;
    const [init, bytes] = await Promise.all([
      this.#loop.retry.run((signal) => reader.inits.of(first.init, signal)),
      this.#loop.retry.run((signal) =>
        reader.source.bytes({ url: first.url, offset: first.offset, length }, signal),
      ),
    ]);
    if (this.#loop.isClosed) return;
    this.#next += batch.length;
    // Retention deleted the file after the playlist was read: the fragments after it may still exist.
    if (!bytes || !init) return;
    this.#append(first, last, init, bytes);
  }

  async #feedKeys(): Promise<void> {
    const { reader } = this.#options;
    const batch = this.#fragments.slice(this.#next, this.#next + (this.#isStarted ? KEYS_AT_ONCE : 1));
    const keys = await Promise.all(
      batch.map((fragment) => this.#loop.retry.run((signal) => reader.keys.of(fragment, signal))),
    );
    if (this.#loop.isClosed) return;
    this.#next += batch.length;
    for (const [index, fragment] of batch.entries()) {
      const key = keys[index];
      if (key && !this.#append(fragment, fragment, key.init, key.bytes)) return;
    }
  }

  /** False when this browser can't play it, which closes the feed. */
  #append(first: ArchiveFragment, last: ArchiveFragment, init: InitSegment, bytes: Uint8Array): boolean {
    const { fromMs, onStart } = this.#options;
    if (!this.#loop.append(first.init, init, bytes)) return false;
    this.#fed.push({ startMs: first.startMs, endMs: last.endMs });
    if (this.#isStarted) return true;
    this.#isStarted = true;
    onStart(Math.max(fromMs, first.startMs));
    return true;
  }

  /** The playhead approaches the edge of a growing archive. */
  get #isFast(): boolean {
    return this.#options.speed() > 1;
  }

  /** Requests the next fragments. False when this feed has ended (which it then has reported). */
  async #extend(): Promise<boolean> {
    const { clock, reader } = this.#options;
    const { source } = reader;
    const nowMs = clock.wallMs();
    const isGrowing = this.#knownUntilMs > nowMs - GROWING_MS;
    const speed = Math.max(1, this.#options.speed());
    if (isGrowing && this.#isStarted && this.#options.leftMs() > LITTLE_LEFT_MS * speed) {
      await this.#loop.untilMoved();
      return true;
    }
    const fromMs = this.#knownUntilMs;
    const toMs = Math.max(fromMs + 1, Math.min(nowMs, fromMs + WINDOW_MS));
    const found = await this.#loop.retry.run((signal) => source.playlist(fromMs, toMs, signal));
    if (this.#loop.isClosed) return false;
    const lastMs = this.#fragments.at(-1)?.endMs ?? 0;
    // Answers may begin with the fragment that contains `fromMs`, which ended the last answer.
    const fragments = (found ?? []).filter((fragment) => fragment.endMs > lastMs + 1);
    // One GOP at a time it would follow the present for ever, always one fragment behind.
    const addedMs = fragments.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
    const isAll = toMs >= nowMs;
    this.#isAtEdge =
      isAll && this.#isStarted && this.#isFast && this.#options.leftMs() + addedMs < EDGE_MS * speed;
    if (fragments.length > 0) {
      this.#fragments = fragments;
      this.#next = this.#isStarted ? 0 : firstFragmentFor(fragments, this.#options.fromMs);
      // Slightly after the end, because rounding would return the last fragment again.
      const endMs = (fragments.at(-1)?.endMs ?? toMs) + AFTER_FRAGMENT_MS;
      this.#knownUntilMs = Math.max(endMs, Math.min(toMs, nowMs - GROWING_MS));
      return true;
    }
    return this.#afterNothing(toMs, nowMs);
  }

  /** The server has no fragment between the last one and `toMs`. */
  async #afterNothing(toMs: number, nowMs: number): Promise<boolean> {
    const { reader, onEnd } = this.#options;
    const { source } = reader;
    if (toMs < nowMs - GROWING_MS) {
      const next = await this.#loop.retry.run((signal) => source.nextPlayable(toMs, signal));
      if (this.#loop.isClosed) return false;
      if (next?.kind === 'fragment') {
        // A stretch that the ranges list and the playlist lacks is skipped one window at a time.
        this.#knownUntilMs = Math.max(toMs, next.startMs);
        return true;
      }
      if (!next) return this.#awaitMore(toMs);
      onEnd('live');
      return false;
    }
    if (this.#isAtEdge) return true;
    const leftMs = this.#options.leftMs();
    if (this.#isStarted && leftMs > NOTHING_LEFT_MS) {
      await this.#loop.retry.pause(Math.min(GROWING_PAUSE_MS, leftMs / Math.max(1, this.#options.speed())));
      return true;
    }
    return this.#passEnd();
  }

  /** Waits until everything fed has been played. False when this feed has ended. */
  async #leaveEdge(): Promise<boolean> {
    if (this.#options.leftMs() <= NOTHING_LEFT_MS) return this.#passEnd();
    await this.#loop.untilMoved();
    return true;
  }

  /**
   * All known media has been played: what was recorded since counts as the present if live video follows it.
   * False when this feed has ended.
   */
  async #passEnd(): Promise<boolean> {
    const { reader, isPlaying, onEnd } = this.#options;
    const { source } = reader;
    const endMs = this.#knownUntilMs;
    const next = await this.#loop.retry.run((signal) => source.nextPlayable(endMs, signal));
    if (this.#loop.isClosed) return false;
    if (!next) return this.#awaitMore(endMs);
    const isLive = next.kind === 'live' || (this.#isStarted && (await this.#growsInto(next)));
    if (this.#loop.isClosed) return false;
    if (isLive && (isPlaying() || !this.#isStarted)) {
      onEnd('live');
      return false;
    }
    // Another recording has begun, or the viewer has paused here.
    this.#isAtEdge = false;
    await this.#loop.retry.pause(isPlaying() ? GROWING_PAUSE_MS : STANDING_PAUSE_MS);
    return true;
  }

  /**
   * Nothing follows the end until a camera or a server comes back. False when live video follows, or the feed
   * was closed.
   */
  async #awaitMore(endMs: number): Promise<boolean> {
    const { reader, isPlaying, onEnd, onMore } = this.#options;
    onEnd('nothing');
    for (let looks = 0; ; looks++) {
      await this.#loop.retry.pause(MORE_PAUSES_MS[looks] ?? LAST_MORE_PAUSE_MS);
      if (this.#loop.isClosed) return false;
      const next = await this.#loop.retry.run((signal) => reader.source.nextPlayable(endMs, signal));
      if (this.#loop.isClosed) return false;
      if (!next || !isPlaying()) continue;
      if (next.kind === 'live') {
        onEnd('live');
        return false;
      }
      this.#isAtEdge = false;
      this.#knownUntilMs = Math.max(endMs, next.startMs - WINDOW_BEFORE_MS);
      onMore();
      return true;
    }
  }

  /** Whether an interval is only what was recorded since the last request, with live video after it. */
  async #growsInto(next: Interval): Promise<boolean> {
    const endMs = this.#knownUntilMs;
    // A network outage leaves a longer stretch, which is worth playing.
    const mostMs = this.#isFast ? GROWING_MS : LITTLE_LEFT_MS;
    let then: Interval | undefined = next;
    // It may grow between two answers.
    for (let looks = 0; looks < GROWTH_LOOKS && then?.kind === 'fragment'; looks++) {
      if (then.startMs > endMs || then.endMs - endMs > mostMs) return false;
      const fromMs: number = then.endMs;
      then = await this.#loop.retry.run((signal) => this.#options.reader.source.nextPlayable(fromMs, signal));
    }
    return then?.kind === 'live';
  }
}

/**
 * The fragment to begin with so that the frame of a moment is certainly in it: times in a playlist are rounded,
 * and at the very start of a fragment the moment may belong to the previous one.
 */
function firstFragmentFor(fragments: readonly ArchiveFragment[], ms: number): number {
  const index = fragmentIndexAt(fragments, ms);
  const before = fragments[index - 1];
  const here = fragments[index];
  if (!before || !here) return index;
  const isJoined = here.startMs - before.endMs < ROUNDING_MS;
  return isJoined && ms - before.endMs < ROUNDING_MS ? index - 1 : index;
}
