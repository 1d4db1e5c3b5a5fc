import { ApiError } from '@vidette/contract/client';
import { ArchiveFeed } from '../archive-feed.ts';
import type { ArchiveAccess } from '../archive-access.ts';
import { spanAt } from '../media-element.ts';
import type { Playback, PlaybackParts } from '../playback.ts';
import type { PlayerState } from '../state.ts';
import type { Interval } from '../../timeline/intervals.ts';
import type { SharedClock } from './shared-clock.ts';

export interface SyncedArchiveSource {
  readonly reader: ArchiveAccess;
  /** The same archive transcoded by the server; undefined where that is not available. */
  readonly converted: ArchiveAccess | undefined;
  /** What is known about a moment without a request; undefined when nothing is. */
  intervalAt(utcMs: number): Interval | undefined;
}

export interface SyncedArchiveOptions extends PlaybackParts {
  readonly source: SyncedArchiveSource;
  readonly shared: SharedClock;
  /** Transcoded on the way, which may be slower than the clock: the other tiles never wait for it. */
  readonly isConverted: boolean;
  /** The shared moment is not recorded here, or is again. */
  readonly onGap: (isInGap: boolean) => void;
}

/**
 * Above this distance from the shared moment the video is corrected by a seek, seconds at speed 1; below, by
 * the playback rate.
 */
const SEEK_ABOVE_S = 0.3;
/** Close enough. */
const CALM_S = 0.015;
/** The share of the error corrected per second, and the largest deviation of the rate. */
const GAIN = 1.5;
const MOST = 0.25;
/** How long the other tiles wait for a tile that loads; then they continue without it. */
const PATIENCE_MS = 4000;
/** A transcoding that shows nothing for this long is too slow for the clock. */
const TRANSCODING_PATIENCE_MS = 12_000;
/** When further behind the clock than this, the feed skips ahead, seconds. */
const BEHIND_S = 2;
/** After the archive of a stream has ended, how long to wait before looking for more. */
const LOOK_AGAIN_MS = 2000;
const KEEP_BEHIND_S = 4;
const TRIM_ABOVE_S = 10;

/**
 * The archive of one stream in step with a shared clock: it never moves on its own. In a gap it shows nothing
 * and waits for the clock to reach the next recording; while it loads a recording, it holds the clock for a
 * while.
 */
export class SyncedArchive implements Playback {
  readonly #options: SyncedArchiveOptions;
  #feed: ArchiveFeed | undefined;
  /** The clock jump for which the feed was created; another jump creates a new feed. */
  #jumps = -1;
  #heardJumps = -1;
  #hasBegun = false;
  /** When the feed reached the end of the recordings so far; monotonic. */
  #endedAtMs: number | undefined;
  #loadingSinceMs: number | undefined;
  #hasFrame = false;
  #isRolling = false;
  /** The moment sought since the clock was paused, seconds. */
  #stoodAtS: number | undefined;
  #isStopped = false;

  constructor(options: SyncedArchiveOptions) {
    this.#options = options;
    options.onState({ name: 'connecting' });
    this.tick();
  }

  get playsElement(): boolean {
    return this.#isRolling;
  }

  get utcMs(): number {
    return this.#options.shared.utcMs;
  }

  get isSeeking(): boolean {
    return this.#options.video.seeking;
  }

  get delayMs(): number | undefined {
    return undefined;
  }

  /** The shared clock is paused, for all tiles. */
  setPaused(): void {}

  /** The shared clock has the speed. */
  setSpeed(): void {}

  /** The shared clock jumps. */
  seek(): boolean {
    return false;
  }

  step(): boolean {
    return false;
  }

