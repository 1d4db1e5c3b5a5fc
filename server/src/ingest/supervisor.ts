import type { ErrorCode } from '@vidette/contract/errors';
import { delay, type Clock } from '../base/clock.ts';
import type { Fault } from '../base/fault.ts';
import type { PauseCause } from '../hub/reader.ts';
import type { Stream } from '../hub/stream.ts';
import { rtspFallbackSchemes, rtspSchemes, type SourceAddress } from '../dial/address.ts';
import { AttemptHistory, type Attempt } from './attempt-history.ts';
import { RetryPause } from '../base/retry-pause.ts';
import { askAgainMs, awaitReturn, awayMs, type SourceContact } from './return-watch.ts';
import { RunningAttempt, type AttemptEnd, type OpenSession, type SourceEngine } from './running-attempt.ts';
import type { StreamLog } from './stream-log.ts';

type SupervisorState = 'connecting' | 'running' | 'failed' | 'stopped';

export interface SupervisorStatus {
  readonly state: SupervisorState;
  /** Set while `failed`: the error of the newest attempt. */
  readonly code?: ErrorCode;
  /**
   * The same as a message for users (English; the code has a text in both languages): the stream's
   * failureReason.
   */
  readonly reason?: string;
  /** Wall clock at which this state began, ms; of a source that fell silent, when its last frame arrived. */
  readonly sinceMs: number;
  /** Attempts since the last frames, including the current one. */
  readonly attempts: number;
  /** Wall clock at which the next attempt begins at the latest, ms; undefined unless the source waits for it. */
  readonly nextAttemptMs?: number | undefined;
  /** The engine that the newest attempt used. */
  readonly engine: SourceEngine;
}

export interface SupervisorOptions {
  readonly address: SourceAddress;
  readonly stream: Stream;
  readonly clock: Clock;
  readonly log: StreamLog;
  readonly openSession: OpenSession;
  /** Checks whether anything listens there; without it only the pauses between attempts apply. */
  readonly reach?: SourceContact | undefined;
  /** Called after every change of `status`. */
  readonly onStatus?: (status: SupervisorStatus) => void;
  /** Called after every attempt that ended, with the number of those since the last frames. */
  readonly onFailure?: (fault: Fault, attempts: number) => void;
  /** A source without frames for this long counts as lost, even if its socket is open, ms. Default 10 s. */
  readonly noFramesMs?: number;
  /** The same before the first frame, including the login and the wait for a key frame, ms. Default 20 s. */
  readonly firstFrameMs?: number;
  /** Replaces these limits, asked for each attempt. */
  readonly limits?: () => { readonly firstFrameMs?: number };
}

/** Maximum length of a cause in the log, characters. */
const maxCauseLength = 200;
/** A source that was silent for less before its end has failed since that end, ms. */
const noticedSilenceMs = 1_000;
/** The other engine is tried almost immediately: to the user it is the same attempt. */
const fallbackPauseMs = 200;
/** A camera that sends frames for this long is known to run well, ms... */
const ranWellMs = 10_000;
/** ...and is polled for this long after an outage, ms. */
const watchedMs = 300_000;
/** Until frames arrive again: an address that both engines reject this often is not a camera. */
const maxFailedFallbacks = 3;

