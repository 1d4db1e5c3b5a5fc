import type { Sample } from '@vidette/media/sample';
import { msToTicks } from '@vidette/media/time';
import type { Track } from '@vidette/media/track';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { PauseCause } from '../hub/reader.ts';
import type { Stream } from '../hub/stream.ts';
import type { SourceSession, SourceSink } from './source.ts';
import type { StreamLog } from './stream-log.ts';
import { WallClockOffset } from './wall-clock-offset.ts';

/** Our RTSP engine, or FFmpeg's libraries in a child process. */
export type SourceEngine = 'rtsp' | 'av';

/** Makes the session of one attempt. Throws a Fault when the engine is unavailable (node-av is optional). */
export type OpenSession = (engine: SourceEngine) => SourceSession;

export interface AttemptOptions {
  readonly stream: Stream;
  readonly clock: Clock;
  readonly log: StreamLog;
  readonly openSession: OpenSession;
  /** A source without frames for this long counts as lost, even if its socket is open, ms. Default 10 s. */
  readonly noFramesMs?: number;
  /**
   * The same before the first frame, including the login, ms. Default 20 s. It doesn't run while frames arrive
   * whose key frame or parameters are missing.
   */
  readonly firstFrameMs?: number;
  /** Consecutive attempts: video that is announced and starts late, after the audio, gets more time. */
  readonly tries?: number;
}

export interface AttemptEnd {
  /** The cause reported to readers. */
  readonly cause: PauseCause;
  readonly fault: Fault;
  /** From the first frame to the last one, ms; 0 without frames. */
  readonly goodMs: number;
}

const defaultFirstFrameMs = 20_000;
const watchdogPeriodMs = 500;
/** A watchdog that runs this late, ms, waits for its next turn: what arrived meanwhile has not been read yet. */
const lateWatchMs = 3 * watchdogPeriodMs;
/**
 * A camera that sends a frame every few seconds is silent in between: it counts as lost after this many of its
 * intervals, if that is later,
 */
const missedFrames = 3;
/** but never later than this, ms. */
const longestSilenceMs = 90_000;
/** The interval is the mean of this many: a frame held up by the network shortens the next interval by as much. */
const averagedIntervals = 4;
/** Frames closer than this to the one before are one arrival, ms: a burst shows no interval. */
const burstMs = 500;
/** So many frames in one burst, from the cache of a relay, leave open whether the camera is slow. */
const cachedFrames = 8;
/** The second frame, which shows the interval, may take this multiple of `firstFrameMs`. */
const secondFramePatience = 1.5;
/** Limit of samples that wait for the second frame. */
const maxHeld = 500;
/** Maximum multiple of `firstFrameMs` that announced video may take while audio arrives. */
const maxPatience = 3;
/** A session that doesn't stop when asked is abandoned after this. */
const abandonMs = 5_000;

/**
 * One session under a watchdog that looks at frames: a socket that stays open proves nothing.
 * Samples that a session sends after its end was decided are dropped.
 */
export class RunningAttempt {
  readonly #options: AttemptOptions;
  readonly #onFirstFrame: () => void;
  readonly #abort = new AbortController();
  readonly #abandoned = Promise.withResolvers<void>();
  #verdict: { cause: PauseCause; fault: Fault } | undefined;
  /** The video track, if there is one; only its frames count for the watchdog. */
  #watched: Track | undefined;
  /** When frames that could not be passed on last arrived. */
  #awaitedVideoMs: number | undefined;
  #awaitedAudioMs: number | undefined;
  #firstFrameMs: number | undefined;
  #lastFrameMs: number;
  /** When the newest frames or bursts arrived, oldest first; at most one more than the intervals averaged. */
  readonly #arrivalsMs: number[] = [];
  #frames = 0;
  #lastWatchMs: number;
  /** The watchdog ran late and left the judgement to its next turn. */
  #isLate = false;
  #cancelAbandon: (() => void) | undefined;
  readonly #wall: WallClockOffset;
  #tracks: readonly Track[] = [];
  /** Samples before the second frame; a single frame doesn't make a stream. Undefined from then on. */
  #held: Sample[] | undefined = [];
  #heldFrames = 0;
  #heldFromMs: number | undefined;
  /** Each sample's track by its id, to shift its times. */
  #timescales: ReadonlyMap<number, number> = new Map();
  /** By how much the wall clock was set, ms: the next key frame begins a new run. */
  #stepMs: number | undefined;

  constructor(options: AttemptOptions, onFirstFrame: () => void) {
    this.#options = options;
    this.#onFirstFrame = onFirstFrame;
    this.#lastFrameMs = options.clock.monotonicMs();
    this.#lastWatchMs = this.#lastFrameMs;
    this.#wall = new WallClockOffset(options.clock);
  }

