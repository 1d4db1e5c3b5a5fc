import { ApiError } from '@vidette/contract/client';
import type { ArchiveAccess } from './archive-access.ts';
import { BackwardFeed } from './backward-feed.ts';
import type { Disposer } from '../base/clock.ts';
import { spanAt } from './media-element.ts';
import type { Playback, PlaybackParts } from './playback.ts';
import type { AwayReason } from '../base/retry.ts';
import { SeekTimes } from './seek-times.ts';
import type { Notice, PlayerState } from './state.ts';

export interface ReversePlaybackOptions extends PlaybackParts {
  readonly reader: ArchiveAccess;
  readonly fromMs: number;
  readonly speed: number;
  readonly onNotice: (notice: Notice) => void;
  /** Whether only key frames are shown: called on each change. */
  readonly onKeyFramesOnly: (isKeyFramesOnly: boolean) => void;
}

/** Shortest interval between frames, ms. */
const FRAME_MS = 33;
/** Each step back decodes from the frame's key frame on: from this speed on only key frames are shown. */
const KEY_FRAMES_FROM_SPEED = 4;
const KEEP_AHEAD_S = 10;
const TRIM_ABOVE_S = 30;
/** Shorter gaps are skipped without a notice. */
const NOTICED_GAP_MS = 1000;
/** Just before a moment, within the previous frame. */
const BEFORE_S = 0.005;

/**
 * Plays recordings backwards. A media element can't, so it stays paused and is moved back by seeks from frame
 * to frame, each after the previous one is on screen: the clock stays right however many frames the machine
 * manages.
 */
export class ReversePlayback implements Playback {
  readonly #options: ReversePlaybackOptions;
  #feed: BackwardFeed | undefined;
  #speed: number;
  #isKeyFramesOnly = false;
  /** The reference for the next frame's moment; undefined while the clock is stopped. */
  #from: { readonly utcMs: number; readonly monotonicMs: number } | undefined;
  #shownMs: number;
  #hasFrame = false;
  #away: AwayReason | undefined;
  #isPaused = false;
  #isStopped = false;
  readonly #seeks: SeekTimes;
  #cancelNext: Disposer | undefined;

  constructor(options: ReversePlaybackOptions) {
    this.#options = options;
    this.#seeks = new SeekTimes(options.clock);
    this.#speed = options.speed;
    this.#shownMs = options.fromMs;
    options.onState({ name: 'connecting' });
    this.#begin(options.fromMs);
  }

  get playsElement(): boolean {
    return false;
  }

  get utcMs(): number {
    return this.#shownMs;
  }

  get isSeeking(): boolean {
    return false;
  }

  get delayMs(): number | undefined {
    return undefined;
  }

  setSpeed(speed: number): void {
    if (this.#isStopped) return;
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

  /** Elsewhere it begins again, with other measurements. */
  seek(): boolean {
    return false;
  }

  /** Single steps belong to forward playback. */
  step(): boolean {
    return false;
  }

  tick(): void {
    if (this.#isStopped || !this.#feed?.isStarted) return;
    const { video, sink } = this.#options;
    if (this.#seeks.isSeeking && !video.seeking && video.readyState >= 2) {
      this.#seeks.arrive();
      this.#hasFrame = true;
      this.#shownMs = video.currentTime * 1000;
      this.#feed.moved();
      if (!this.#isKeyFramesOnly && this.#seeks.isSlow) {
        this.#begin(this.#shownMs);
        return;
      }
    }
    const newest = sink.spans.at(-1);
    if (newest && newest.end - video.currentTime > TRIM_ABOVE_S) {
      sink.remove(video.currentTime + KEEP_AHEAD_S, Infinity);
    }
    if (!this.#seeks.isSeeking) this.#next();
  }

  /** Starts again at the same moment. */
  onSinkBroken(): void {
    if (!this.#isStopped) this.#begin(this.#shownMs);
  }

  /** The element stays paused in this mode; its play events are ignored. */
  onPlaying(): void {}

  onStalled(): void {}

  wake(): void {
    this.#feed?.wake();
  }

  dispose(): void {
    this.#isStopped = true;
    this.#cancelNext?.();
    this.#feed?.close();
    this.#feed = undefined;
  }

  #wantsKeyFrames(): boolean {
    return this.#speed >= KEY_FRAMES_FROM_SPEED || this.#seeks.isSlow;
  }

  #begin(utcMs: number): void {
    const { sink, reader, clock, onKeyFramesOnly } = this.#options;
    this.#feed?.close();
    this.#isKeyFramesOnly = this.#wantsKeyFrames();
    onKeyFramesOnly(this.#isKeyFramesOnly);
    this.#seeks.abandon();
    this.#from = undefined;
    this.#feed = new BackwardFeed({
      reader,
      sink,
      clock,
      fromMs: utcMs,
      playheadMs: () => this.#shownMs,
      speed: () => this.#speed,
      isKeyFramesOnly: this.#isKeyFramesOnly,
      onStart: (startMs) => this.#goTo(startMs / 1000),
      onEnd: () => {
        if (!this.#feed?.isStarted) this.#stop({ name: 'ended' });
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

  #goTo(seconds: number): void {
    this.#seeks.begin();
    this.#options.video.currentTime = seconds;
  }

  /** Restarts the time reference from here. */
  #count(): void {
    this.#from = { utcMs: this.#shownMs, monotonicMs: this.#options.clock.monotonicMs() };
  }

  /** Seeks to the frame that is due now, or waits until one is. */
  #next(): void {
    this.#cancelNext?.();
    if (this.#isPaused || this.#isStopped || this.#seeks.isSeeking || !this.#feed?.isStarted) return;
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
    if (this.#feed.hasEnded) this.#stop({ name: 'ended' });
    else {
      this.#feed.moved();
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
