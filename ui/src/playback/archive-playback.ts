import { ApiError } from '@vidette/contract/client';
import { ArchiveFeed, type ArchiveFeedEnd } from './archive-feed.ts';
import type { ArchiveAccess } from './archive-access.ts';
import type { DecodingBudget } from './decoding-budget.ts';
import { frameBeside } from './frame-step.ts';
import { spanAt } from './media-element.ts';
import type { Playback, PlaybackParts } from './playback.ts';
import type { AwayReason } from '../base/retry.ts';
import type { Notice, PlayerState } from './state.ts';

export interface ArchivePlaybackOptions extends PlaybackParts {
  readonly reader: ArchiveAccess;
  readonly fromMs: number;
  readonly speed: number;
  readonly onNotice: (notice: Notice) => void;
  /** The speeds at which this machine can show all frames; shared by successive players of one stream. */
  readonly budget: DecodingBudget;
  /** Whether only key frames are shown: called on each change. */
  readonly onKeyFramesOnly: (isKeyFramesOnly: boolean) => void;
  /** Everything recorded has been played and the next interval is live (R4.8). */
  readonly onReachedLive: () => void;
}

const KEEP_BEHIND_S = 30;
const TRIM_ABOVE_S = 60;
/** Within this of the end of the buffer counts as its end: the last frame has begun. */
const END_S = 0.08;
/** A playhead that has stopped this near the end has reached it: audio and video rarely end together. */
const STANDING_END_S = 0.6;
/**
 * The faster the playback, the sooner a browser stops for lack of data: the threshold grows by this for each
 * step of speed above 1.
 */
const STANDING_END_S_PER_SPEED = 0.25;
/** Shorter gaps are skipped without a notice. */
const NOTICED_GAP_MS = 1000;
/** The last frame of a recording begins at least this long before its end. */
const LAST_FRAME_MS = 5;

/**
 * Plays recordings, fragment by fragment and over gaps, from any moment. The feed supplies the bytes; this
 * class moves the playhead: to where the viewer wants it and over gaps.
 */
export class ArchivePlayback implements Playback {
  readonly #options: ArchivePlaybackOptions;
  #feed: ArchiveFeed | undefined;
  #targetMs: number | undefined;
  /** `told`: everything recorded has been played, and the feed polls for more. */
  #end: ArchiveFeedEnd | 'told' | undefined;
  #hasFrame = false;
  #away: AwayReason | undefined;
  #isPaused = false;
  #isStopped = false;
  #playsKeyFrames = false;
  #hasStalled = false;
  #dueStep: 1 | -1 | undefined;
  #stepping: AbortController | undefined;

  constructor(options: ArchivePlaybackOptions) {
    this.#options = options;
    options.video.playbackRate = options.speed;
    options.onState({ name: 'connecting' });
    this.seek(options.fromMs);
  }

  get playsElement(): boolean {
    return true;
  }

  /** While it buffers, the clock stops. */
  get utcMs(): number {
    return this.#targetMs ?? this.#options.video.currentTime * 1000;
  }

  get isSeeking(): boolean {
    return this.#targetMs !== undefined || this.#options.video.seeking;
  }

  get delayMs(): number | undefined {
    return undefined;
  }