  /** Runs once, until the session ends, the watchdog ends it or `stopping` is aborted. Never rejects. */
  async run(engine: SourceEngine, stopping: AbortSignal): Promise<AttemptEnd> {
    const onStop = () => this.#cut('stopped', new Fault('Unavailable', 'The stream was stopped.'));
    stopping.addEventListener('abort', onStop, { once: true });
    const cancelWatchdog = this.#options.clock.every(watchdogPeriodMs, () => this.#watch());
    await Promise.race([this.#runSession(engine), this.#abandoned.promise]);
    cancelWatchdog();
    this.#cancelAbandon?.();
    stopping.removeEventListener('abort', onStop);
    const goodMs = this.#firstFrameMs === undefined ? 0 : Math.max(1, this.#lastFrameMs - this.#firstFrameMs);
    const { cause, fault } = this.#verdict ?? ended('ended');
    return { cause, fault, goodMs };
  }

  /** Never rejects; the verdict says how it went. */
  async #runSession(engine: SourceEngine): Promise<void> {
    try {
      const cause = await this.#options.openSession(engine).run(this.#sink(), this.#abort.signal);
      this.#verdict ??= this.#isSingleFrame ? singleFrame() : ended(cause);
    } catch (error) {
      const isEnd = error instanceof Fault && error.code === 'EHOSTUNREACH';
      this.#verdict ??=
        isEnd && this.#isSingleFrame ? singleFrame() : failed(error, this.#firstFrameMs !== undefined);
    }
  }

  get #isSingleFrame(): boolean {
    return this.#held !== undefined && this.#heldFrames > 0;
  }

