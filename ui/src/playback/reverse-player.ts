import { ApiError } from '@vidette/contract/client';
import type { ArchiveAccess } from './archive-access.ts';
import { BackwardFeed } from './backward-feed.ts';
import type { Disposer, PageClock } from '../base/clock.ts';
import { spanAt, type MediaElement } from './media-element.ts';
import type { MediaSink } from './media-sink.ts';
import type { AwayReason } from '../base/retry.ts';
import type { Notice, PlayerState } from './state.ts';

export interface ReversePlayerOptions {
  readonly video: MediaElement;
  readonly sink: MediaSink;
  readonly clock: PageClock;
  readonly reader: ArchiveAccess;
  /** Greater than 0. */
  readonly speed: number;
  readonly onState: (state: PlayerState) => void;
  readonly onNotice: (notice: Notice) => void;
  /** Whether only key frames are shown: called on each change. */
  readonly onKeyFramesOnly: (isKeyFramesOnly: boolean) => void;
}

/** Shortest interval between frames, ms. */
const FRAME_MS = 33;
/** Each step back decodes from the frame's key frame on: from this speed on only key frames are shown. */
const KEY_FRAMES_FROM_SPEED = 4;
/** If seeks take longer than this on average, the fragments are too long to be decoded repeatedly. */
const SLOW_SEEK_MS = 250;
const SEEKS_COUNTED = 6;
const KEEP_AHEAD_S = 10;
const TRIM_ABOVE_S = 30;
/** Shorter gaps are skipped without a notice. */
const NOTICED_GAP_MS = 1000;
/** Just before a moment, within the previous frame. */
const BEFORE_S = 0.005;

/**
 * Plays recordings backwards. A media element can't, so it stays paused and is moved back by seeks from frame
 * to frame, each after the previous one is on screen: the clock stays right however many frames the machine
 * manages. Doesn't own video or sink.
 */
export class ReversePlayer {
  readonly #options: ReversePlayerOptions;
  #feed: BackwardFeed | undefined;
  #speed: number;
  #isKeyFramesOnly = false;
  /** The reference for the next frame's moment; undefined while the clock is stopped. */
  #from: { readonly utcMs: number; readonly monotonicMs: number } | undefined;
  #shownMs: number;
  #isStarted = false;
  #hasFrame = false;
  #hasEnd = false;
  #away: AwayReason | undefined;
  #isPaused = false;
  #isStopped = false;
  #seek: { readonly sinceMs: number } | undefined;
  #seekTimesMs: number[] = [];
  #cancelNext: Disposer | undefined;

  constructor(options: ReversePlayerOptions, fromMs: number) {
    this.#options = options;
    this.#speed = options.speed;
    this.#shownMs = fromMs;
    options.onState({ name: 'connecting' });
    options.video.pause();
    this.#begin(fromMs);
  }

  /** The moment on screen, UTC ms. */
  get utcMs(): number {
    return this.#shownMs;
  }

