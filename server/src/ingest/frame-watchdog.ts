import type { Track } from '@vidette/media/track';
import { Fault } from '../base/fault.ts';

export interface FrameWatchdogOptions {
  /** A source without frames for this long counts as lost, even if its socket is open, ms. Default 10 s. */
  readonly noFramesMs?: number;
  /**
   * The same before the first frame, including the login, ms. Default 20 s. It is paused while frames arrive
   * whose key frame or parameters are missing.
   */
  readonly firstFrameMs?: number;
  /** Number of consecutive attempts: announced video that starts late, after the audio, is given more time. */
  readonly tries?: number;
}

/** Interval at which `look` is called, ms. */
export const watchdogPeriodMs = 500;
/**
 * A watchdog that runs this late, ms, decides in its next turn: what arrived meanwhile has not been read yet.
 */
const lateWatchMs = 3 * watchdogPeriodMs;
const defaultNoFramesMs = 10_000;
const defaultFirstFrameMs = 20_000;
/**
 * A camera that sends a frame every few seconds is silent in between: it counts as lost after this many of its
 * intervals, if that is later...
 */
const missedFrames = 3;
/** ...but never later than this, ms. */
const longestSilenceMs = 90_000;
/**
 * The interval is the mean of this many: a frame delayed by the network shortens the next interval by as much.
 */
const averagedIntervals = 4;
/** Frames that follow within this time count as one arrival, ms: a burst shows no interval. */
const burstMs = 500;
/** With this many frames in one burst, from the cache of a relay, it is unknown whether the camera is slow. */
const cachedFrames = 8;
/** The second frame, which shows the interval, may take this multiple of `firstFrameMs`. */
const secondFramePatience = 1.5;
/** Maximum multiple of `firstFrameMs` that announced video may take while audio arrives. */
const maxPatience = 3;

/**
 * Decides from the arrivals of frames whether a source has been silent for too long. Times are monotonic ms.
 */
export class FrameWatchdog {
  readonly #noFramesMs: number;
  readonly #firstFrameMs: number;
  readonly #tries: number;
  /** When the newest frames or bursts arrived, oldest first; at most one more than the intervals averaged. */
  readonly #arrivalsMs: number[] = [];
  #frames = 0;
  #firstMs: number | undefined;
  #lastMs: number;
  #isRunning = false;
  /** When frames that could not be passed on last arrived. */
  #awaitedVideoMs: number | undefined;
  #awaitedAudioMs: number | undefined;
  #lastLookMs: number;
  /** It ran late and left the decision to its next turn. */
  #isLate = false;

  constructor(options: FrameWatchdogOptions, nowMs: number) {
    this.#noFramesMs = options.noFramesMs ?? defaultNoFramesMs;
    this.#firstFrameMs = options.firstFrameMs ?? defaultFirstFrameMs;
    this.#tries = options.tries ?? 1;
    this.#lastMs = nowMs;
    this.#lastLookMs = nowMs;
  }

  /** The frames form a stream: from now on its own interval counts, not the limits for the first frames. */
  run(): void {
    this.#isRunning = true;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** From the first frame to the last one, ms; 0 before `run`. */
  get goodMs(): number {
    if (!this.#isRunning || this.#firstMs === undefined) return 0;
    return Math.max(1, this.#lastMs - this.#firstMs);
  }

  /** Since the last frame, ms; 0 before `run`. */
  silentMs(nowMs: number): number {
    return this.#isRunning ? nowMs - this.#lastMs : 0;
  }

  /** A frame arrived. */
  noteFrame(nowMs: number): void {
    this.#frames++;
    this.#firstMs ??= nowMs;
    this.#lastMs = nowMs;
    if (nowMs - (this.#arrivalsMs.at(-1) ?? Number.NEGATIVE_INFINITY) < burstMs) return;
    this.#arrivalsMs.push(nowMs);
    if (this.#arrivalsMs.length > averagedIntervals + 1) this.#arrivalsMs.shift();
  }

  /** A frame arrived that cannot be passed on yet. @returns whether it is the first of the video */
  noteAwaited(kind: Track['kind'], nowMs: number): boolean {
    if (kind === 'audio') {
      this.#awaitedAudioMs = nowMs;
      return false;
    }
    const isFirst = this.#awaitedVideoMs === undefined;
    this.#awaitedVideoMs = nowMs;
    return isFirst;
  }

  /**
   * To be called every `watchdogPeriodMs`.
   * @param kind of the track whose frames count
   * @returns why the source counts as lost; undefined if it doesn't
   */
  look(kind: Track['kind'], nowMs: number): Fault | undefined {
    // Not twice in a row, so that a machine that is always late still decides.
    this.#isLate = !this.#isLate && nowMs - this.#lastLookMs > lateWatchMs;
    this.#lastLookMs = nowMs;
    if (this.#isLate) return undefined;
    const silentMs = nowMs - Math.max(this.#lastMs, this.#awaitedVideoMs ?? 0);
    const hasAudio = this.#awaitedAudioMs !== undefined && nowMs - this.#awaitedAudioMs < this.#noFramesMs;
    const limitMs = this.#isRunning ? this.#silenceLimitMs() : this.#firstFrameLimitMs(hasAudio);
    if (silentMs < limitMs) return undefined;
    return new Fault('NO_VIDEO_ERR', this.#reason(kind, hasAudio, Math.round(silentMs / 1000)));
  }

  #silenceLimitMs(): number {
    const intervals = this.#arrivalsMs.length - 1;
    if (intervals < 1) {
      if (this.#frames > cachedFrames) return this.#noFramesMs;
      return Math.max(this.#noFramesMs, this.#firstFrameMs * secondFramePatience);
    }
    const intervalMs = ((this.#arrivalsMs[intervals] ?? 0) - (this.#arrivalsMs[0] ?? 0)) / intervals;
    return Math.max(this.#noFramesMs, Math.min(longestSilenceMs, missedFrames * intervalMs));
  }

  #firstFrameLimitMs(hasAudio: boolean): number {
    const audioPatience = hasAudio ? Math.min(maxPatience, Math.max(1, this.#tries)) : 1;
    return this.#firstFrameMs * Math.max(audioPatience, this.#frames > 0 ? secondFramePatience : 1);
  }

  #reason(kind: Track['kind'], hasAudio: boolean, seconds: number): string {
    if (this.#isRunning) return `The source stopped sending ${kind} and stayed silent for ${seconds} s.`;
    if (hasAudio) return `The source announces video but sent only audio for ${seconds} s.`;
    return `The source sent no frame within ${seconds} s.`;
  }
}
