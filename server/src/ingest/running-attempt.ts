import { atTime } from '@vidette/media/placed-sample';
import type { Sample } from '@vidette/media/sample';
import { msToTicks } from '@vidette/media/time';
import { primaryTrack, type Track } from '@vidette/media/track';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { PauseCause } from '../hub/reader.ts';
import type { Stream } from '../hub/stream.ts';
import { FrameWatchdog, watchdogPeriodMs, type FrameWatchdogOptions } from './frame-watchdog.ts';
import { HeldStart } from './held-start.ts';
import type { SourceSession, SourceSink } from './source.ts';
import type { StreamLog } from './stream-log.ts';
import { WallClockOffset } from './wall-clock-offset.ts';

/** The native RTSP engine, or FFmpeg's libraries in a child process. */
export type SourceEngine = 'rtsp' | 'av';

/** Creates the session of one attempt. Throws a Fault if the engine is unavailable (node-av is optional). */
export type OpenSession = (engine: SourceEngine) => SourceSession;

export interface AttemptOptions extends FrameWatchdogOptions {
  readonly stream: Stream;
  readonly clock: Clock;
  readonly log: StreamLog;
  readonly engine: SourceEngine;
  readonly openSession: OpenSession;
}

export interface AttemptEnd {
  /** The cause reported to readers. */
  readonly cause: PauseCause;
  readonly fault: Fault;
  /** From the first frame to the last one, ms; 0 without frames. */
  readonly goodMs: number;
  /** From the last frame to the end, ms; 0 without frames. */
  readonly silentMs: number;
}

/** A session that doesn't stop on request is abandoned after this. */
const abandonMs = 5_000;

/**
 * One session, with a watchdog on frames: an open socket proves nothing. Samples that a session sends after its
 * end was decided are dropped.
 */
export class RunningAttempt {
  readonly #options: AttemptOptions;
  readonly #onRunning: () => void;
  readonly #abort = new AbortController();
  readonly #abandoned = Promise.withResolvers<void>();
  #verdict: { cause: PauseCause; fault: Fault } | undefined;
  /** The video track, if there is one; only its frames count for the watchdog. */
  #watched: Track | undefined;
  readonly #watchdog: FrameWatchdog;
  #cancelAbandon: (() => void) | undefined;
  readonly #wall: WallClockOffset;
  #tracks: readonly Track[] = [];
  readonly #start = new HeldStart();
  /** By how much the wall clock was set, ms: the next key frame begins a new run. */
  #stepMs: number | undefined;

  constructor(options: AttemptOptions, onRunning: () => void) {
    this.#options = options;
    this.#onRunning = onRunning;
    this.#watchdog = new FrameWatchdog(options, options.clock.monotonicMs());
    this.#wall = new WallClockOffset(options.clock);
  }

  /** Runs once, until the session ends, the watchdog ends it or `stopping` is aborted. Never rejects. */
  async run(stopping: AbortSignal): Promise<AttemptEnd> {
    const onStop = () => this.#cut('stopped', new Fault('Unavailable', 'The stream was stopped.'));
    stopping.addEventListener('abort', onStop, { once: true });
    const cancelWatchdog = this.#options.clock.every(watchdogPeriodMs, () => this.#watch());
    // Deferred: the reader that joins is not given anything yet.
    const cancelJoined = this.#options.stream.onLowLatencyReader(() => queueMicrotask(() => this.#joined()));
    await Promise.race([this.#runSession(), this.#abandoned.promise]);
    cancelWatchdog();
    cancelJoined();
    this.#cancelAbandon?.();
    stopping.removeEventListener('abort', onStop);
    const { goodMs } = this.#watchdog;
    const silentMs = this.#watchdog.silentMs(this.#options.clock.monotonicMs());
    const { cause, fault } = this.#verdict ?? ended('ended');
    return { cause, fault, goodMs, silentMs };
  }

  /** Never rejects; the outcome is in the verdict. */
  async #runSession(): Promise<void> {
    try {
      const cause = await this.#options
        .openSession(this.#options.engine)
        .run(this.#sink(), this.#abort.signal);
      this.#verdict ??= this.#start.isSingleFrame ? singleFrame() : ended(cause);
    } catch (error) {
      const isEnd = error instanceof Fault && error.code === 'EHOSTUNREACH';
      this.#verdict ??=
        isEnd && this.#start.isSingleFrame ? singleFrame() : failed(error, this.#watchdog.isRunning);
    }
  }

  /** Asks the session to stop; if it doesn't, it is abandoned and the verdict does not change. */
  #cut(cause: PauseCause, fault: Fault): void {
    if (this.#verdict) return;
    this.#verdict = { cause, fault };
    this.#cancelAbandon = this.#options.clock.after(abandonMs, () => {
      this.#options.log.add('error', 'The source did not disconnect in time and was abandoned.');
      this.#abandoned.resolve();
    });
    this.#abort.abort(fault);
  }

  #watch(): void {
    this.#stepMs = this.#wall.look();
    const fault = this.#watchdog.look(this.#watched?.kind ?? 'video', this.#options.clock.monotonicMs());
    if (fault) this.#cut('no-frames', fault);
  }