  /** Asks the session to stop; if it doesn't, it is abandoned and the verdict does not change. */
  #cut(cause: PauseCause, fault: Fault): void {
    if (this.#verdict) return;
    this.#verdict = { cause, fault };
    this.#cancelAbandon = this.#options.clock.after(abandonMs, () => {
      this.#options.log.add('error', 'The source did not let go in time and was left behind.');
      this.#abandoned.resolve();
    });
    this.#abort.abort(fault);
  }

  #watch(): void {
    const { clock, noFramesMs = 10_000 } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#stepMs = this.#wall.look();
    // Once in a row, so that a machine that is always late still judges.
    this.#isLate = !this.#isLate && nowMs - this.#lastWatchMs > lateWatchMs;
    this.#lastWatchMs = nowMs;
    if (this.#isLate) return;
    const silentMs = nowMs - Math.max(this.#lastFrameMs, this.#awaitedVideoMs ?? 0);
    const hadFrame = this.#firstFrameMs !== undefined;
    const hasAudio = this.#awaitedAudioMs !== undefined && nowMs - this.#awaitedAudioMs < noFramesMs;
    if (silentMs < (hadFrame ? this.#silenceLimitMs(noFramesMs) : this.#firstFrameLimitMs(hasAudio))) return;
    const seconds = Math.round(silentMs / 1000);
    this.#cut('no-frames', new Fault('NO_VIDEO_ERR', this.#silence(hadFrame, hasAudio, seconds)));
  }

  #silenceLimitMs(noFramesMs: number): number {
    const intervals = this.#arrivalsMs.length - 1;
    if (intervals < 1)
      return this.#frames > cachedFrames ? noFramesMs : Math.max(noFramesMs, this.#secondFrameLimitMs);
    const intervalMs = ((this.#arrivalsMs[intervals] ?? 0) - (this.#arrivalsMs[0] ?? 0)) / intervals;
    return Math.max(noFramesMs, Math.min(longestSilenceMs, missedFrames * intervalMs));
  }

  #firstFrameLimitMs(hasAudio: boolean): number {
    const { firstFrameMs = defaultFirstFrameMs, tries = 1 } = this.#options;
    const audioPatience = hasAudio ? Math.min(maxPatience, Math.max(1, tries)) : 1;
    return firstFrameMs * Math.max(audioPatience, this.#heldFrames > 0 ? secondFramePatience : 1);
  }

  get #secondFrameLimitMs(): number {
    const { firstFrameMs = defaultFirstFrameMs } = this.#options;
    return firstFrameMs * secondFramePatience;
  }

  #silence(hadFrame: boolean, hasAudio: boolean, seconds: number): string {
    if (!hadFrame && hasAudio) return `The source announces video but sent only audio for ${seconds} s.`;
    if (!hadFrame) return `The source sent no frame within ${seconds} s.`;
    const what = this.#watched?.kind === 'audio' ? 'audio' : 'video';
    return `The source stopped sending ${what} and stayed silent for ${seconds} s.`;
  }

  #sink(): SourceSink {
    const { stream, log } = this.#options;
    return {
      tracks: (tracks) => {
        if (this.#verdict) return;
        this.#watched = tracks.find(({ kind }) => kind === 'video') ?? tracks[0];
        this.#tracks = tracks;
        this.#timescales = new Map(tracks.map(({ id, timescale }) => [id, timescale]));
        log.add('info', `The source sends ${describe(tracks)}.`);
        if (this.#held) {
          this.#held = [];
          this.#heldFrames = 0;
        } else {
          stream.setTracks(tracks);
        }
      },
      sample: (sample: Sample) => {
        if (this.#verdict) return;
        if (this.#held && !this.#release(this.#held, sample)) return;
        if (sample.trackId === this.#watched?.id) {
          this.#noteFrame();
          this.#wall.slew();
          if (sample.isKey && this.#stepMs !== undefined) this.#restartTime(this.#stepMs);
        }
        stream.write(this.#shifted(sample));
      },
      awaiting: (kind) => {
        if (this.#verdict) return;
        const nowMs = this.#options.clock.monotonicMs();
        if (kind === 'audio') {
          this.#awaitedAudioMs = nowMs;
          return;
        }
        if (this.#awaitedVideoMs === undefined) log.add('info', 'Frames arrive; waiting for a key frame.');
        this.#awaitedVideoMs = nowMs;
      },
      lost: (packets) => stream.noteLost(packets),
      note: (message, fields) => log.add('info', message, fields),
    };
  }

  /** Whether the samples held have been passed on, so that this one can follow them. */
  #release(held: Sample[], sample: Sample): boolean {
    const { stream } = this.#options;
    if (sample.trackId === this.#watched?.id) {
      this.#heldFrames++;
      this.#heldFromMs ??= this.#options.clock.monotonicMs();
      if (this.#heldFrames === 1) this.#noteArrival(this.#heldFromMs);
    }
    if (this.#heldFrames < 2 && held.length < maxHeld) {
      held.push(sample);
      return false;
    }
    this.#held = undefined;
    stream.setTracks(this.#tracks);
    for (const one of held) stream.write(this.#shifted(one));
    return true;
  }

  /**
   * Dates the next samples by the current wall clock: a new run, so that the gap or the step back is recorded.
   */
  #restartTime(stepMs: number): void {
    const { stream, log } = this.#options;
    const seconds = (Math.abs(stepMs) / 1000).toFixed(1);
    const words = `The clock of this server was set ${stepMs > 0 ? 'forward' : 'back'} by ${seconds} s.`;
    log.add('warn', `${words} Recording goes on by the new time.`);
    this.#stepMs = undefined;
    this.#wall.step();
    stream.pause('clock-set');
    stream.setTracks(this.#tracks);
  }

  #shifted(sample: Sample): Sample {
    const { timeOffsetMs } = this.#wall;
    const timescale = this.#timescales.get(sample.trackId);
    if (timeOffsetMs === 0 || timescale === undefined) return sample;
    const ticks = msToTicks(timeOffsetMs, timescale);
    return { ...sample, dts: sample.dts + ticks, pts: sample.pts + ticks };
  }

  #noteFrame(): void {
    const nowMs = this.#options.clock.monotonicMs();
    this.#noteArrival(nowMs);
    if (this.#firstFrameMs !== undefined) return;
    this.#firstFrameMs = this.#heldFromMs ?? this.#lastFrameMs;
    this.#onFirstFrame();
  }

  #noteArrival(nowMs: number): void {
    this.#frames++;
    this.#lastFrameMs = nowMs;
    if (nowMs - (this.#arrivalsMs.at(-1) ?? Number.NEGATIVE_INFINITY) < burstMs) return;
    this.#arrivalsMs.push(nowMs);
    if (this.#arrivalsMs.length > averagedIntervals + 1) this.#arrivalsMs.shift();
  }
}

function describe(tracks: readonly Track[]): string {
  return tracks
    .map((track) =>
      track.kind === 'video'
        ? `${track.codec.toUpperCase()} ${track.width}x${track.height}`
        : `${track.codec.toUpperCase()} ${track.sampleRate} Hz`,
    )
    .join(' and ');
}

function ended(cause: PauseCause): { cause: PauseCause; fault: Fault } {
  return { cause, fault: new Fault('Unavailable', 'The source ended the stream.') };
}

function singleFrame(): { cause: PauseCause; fault: Fault } {
  const words = 'The source sent a single image and ended: it is not a stream.';
  return { cause: 'no-frames', fault: new Fault('NO_VIDEO_ERR', words) };
}

function failed(error: unknown, hadFrame: boolean): { cause: PauseCause; fault: Fault } {
  if (!(error instanceof Fault)) {
    const words = 'The source failed for a reason of our own; the server log has it.';
    return { cause: 'damaged', fault: new Fault('InternalServerError', words, { cause: error }) };
  }
  return { cause: hadFrame && error.code === 'ProbeError' ? 'damaged' : 'unreachable', fault: error };
}