  /** Seeks to a moment exactly; the latest request wins. A moment in a gap means the next recorded one. */
  seek(utcMs: number): boolean {
    if (this.#isStopped) return false;
    const { video, sink } = this.#options;
    this.#dueStep = undefined;
    this.#stepping?.abort();
    const requestedS = utcMs / 1000;
    // Exact to the frame: the frame just before a buffered range is not its first frame.
    const isInHand =
      this.#targetMs === undefined &&
      sink.spans.some(({ start, end }) => requestedS >= start && requestedS < end);
    if (this.#feed && !this.#hasEnded && isInHand && this.#playsKeyFrames === this.#wantsKeyFrames()) {
      video.currentTime = utcMs / 1000;
      this.#feed.moved();
      this.#report();
    } else this.#begin(utcMs);
    return true;
  }

  /**
   * Shows the frame after or before the one on screen, over gaps. If it is not in the buffer it is fetched; at
   * the beginning of the archive nothing happens.
   */
  step(direction: 1 | -1): boolean {
    if (!this.#isStopped && !this.#hasEnded && this.#feed) this.#step(this.#feed, direction);
    return true;
  }

  #step(feed: ArchiveFeed, direction: 1 | -1): void {
    const { video, sink } = this.#options;
    this.#stepping?.abort();
    this.#dueStep = undefined;
    if (this.#targetMs !== undefined) {
      this.#dueStep = direction;
      return;
    }
    const nowMs = video.currentTime * 1000;
    const nextS = frameBeside(sink, nowMs, direction);
    if (nextS !== undefined) {
      video.currentTime = nextS;
      feed.moved();
      this.#report();
    } else if (direction < 0) this.#stepBack(sink.frames.at(nowMs)?.startMs ?? nowMs);
    // The next frame may still be on its way.
    else this.#dueStep = direction;
  }

  /** The new speed may be too fast for all frames. */
  setSpeed(speed: number): void {
    if (this.#isStopped) return;
    this.#options.video.playbackRate = speed;
    this.#checkFrames();
  }

  #checkFrames(): void {
    if (!this.#isStopped && !this.#hasEnded && this.#playsKeyFrames !== this.#wantsKeyFrames())
      this.#begin(this.utcMs);
  }

  setPaused(isPaused: boolean): void {
    if (this.#isStopped) return;
    this.#isPaused = isPaused;
    this.#dueStep = undefined;
    this.#report();
  }

  tick(): void {
    if (this.#isStopped || !this.#feed) return;
    const { video, sink } = this.#options;
    if (this.#targetMs === undefined) this.#overGap();
    else this.#atEnd();
    const oldest = sink.spans[0];
    if (oldest && video.currentTime - oldest.start > TRIM_ABOVE_S) {
      sink.remove(0, video.currentTime - KEEP_BEHIND_S);
    }
    // Skipping a gap may have ended playback and closed the feed.
    this.#feed?.moved();
    if (this.#dueStep && this.#targetMs === undefined && !video.seeking && video.readyState >= 2) {
      this.step(this.#dueStep);
    }
    this.#lookAtBudget();
    this.#report();
  }

  /** Starts again at the same moment. */
  onSinkBroken(): void {
    if (!this.#isStopped) this.#begin(this.utcMs);
  }

  onPlaying(): void {
    this.#hasFrame = true;
    this.#report();
  }

  onStalled(): void {
    this.#hasStalled = true;
    this.#report();
  }

  wake(): void {
    this.#feed?.wake();
  }

  dispose(): void {
    this.#isStopped = true;
    this.#stepping?.abort();
    this.#feed?.close();
    this.#feed = undefined;
  }

  /** The latest request wins here too: another step or a seek aborts the search. */
  #stepBack(beforeMs: number): void {
    const stepping = new AbortController();
    this.#stepping = stepping;
    this.#options.reader.fragments.before(beforeMs, stepping.signal).then(
      (fragment) => {
        if (fragment && !stepping.signal.aborted)
          this.#begin(Math.min(fragment.endMs, beforeMs) - LAST_FRAME_MS);
      },
      (error: unknown) => {
        // Without the network the frame stays; another step retries.
        if (!stepping.signal.aborted && !(error instanceof ApiError)) throw error;
      },
    );
  }

  #wantsKeyFrames(): boolean {
    const { budget, video } = this.#options;
    return budget.isKeyFramesOnly(video.playbackRate);
  }

  #lookAtBudget(): void {
    const { budget, clock, sink, video } = this.#options;
    const { totalVideoFrames, droppedVideoFrames } = video.getVideoPlaybackQuality();
    const isLower = budget.look({
      nowMs: clock.monotonicMs(),
      shownFrames: totalVideoFrames - droppedVideoFrames,
      rate: sink.frames.rateAt(this.utcMs),
      speed: video.playbackRate,
      isPlaying: this.#targetMs === undefined && !video.paused && !video.seeking && video.readyState >= 3,
      hasStalled: this.#hasStalled,
    });
    this.#hasStalled = false;
    if (isLower) this.#checkFrames();
  }

  #begin(utcMs: number): void {
    const { sink, reader, clock, video, onKeyFramesOnly } = this.#options;
    this.#feed?.close();
    this.#playsKeyFrames = this.#wantsKeyFrames();
    onKeyFramesOnly(this.#playsKeyFrames);
    this.#targetMs = utcMs;
    this.#end = undefined;
    this.#away = undefined;
    this.#feed = new ArchiveFeed({
      reader,
      sink,
      clock,
      fromMs: utcMs,
      isKeyFramesOnly: this.#playsKeyFrames,
      playheadMs: () => this.utcMs,
      leftMs: () => this.#leftMs(),
      speed: () => video.playbackRate,
      isPlaying: () => !this.#isPaused,
      onStart: (startMs) => this.#start(utcMs, startMs),
      onEnd: (end) => {
        this.#end = end;
        this.tick();
      },
      onMore: () => {
        this.#end = undefined;
        this.#report();
      },
      onWaiting: (reason) => {
        this.#away = reason;
        this.#report();
      },
      onUnsupported: (codec) => this.#stop({ name: 'unsupported', codec }),
      onFailed: (error) =>
        this.#stop({ name: 'failed', code: error instanceof ApiError ? error.code : 'SERVER_UNKNOWN_ERR' }),
    });
    this.#report();
  }

  get #hasEnded(): boolean {
    return this.#end === 'told';
  }