  /** Steers the element to the shared moment. */
  tick(): void {
    if (this.#isStopped) return;
    const { shared } = this.#options;
    if (shared.jumps !== this.#jumps) this.#follow();
    this.#feed?.moved();
    const atS = shared.utcMs / 1000;
    const { sink, source } = this.#options;
    const hasEnded = this.#endedAtMs !== undefined;
    // An unknown stretch is waited for like a recorded one, up to the time limit.
    const isGap = source.intervalAt(shared.utcMs)?.kind === 'gap';
    if ((this.#hasBegun || hasEnded) && spanAt(sink.spans, atS)) this.#show(atS);
    else if (isGap) this.#rest();
    else if (hasEnded) this.#awaitMore();
    else this.#load();
    const oldest = sink.spans[0];
    if (oldest && atS - oldest.start > TRIM_ABOVE_S) sink.remove(0, atS - KEEP_BEHIND_S);
  }

  /** The shared clock determines what is shown. */
  onPlaying(): void {}

  onStalled(): void {}

  onSinkBroken(): void {
    this.#jumps = -1;
    this.tick();
  }

  wake(): void {
    this.#feed?.wake();
  }

  dispose(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#isRolling = false;
    this.#feed?.close();
    this.#feed = undefined;
    this.#options.shared.release(this);
    this.#options.video.playbackRate = 1;
  }

  /** The clock jumped: the buffer may suffice, otherwise a new feed starts there. */
  #follow(): void {
    const { shared, sink, clock, source, isConverted, onGap } = this.#options;
    if (shared.jumps !== this.#heardJumps) this.#loadingSinceMs = undefined;
    this.#jumps = this.#heardJumps = shared.jumps;
    onGap(false);
    if (this.#feed && this.#hasBegun && spanAt(sink.spans, shared.utcMs / 1000)) return;
    this.#feed?.close();
    this.#hasBegun = false;
    this.#endedAtMs = undefined;
    this.#feed = new ArchiveFeed({
      reader: (isConverted ? source.converted : undefined) ?? source.reader,
      isKeyFramesOnly: false,
      sink,
      clock,
      fromMs: shared.utcMs,
      playheadMs: () => shared.utcMs,
      leftMs: () => this.#leftMs(),
      speed: () => shared.speed,
      isPlaying: () => !shared.getSnapshot().isPaused,
      onStart: () => {
        this.#hasBegun = true;
        this.tick();
      },
      onEnd: () => {
        this.#endedAtMs = clock.monotonicMs();
        this.tick();
      },
      onMore: () => {
        this.#endedAtMs = undefined;
      },
      onWaiting: () => {},
      onUnsupported: (codec) => this.#stop({ name: 'unsupported', codec }),
      onFailed: (error) =>
        this.#stop({ name: 'failed', code: error instanceof ApiError ? error.code : 'SERVER_UNKNOWN_ERR' }),
    });
  }

  #leftMs(): number {
    const { sink, shared } = this.#options;
    const atS = shared.utcMs / 1000;
    return (
      sink.spans.reduce((sum, { start, end }) => sum + Math.max(0, end - Math.max(start, atS)), 0) * 1000
    );
  }

  #show(atS: number): void {
    const { video, shared, onState, onGap } = this.#options;
    onGap(false);
    const errorS = atS - video.currentTime;
    const { speed } = shared;
    this.#steer(atS, errorS);
    const isReady = !video.seeking && video.readyState >= 2;
    if (isReady) {
      this.#hasFrame = true;
      this.#loadingSinceMs = undefined;
      shared.release(this);
    } else this.#holdOthers();
    if (shared.isRunning) {
      const correction = Math.abs(errorS) < CALM_S ? 0 : Math.max(-MOST, Math.min(MOST, errorS * GAIN));
      const rate = Math.round(speed * (1 + correction) * 100) / 100;
      if (video.playbackRate !== rate) video.playbackRate = rate;
    }
    this.#isRolling = shared.isRunning;
    if (!isReady) onState({ name: this.#hasFrame ? 'buffering' : 'connecting' });
    else onState({ name: shared.getSnapshot().isPaused ? 'paused' : 'playing' });
  }

  /** Seeks where adjusting the rate would take too long, and to the exact position when paused. */
  #steer(atS: number, errorS: number): void {
    const { video, shared } = this.#options;
    if (video.seeking) return;
    const { isPaused } = shared.getSnapshot();
    const limitS = shared.isRunning ? SEEK_ABOVE_S * Math.max(1, shared.speed) : CALM_S;
    // On a busy machine the frame on screen lags behind the element's own time; when paused, a seek makes it
    // exact.
    const mustStand = isPaused && this.#stoodAtS !== atS;
    this.#stoodAtS = isPaused ? atS : undefined;
    if (mustStand || Math.abs(errorS) > limitS) video.currentTime = atS;
  }

  /** The media to show is loading. */
  #load(): void {
    const { isConverted, onState } = this.#options;
    this.#isRolling = false;
    const waitedMs = this.#holdOthers();
    if (isConverted && waitedMs > TRANSCODING_PATIENCE_MS) {
      this.#stop({ name: 'failed', code: 'ProbeError' });
      return;
    }
    onState({ name: this.#hasFrame ? 'buffering' : 'connecting' });
    // Loading fragment after fragment it would stay behind a running clock.
    if (this.#isBehind()) this.#jumps = -1;
  }

  /** Whether all fed media is some way before the shared moment. */
  #isBehind(): boolean {
    const { sink, shared } = this.#options;
    const newest = sink.spans.at(-1);
    return this.#hasBegun && newest !== undefined && newest.end < shared.utcMs / 1000 - BEHIND_S;
  }

  /**
   * All recordings so far have been shown, and this is no gap: more is being written. The other tiles continue.
   */
  #awaitMore(): void {
    const { shared, clock, onState } = this.#options;
    this.#isRolling = false;
    shared.release(this);
    onState({ name: 'buffering' });
    if (clock.monotonicMs() - (this.#endedAtMs ?? 0) > LOOK_AGAIN_MS) this.#jumps = -1;
  }

  /** Nothing is recorded at this moment. */
  #rest(): void {
    const { shared, onGap } = this.#options;
    this.#isRolling = false;
    this.#loadingSinceMs = undefined;
    shared.release(this);
    onGap(true);
  }

  /** @returns how long nothing has arrived, ms */
  #holdOthers(): number {
    const { shared, clock, isConverted } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#loadingSinceMs ??= nowMs;
    const waitedMs = nowMs - this.#loadingSinceMs;
    if (!isConverted && waitedMs < PATIENCE_MS) shared.hold(this);
    else shared.release(this);
    return waitedMs;
  }

  #stop(state: PlayerState): void {
    this.dispose();
    this.#options.onState(state);
  }
}