  setSpeed(speed: number): void {
    this.#speed = speed;
    this.#count();
    if (this.#isKeyFramesOnly !== this.#wantsKeyFrames()) this.#begin(this.#shownMs);
  }

  setPaused(isPaused: boolean): void {
    if (this.#isStopped) return;
    this.#isPaused = isPaused;
    this.#from = undefined;
    if (isPaused) this.#options.onState({ name: 'paused' });
    else this.#next();
  }

  /** Called several times a second, and when the element has reached a frame. */
  tick(): void {
    if (this.#isStopped || !this.#isStarted) return;
    const { video, sink, clock } = this.#options;
    if (this.#seek && !video.seeking && video.readyState >= 2) {
      this.#seekTimesMs.push(clock.monotonicMs() - this.#seek.sinceMs);
      this.#seek = undefined;
      this.#hasFrame = true;
      this.#shownMs = video.currentTime * 1000;
      this.#feed?.moved();
      if (this.#isTooSlow()) {
        this.#begin(this.#shownMs);
        return;
      }
    }
    const newest = sink.spans.at(-1);
    if (newest && newest.end - video.currentTime > TRIM_ABOVE_S) {
      sink.remove(video.currentTime + KEEP_AHEAD_S, Infinity);
    }
    if (!this.#seek) this.#next();
  }

  /** Everything appended was lost; starts again at the same moment. */
  onSinkBroken(): void {
    if (!this.#isStopped) this.#begin(this.#shownMs);
  }

  /** The element stays paused in this mode; its play events are ignored. */
  onPlaying(): void {}

  onStalled(): void {}

  /** Network back: a pause between retries ends now. */
  wake(): void {
    this.#feed?.wake();
  }

  /** Idempotent. */
  dispose(): void {
    this.#isStopped = true;
    this.#cancelNext?.();
    this.#feed?.close();
    this.#feed = undefined;
  }

  #wantsKeyFrames(): boolean {
    return this.#speed >= KEY_FRAMES_FROM_SPEED || this.#isSlow();
  }

  #isSlow(): boolean {
    const times = this.#seekTimesMs.slice(-SEEKS_COUNTED);
    return (
      times.length === SEEKS_COUNTED && times.reduce((sum, ms) => sum + ms, 0) > SEEKS_COUNTED * SLOW_SEEK_MS
    );
  }

  #isTooSlow(): boolean {
    return !this.#isKeyFramesOnly && this.#isSlow();
  }

  #begin(utcMs: number): void {
    const { sink, reader, clock, onKeyFramesOnly } = this.#options;
    this.#feed?.close();
    this.#isKeyFramesOnly = this.#wantsKeyFrames();
    onKeyFramesOnly(this.#isKeyFramesOnly);
    this.#isStarted = false;
    this.#hasEnd = false;
    this.#seek = undefined;
    this.#from = undefined;
    this.#feed = new BackwardFeed({
      reader,
      sink,
      clock,
      fromMs: utcMs,
      playheadMs: () => this.#shownMs,
      speed: () => this.#speed,
      isKeyFramesOnly: this.#isKeyFramesOnly,
      onStart: (startMs) => this.#start(startMs),
      onEnd: () => {
        this.#hasEnd = true;
        if (!this.#isStarted) this.#stop({ name: 'ended' });
        else this.tick();
      },
      onWaiting: (reason) => {
        this.#away = reason;
        this.#report();
      },
      onUnsupported: (codec) => this.#stop({ name: 'unsupported', codec }),
      onFailed: (error) =>
        this.#stop({ name: 'failed', code: error instanceof ApiError ? error.code : 'SERVER_UNKNOWN_ERR' }),
    });
  }

  #start(startMs: number): void {
    this.#isStarted = true;
    this.#goTo(startMs / 1000);
  }

  #goTo(seconds: number): void {
    const { video, clock } = this.#options;
    this.#seek = { sinceMs: clock.monotonicMs() };
    video.currentTime = seconds;
  }

  /** Restarts the time reference from here. */
  #count(): void {
    this.#from = { utcMs: this.#shownMs, monotonicMs: this.#options.clock.monotonicMs() };
  }

  /** Seeks to the frame that is due now, or waits until one is. */
  #next(): void {
    this.#cancelNext?.();
    if (this.#isPaused || this.#isStopped || this.#seek || !this.#isStarted) return;
    const { sink, clock, video } = this.#options;
    if (!this.#from) this.#count();
    const from = this.#from ?? { utcMs: this.#shownMs, monotonicMs: 0 };
    const elapsedMs = clock.monotonicMs() - from.monotonicMs;
    const dueS = (from.utcMs - elapsedMs * this.#speed) / 1000;
    if (dueS * 1000 > this.#shownMs - FRAME_MS * this.#speed) {
      this.#cancelNext = clock.after(FRAME_MS, () => this.#next());
      return;
    }
    const spans = sink.spans;
    if (spans.some(({ start, end }) => dueS >= start && dueS < end)) {
      this.#goTo(dueS);
      this.#report();
      return;
    }
    const hereS = spanAt(spans, video.currentTime)?.start ?? video.currentTime;
    const earlier = spans.findLast((span) => span.end < hereS);
    if (earlier && dueS < hereS) {
      // The stretch between the two is not recorded.
      const gapEndMs = hereS * 1000;
      if (gapEndMs - earlier.end * 1000 >= NOTICED_GAP_MS) {
        this.#options.onNotice({ type: 'gap', startMs: earlier.end * 1000, endMs: gapEndMs });
      }
      this.#from = undefined;
      this.#goTo(earlier.end - BEFORE_S);
      this.#report();
      return;
    }
    // The clock stops until more media is fed.
    this.#from = undefined;
    if (this.#hasEnd) this.#stop({ name: 'ended' });
    else {
      this.#feed?.moved();
      this.#report();
    }
  }

  #stop(state: PlayerState): void {
    this.dispose();
    this.#options.onState(state);
  }

  #report(): void {
    if (this.#isStopped || this.#isPaused) return;
    const { onState } = this.#options;
    if (this.#from && this.#hasFrame) onState({ name: 'playing' });
    else if (this.#away) onState({ name: 'waiting', reason: this.#away });
    else onState({ name: this.#hasFrame ? 'buffering' : 'connecting' });
  }
}