  #sink(): SourceSink {
    const { stream, log } = this.#options;
    return {
      tracks: (tracks) => {
        if (this.#verdict) return;
        this.#watched = primaryTrack(tracks);
        this.#tracks = tracks;
        log.add('info', `The source sends ${describe(tracks)}.`);
        if (this.#start.isOver) stream.setTracks(tracks);
        else this.#start.restart();
      },
      sample: (sample: Sample) => {
        if (this.#verdict) return;
        const isFrame = sample.trackId === this.#watched?.id;
        if (isFrame) {
          this.#watchdog.noteFrame(this.#options.clock.monotonicMs());
          this.#start.noteFrame();
        }
        if (!this.#start.isOver && !this.#release(sample)) return;
        if (isFrame) {
          if (!this.#watchdog.isRunning && !this.#start.isSingleFrame) {
            this.#watchdog.run();
            this.#onRunning();
          }
          this.#wall.slew();
          if (sample.isKey && this.#stepMs !== undefined) this.#restartTime(this.#stepMs);
        }
        stream.write(this.#shifted(sample));
      },
      awaiting: (kind) => {
        if (this.#verdict) return;
        const isFirst = this.#watchdog.noteAwaited(kind, this.#options.clock.monotonicMs());
        if (isFirst) log.add('info', 'Frames arrive; waiting for a key frame.');
      },
      lost: (packets) => stream.noteLost(packets),
      note: (message, fields) => log.add('info', message, fields),
    };
  }

  /** Whether the held samples have been passed on, so that this one can follow them. */
  #release(sample: Sample): boolean {
    const held = this.#start.take(sample, this.#isAwaited);
    if (held) this.#passOn(held);
    return held !== undefined;
  }

  /** A source may be asked to play for a viewer before the viewer is there. */
  #joined(): void {
    if (this.#verdict || !this.#isAwaited) return;
    const held = this.#start.release();
    if (held) this.#passOn(held);
  }

  /** FFmpeg also opens a single image. A camera that was asked to play sends a stream, and a viewer waits for its first frame. */
  get #isAwaited(): boolean {
    return this.#options.engine === 'rtsp' && this.#options.stream.isOnlyWatched;
  }

  #passOn(held: readonly Sample[]): void {
    this.#options.stream.setTracks(this.#tracks);
    for (const sample of held) this.#options.stream.write(this.#shifted(sample));
  }

  /**
   * Dates the next samples by the current wall clock: a new run, so that the gap or the step back is recorded.
   */
  #restartTime(stepMs: number): void {
    const { stream, log } = this.#options;
    const seconds = (Math.abs(stepMs) / 1000).toFixed(1);
    const words = `The clock of this server was set ${stepMs > 0 ? 'forward' : 'back'} by ${seconds} s.`;
    log.add('warn', `${words} Recording continues with the new time.`);
    this.#stepMs = undefined;
    this.#wall.step();
    stream.pause('clock-set');
    stream.setTracks(this.#tracks);
  }

  #shifted(sample: Sample): Sample {
    const { timeOffsetMs } = this.#wall;
    if (timeOffsetMs === 0) return sample;
    const track = this.#tracks.find(({ id }) => id === sample.trackId);
    if (!track) return sample;
    const ticks = msToTicks(timeOffsetMs, track.timescale);
    return atTime(sample, sample.dts + ticks, sample.pts + ticks);
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
    const words = 'The source failed because of an internal error; see the server log.';
    return { cause: 'damaged', fault: new Fault('InternalServerError', words, { cause: error }) };
  }
  return { cause: hadFrame && error.code === 'ProbeError' ? 'damaged' : 'unreachable', fault: error };
}