/**
 * Keeps one configured source running indefinitely: a session for each attempt, a watchdog on frames rather
 * than on sockets, increasing pauses in between. It owns the sessions and writes to the stream, which it
 * doesn't own.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #pause: RetryPause;
  readonly #history = new AttemptHistory();
  readonly #stopping = new AbortController();
  #engine: SourceEngine;
  /** The cause of the fallback; reported if the fallback fails too. */
  #rtspFault: Fault | undefined;
  #failedFallbacks = 0;
  /** When frames had last arrived long enough to show that the camera runs well, monotonic ms. */
  #ranWellMs: number | undefined;
  /** Nothing listened at its address before the newest attempt. */
  #isAway = false;
  #status: SupervisorStatus;
  #running: Promise<void> | undefined;
  #stopCause: PauseCause | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#pause = new RetryPause(options.clock);
    this.#engine = rtspSchemes.has(options.address.scheme) ? 'rtsp' : 'av';
    this.#status = { state: 'stopped', sinceMs: options.clock.wallMs(), attempts: 0, engine: this.#engine };
  }

  get status(): SupervisorStatus {
    return this.#status;
  }

  /** The newest attempts, oldest first. */
  get attempts(): readonly Attempt[] {
    return this.#history.attempts;
  }

  /** Starts; call once. */
  start(): void {
    if (this.#running || this.#stopping.signal.aborted) return;
    this.#options.log.add('info', `Connecting to ${this.#options.address.redacted}.`);
    this.#options.stream.pause('waiting');
    this.#setStatus({ state: 'connecting', attempts: 0 });
    this.#running = this.#keepRunning();
  }

  /**
   * Ends for good; idempotent. The stream is paused with the cause. Resolves when the session has released
   * everything.
   */
  async stop(cause: PauseCause): Promise<void> {
    if (!this.#stopping.signal.aborted) {
      this.#stopCause = cause;
      this.#stopping.abort();
      this.#options.stream.pause(cause);
      this.#options.log.add('info', `Stopped: ${cause}.`);
      this.#setStatus({ state: 'stopped', attempts: 0 });
    }
    await this.#running;
  }

  async #keepRunning(): Promise<void> {
    const { clock } = this.#options;
    while (!this.#stopping.signal.aborted) {
      const result = await this.#attempt();
      if (this.#stopping.signal.aborted) return;
      const pauseMs = this.#pauseAfter(result);
      if (result.goodMs > 0) this.#isAway = false;
      if (result.goodMs >= ranWellMs) this.#ranWellMs = clock.monotonicMs();
      await this.#rest(pauseMs, result).catch(rethrowUnlessStopped(this.#stopping.signal));
    }
  }

  /**
   * The pause before the next attempt; a camera that ran well until recently is logged in to as soon as it is
   * back, and asked often while it is there and does not send, unless it refused the password.
   */
  async #rest(pauseMs: number, { fault }: AttemptEnd): Promise<void> {
    const { clock, reach, address } = this.#options;
    const { signal } = this.#stopping;
    const lastThereMs = this.#ranWellMs;
    const ranWell = lastThereMs !== undefined && clock.monotonicMs() - lastThereMs < watchedMs;
    const isWatched = reach !== undefined && ranWell && fault.code !== 'HTTP_UNAUTHORIZED';
    // A camera that nothing answers for is logged in to less often: its return is noticed earlier.
    const latestMs = isWatched ? Math.max(pauseMs, awayMs) : pauseMs;
    this.#status = { ...this.#status, nextAttemptMs: clock.wallMs() + latestMs };
    if (!isWatched) {
      await delay(clock, pauseMs, signal);
    } else {
      const sinceMs = clock.monotonicMs() - lastThereMs;
      const isCostly = address.credentials !== undefined || this.#engine === 'av';
      const returned = await awaitReturn({
        clock,
        reach,
        pauseMs: Math.min(pauseMs, askAgainMs(sinceMs, isCostly, clock)),
        isAway: this.#isAway,
        lastThereMs,
        signal,
      });
      this.#isAway = returned === 'away';
      if (returned === 'back') this.#pause.restart();
    }
  }

  /** One session from start to end; never rejects. */
  async #attempt(): Promise<AttemptEnd> {
    const { clock, stream } = this.#options;
    const startedMs = clock.monotonicMs();
    const startedWallMs = clock.wallMs();
    this.#setStatus({ ...this.#status, attempts: this.#status.attempts + 1 });
    const limits = this.#options.limits?.();
    const options = { ...this.#options, ...limits, engine: this.#engine, tries: this.#status.attempts };
    const attempt = new RunningAttempt(options, () => this.#onRunning(startedMs));
    const end = await attempt.run(this.#stopping.signal);
    this.#history.add({
      startedMs: startedWallMs,
      endedMs: clock.wallMs(),
      goodMs: end.goodMs,
      engine: this.#engine,
      code: end.fault.code,
      reason: end.fault.message,
    });
    if (!this.#stopping.signal.aborted) stream.pause(end.cause);
    return end;
  }

  #onRunning(startedMs: number): void {
    const { clock, log } = this.#options;
    const seconds = ((clock.monotonicMs() - startedMs) / 1000).toFixed(1);
    log.add('info', `The first frame arrived ${seconds} s after connecting.`);
    this.#setStatus({ state: 'running', attempts: 0 });
  }

  /**
   * Reports how the session ended, chooses the engine of the next attempt, and returns the pause before it, ms.
   */
  #pauseAfter({ goodMs, silentMs, fault }: AttemptEnd): number {
    const { address, log } = this.#options;
    const isFallback = this.#engine === 'av' && rtspSchemes.has(address.scheme);
    if (goodMs > 0) this.#failedFallbacks = 0;
    const canFallBack = this.#engine === 'rtsp' && rtspFallbackSchemes.has(address.scheme);
    const isUnmanageable = canFallBack && goodMs === 0 && fault.code === 'ProbeError';
    if (isUnmanageable && this.#failedFallbacks < maxFailedFallbacks) {
      this.#engine = 'av';
      this.#rtspFault = fault;
      this.#fail(fault);
      log.add(
        'warn',
        `The built-in RTSP engine cannot handle this camera: ${fault.message} Trying FFmpeg's.`,
      );
      return fallbackPauseMs;
    }
    if (isFallback && goodMs === 0) {
      this.#engine = 'rtsp';
      this.#failedFallbacks++;
      log.add('warn', `FFmpeg's RTSP engine fails too: ${fault.message}`);
      this.#fail(this.#rtspFault ?? fault);
    } else {
      this.#fail(fault, silentMs);
    }
    return this.#pause.next({ goodMs, isUnauthorized: fault.code === 'HTTP_UNAUTHORIZED' });
  }

  /** @param silentMs for how long no frame had arrived by then */
  #fail(fault: Fault, silentMs = 0): void {
    const { attempts } = this.#status;
    const isNews = this.#status.state !== 'failed' || this.#status.reason !== fault.message;
    const agoMs = silentMs < noticedSilenceMs ? 0 : silentMs;
    this.#setStatus({ state: 'failed', code: fault.code, reason: fault.message, attempts }, agoMs);
    this.#options.onFailure?.(fault, attempts);
    // A camera that is offline for a week must not push everything else out of the log: only attempts 1, 2, 4,
    // 8... are logged.
    if (isNews || Number.isInteger(Math.log2(attempts))) {
      this.#options.log.add('warn', attempts > 1 ? `${fault.message} Attempt ${attempts}.` : fault.message, {
        code: fault.code,
        ...(fault.code === 'InternalServerError' ? { err: fault } : causeOf(fault)),
      });
    }
  }

  /** @param agoMs how long ago a new state began */
  #setStatus(next: Omit<SupervisorStatus, 'sinceMs' | 'engine' | 'nextAttemptMs'>, agoMs = 0): void {
    if (this.#stopCause !== undefined && next.state !== 'stopped') return;
    const isSame = next.state === this.#status.state;
    const sinceMs = isSame ? this.#status.sinceMs : this.#options.clock.wallMs() - agoMs;
    this.#status = { ...next, sinceMs, engine: this.#engine, nextAttemptMs: undefined };
    this.#options.onStatus?.(this.#status);
  }
}

function rethrowUnlessStopped(signal: AbortSignal): (error: unknown) => void {
  return (error) => {
    if (!signal.aborted) throw error;
  };
}

/** Why a camera is offline, in a few words: an outage is not a program error, so its log line has no stack. */
function causeOf({ cause }: Fault): { cause?: string } {
  if (!(cause instanceof Error)) return {};
  const { code } = cause as NodeJS.ErrnoException;
  return { cause: code ?? (cause.message.split('\n', 1)[0] ?? '').slice(0, maxCauseLength) };
}
