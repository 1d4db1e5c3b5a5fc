import { ApiError } from '@vidette/contract/client';
import type { Interval } from '../timeline/intervals.ts';
import { ArchiveFeed, type ArchiveFeedEnd } from './archive-feed.ts';
import type { ArchivePiece, ByteSpan } from './archive-playlist.ts';
import type { Clock } from './clock.ts';
import { spanAt, type MediaElement } from './media-element.ts';
import type { MediaSink } from './media-sink.ts';
import type { Notice, PlayerState } from './state.ts';

/** Where the archive of one stream comes from. Rejections are ApiErrors, or the signal's reason. */
export interface ArchiveSource {
  /** What is recorded between two moments, in order; empty when nothing is. */
  playlist(startMs: number, endMs: number, signal: AbortSignal): Promise<readonly ArchivePiece[]>;
  bytes(span: ByteSpan, signal: AbortSignal): Promise<Uint8Array>;
  /** The first interval that can be played and ends after a moment. */
  nextPlayable(fromMs: number, signal: AbortSignal): Promise<Interval | undefined>;
}

export interface ArchivePlayerOptions {
  readonly video: MediaElement;
  readonly sink: MediaSink;
  readonly clock: Clock;
  readonly source: ArchiveSource;
  readonly onState: (state: PlayerState) => void;
  readonly onNotice: (notice: Notice) => void;
  /** Everything recorded has been played and the next interval is live (R4.8). */
  readonly onReachedLive: () => void;
}

const KEEP_BEHIND_S = 30;
const TRIM_ABOVE_S = 60;
/** This near the end of what is buffered counts as its end: the last frame has begun. */
const END_S = 0.08;
/** A playhead that stands this near the end has come to it: sound and picture rarely end together. */
const STANDING_END_S = 0.6;
/** Shorter holes are played over without a word. */
const NOTICED_GAP_MS = 1000;

/**
 * Plays what is recorded, fragment by fragment and over gaps, from any moment. The feed brings the bytes; this class
 * moves the playhead: to where the viewer wants it and over stretches where nothing is. Made when the archive begins
 * and disposed when it ends; it doesn't own video or sink.
 */
export class ArchivePlayer {
  readonly #options: ArchivePlayerOptions;
  #feed: ArchiveFeed | undefined;
  #targetMs: number | undefined;
  #end: ArchiveFeedEnd | undefined;
  #hasPicture = false;
  #isWaiting = false;
  #isPaused: boolean;
  #isStopped = false;

  constructor(options: ArchivePlayerOptions, fromMs: number, isPaused: boolean) {
    this.#options = options;
    this.#isPaused = isPaused;
    options.onState({ name: 'connecting' });
    this.seek(fromMs);
  }

  /** The moment shown, or the one asked for until its picture is there: while it buffers, the clock stands. */
  get utcMs(): number {
    return this.#targetMs ?? this.#options.video.currentTime * 1000;
  }

  /** Goes to a moment exactly; the newest wish wins. A moment in a gap means the next one that is recorded. */
  seek(utcMs: number): void {
    const { video, sink } = this.#options;
    this.#isStopped = false;
    if (this.#feed && this.#targetMs === undefined && spanAt(sink.spans, utcMs / 1000)) {
      video.currentTime = utcMs / 1000;
      this.#feed.moved();
      this.#report();
      return;
    }
    this.#begin(utcMs);
  }

  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#report();
  }

  /** Called some times a second. */
  tick(): void {
    if (this.#isStopped || !this.#feed) return;
    const { video, sink } = this.#options;
    if (this.#targetMs === undefined) this.#overGap();
    const oldest = sink.spans[0];
    if (oldest && video.currentTime - oldest.start > TRIM_ABOVE_S) {
      sink.remove(0, video.currentTime - KEEP_BEHIND_S);
    }
    // Going over a gap may have ended it all.
    this.#feed?.moved();
    this.#report();
  }

  /** Everything appended was lost; begins again where it was. */
  onSinkBroken(): void {
    if (!this.#isStopped) this.#begin(this.utcMs);
  }

  onPlaying(): void {
    this.#hasPicture = true;
    this.#report();
  }

  onStalled(): void {
    this.#report();
  }

  /** Network back: a pause between tries ends now. */
  wake(): void {
    this.#feed?.wake();
  }

  /** Idempotent. */
  dispose(): void {
    this.#isStopped = true;
    this.#feed?.close();
    this.#feed = undefined;
  }

  #begin(utcMs: number): void {
    const { sink, source, clock, video } = this.#options;
    this.#feed?.close();
    this.#targetMs = utcMs;
    this.#end = undefined;
    this.#isWaiting = false;
    this.#feed = new ArchiveFeed({
      source,
      sink,
      clock,
      fromMs: utcMs,
      playheadMs: () => this.utcMs,
      leftMs: () => this.#leftMs(),
      speed: () => video.playbackRate,
      onStart: (startMs) => this.#start(utcMs, startMs),
      onEnd: (end) => {
        this.#end = end;
        this.tick();
      },
      onWaiting: (isWaiting) => {
        this.#isWaiting = isWaiting;
        this.#report();
      },
      onUnsupported: (codec) => this.#stop({ name: 'unsupported', codec }),
      onFailed: (error) =>
        this.#stop({ name: 'failed', code: error instanceof ApiError ? error.code : 'SERVER_UNKNOWN_ERR' }),
    });
    this.#report();
  }

  /** What is buffered after the playhead, gaps left out; nothing when it has come to the end of it. */
  #leftMs(): number {
    const { video, sink } = this.#options;
    const isStanding = !video.seeking && video.readyState < 3;
    const at = video.currentTime;
    let sumS = 0;
    for (const { start, end } of sink.spans) sumS += Math.max(0, end - Math.max(start, at));
    return isStanding && sumS < STANDING_END_S ? 0 : sumS * 1000;
  }

  /** The first bytes for a moment are in the buffer: only now may the playhead go there. */
  #start(wishedMs: number, startMs: number): void {
    this.#targetMs = undefined;
    this.#options.video.currentTime = startMs / 1000;
    this.#tellGap(wishedMs, startMs);
    this.#report();
  }

  #overGap(): void {
    const { video, sink } = this.#options;
    if (video.seeking && spanAt(sink.spans, video.currentTime)) return;
    const spans = sink.spans;
    const at = video.currentTime;
    const here = spanAt(spans, at);
    const isStanding = !video.seeking && video.readyState < 3;
    if (here && here.end - at > (isStanding ? STANDING_END_S : END_S)) return;
    const fromS = here?.end ?? at;
    const next = spans.find((span) => span.start > fromS);
    if (next) {
      video.currentTime = next.start;
      this.#tellGap(fromS * 1000, next.start * 1000);
      return;
    }
    if (!this.#end) return;
    const end = this.#end;
    this.#end = undefined;
    if (end === 'live') {
      if (!this.#isPaused) this.#options.onReachedLive();
      else this.#end = end;
    } else this.#stop({ name: 'ended' });
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
    if (this.#isStopped) return;
    const { video, onState } = this.#options;
    const isReady = this.#targetMs === undefined && !video.seeking && video.readyState >= 3;
    if (this.#isPaused && this.#hasPicture) onState({ name: 'paused' });
    else if (isReady && !video.paused) onState({ name: 'playing' });
    else if (this.#isWaiting) onState({ name: 'waiting', reason: 'network' });
    else onState({ name: this.#hasPicture ? 'buffering' : 'connecting' });
  }
}