  get #standingEndS(): number {
    return STANDING_END_S + STANDING_END_S_PER_SPEED * Math.max(0, this.#options.video.playbackRate - 1);
  }

  /** Media buffered after the playhead, without gaps; 0 when the playhead has reached its end. */
  #leftMs(): number {
    const { video, sink } = this.#options;
    const isStanding = !video.seeking && video.readyState < 3;
    const at = video.currentTime;
    let sumS = 0;
    for (const { start, end } of sink.spans) sumS += Math.max(0, end - Math.max(start, at));
    return isStanding && sumS < this.#standingEndS ? 0 : sumS * 1000;
  }

  /** The first bytes for a moment are in the buffer: only now may the playhead move there. */
  #start(requestedMs: number, startMs: number): void {
    this.#targetMs = undefined;
    this.#options.video.currentTime = startMs / 1000;
    this.#tellGap(requestedMs, startMs);
    this.#report();
  }

  #overGap(): void {
    const { video, sink } = this.#options;
    if (video.seeking && spanAt(sink.spans, video.currentTime)) return;
    const spans = sink.spans;
    const at = video.currentTime;
    const here = spanAt(spans, at);
    const isStanding = !video.seeking && video.readyState < 3;
    if (here && here.end - at > (isStanding ? this.#standingEndS : END_S)) return;
    const fromS = here?.end ?? at;
    const next = spans.find((span) => span.start > fromS);
    if (next) {
      video.currentTime = next.start;
      this.#tellGap(fromS * 1000, next.start * 1000);
      return;
    }
    this.#atEnd();
  }

  /** No recording is left after the playhead or the requested moment. */
  #atEnd(): void {
    const end = this.#end;
    if (!end || end === 'told' || (end === 'live' && this.#isPaused)) return;
    if (end === 'live') {
      this.#end = undefined;
      this.#options.onReachedLive();
      return;
    }
    this.#end = 'told';
    this.#options.onState({ name: 'ended' });
  }

  #tellGap(startMs: number, endMs: number): void {
    if (endMs - startMs >= NOTICED_GAP_MS) this.#options.onNotice({ type: 'gap', startMs, endMs });
  }

  #stop(state: PlayerState): void {
    this.#isStopped = true;
    this.#feed?.close();
    this.#feed = undefined;
    this.#options.onState(state);
  }

  #report(): void {
    if (this.#isStopped || this.#hasEnded) return;
    const { video, onState } = this.#options;
    const isReady = this.#targetMs === undefined && !video.seeking && video.readyState >= 3;
    if (this.#isPaused && this.#hasFrame) onState({ name: 'paused' });
    else if (isReady && !video.paused) onState({ name: 'playing' });
    else if (this.#away) onState({ name: 'waiting', reason: this.#away });
    else onState({ name: this.#hasFrame ? 'buffering' : 'connecting' });
  }
}
