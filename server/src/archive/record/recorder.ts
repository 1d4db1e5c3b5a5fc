import { releaseSample } from '@vidette/media/sample-block';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Reader, ReaderEvent } from '../../hub/reader.ts';
import type { Stream } from '../../hub/stream.ts';
import { type RecordedGapCause, CatalogError } from '../catalog/catalog.ts';
import {
  GopAssembler,
  noSteps,
  type AssemblerLimits,
  type AssemblerStep,
  type AssembledFragment,
} from './gop-assembler.ts';
import {
  catalogMsCeil,
  catalogTicks,
  systemCode,
  RecordingFailure,
  type RecordingFailureCode,
  ShortWriteError,
} from '../segments/segments.ts';
import type { RecordingBacklog, ShedExtent } from './recording-backlog.ts';
import { fingerprintOf, type HandOverPoint } from './hand-over.ts';
import type { SegmentLimits, SegmentWriter } from './segment-writer.ts';
import { WriteFigures } from './write-figures.ts';

export interface RecorderLimits extends AssemblerLimits, SegmentLimits {
  /**
   * Bytes that may be queued while the disk is slow; beyond this limit the recorder resumes at the next key
   * frame.
   */
  readonly queueMaxBytes: number;
  /** Pause after a failed write. */
  readonly retryMs: number;
}

export interface RecorderTools {
  readonly writer: SegmentWriter;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: RecorderLimits;
  readonly backlog: RecordingBacklog;
  /**
   * Whether this node still records the stream; may wait until that is known, while samples are queued in the
   * reader.
   */
  permits(): boolean | Promise<boolean>;
  /** Called once, when the recorder has stopped. */
  onStopped(recorder: Recorder): void;
  /** Where another recorder of the stream has ended; undefined: starts with the next key frame. */
  readonly continues?: Continuation | undefined;
}

/** How a recorder continues where another one has ended. */
export interface Continuation {
  /** From its first key frame to the newest event of the stream. */
  readonly events: readonly ReaderEvent[];
  /** The time of that frame in the catalog, ticks; undefined: as the source is dated. */
  readonly atTicks: number | undefined;
}

export interface RecorderStatus {
  /**
   * waiting: for the source's first key frame. failed: frames arrive and cannot be written; `code` is the
   * reason.
   */
  readonly state: 'waiting' | 'recording' | 'failed' | 'stopped';
  readonly code?: RecordingFailureCode;
  /** With `write-failed`: the system error name, as in EROFS; absent if the system reports none. */
  readonly systemCode?: string;
  /**
   * End of the footage on the disk, ms since the epoch; undefined before the first fragment of this recorder.
   */
  readonly lastFragmentEndMs: number | undefined;
  readonly bytes: number;
  readonly fragments: number;
  /** Samples dropped because the disk was slower than the stream. */
  readonly skippedSamples: number;
  /** Samples that could not be stored: out of order, or with parameters that cannot be described in a file. */
  readonly unusableSamples: number;
  /** From a complete GOP to its committed row. */
  readonly writeLatency: { readonly lastMs: number; readonly meanMs: number; readonly maxMs: number };
  /**
   * What waits to be written now, and how long the write that is in progress has taken so far. Undefined from an engine
   * of the version before.
   */
  readonly waiting?: { readonly bytes: number; readonly ms: number };
  /**
   * What was dropped because too much of all streams waited, and how long ago that was last. Undefined if nothing was, and
   * from an engine of the version before.
   */
  readonly shed?: { readonly samples: number; readonly agoMs: number };
}

export type RecorderStopCause = 'recording-off' | 'server-stopped' | 'removed' | 'moved' | 'drained';

/** Fragments that are written together have at most so many bytes, unless one alone has more. */
const batchMaxBytes = 4 * 1024 * 1024;

/**
 * Records one stream: takes samples from its reader, assembles fragments, and writes all that are complete in one
 * operation. While it writes, later samples wait in the reader, whose limit bounds the memory of the whole recorder. The
 * longer a write takes, the more is written by the next one: what is written does not depend on how often the event loop
 * turns.
 */
export class Recorder {
  readonly uid: string;
  readonly #tools: RecorderTools;
  readonly #reader: Reader;
  readonly #assembler: GopAssembler;
  readonly #writer: SegmentWriter;
  /** The write in progress, and the writes queued after it. */
  #work: Promise<void> = Promise.resolve();
  readonly #draining = { isOn: false, done: Promise.resolve() };
  readonly #handOver: {
    isAsked: boolean;
    gopsBefore: number;
    point?: HandOverPoint;
    ended: PromiseWithResolvers<void>;
  } = {
    isAsked: false,
    gopsBefore: 0,
    ended: Promise.withResolvers(),
  };
  #stopped: Promise<void> | undefined;
  #state: RecorderStatus['state'] = 'waiting';
  #failure:
    | {
        readonly code: RecordingFailureCode;
        readonly systemCode: string | undefined;
        readonly retryAtMs: number;
      }
    | undefined;
  readonly #figures = new WriteFigures();

  constructor(stream: Stream, tools: RecorderTools) {
    this.uid = stream.uid;
    this.#tools = tools;
    this.#assembler = new GopAssembler(tools.limits);
    this.#writer = tools.writer;
    const { continues } = tools;
    if (continues?.atTicks !== undefined) this.#writer.continueAt(continues.atTicks);
    if (!continues) this.#breakAfterWrites(stream.pauseCause ?? 'waiting', false);
    this.#reader = stream.addReader({
      name: 'archive',
      maxBytes: tools.limits.queueMaxBytes,
      from: continues?.events ?? 'next-key',
      toleratesLatency: true,
      isRecorder: true,
      data: 'releases',
      sharedLimit: tools.backlog,
      onReadable: () => this.#wake(),
    });
    tools.backlog.join(this);
    this.#wake();
  }

  /** What waits in its queue. */
  get queuedBytes(): number {
    return this.#reader.queuedBytes;
  }

  /** See `RecordingBacklog`. The samples dropped leave a gap, `write-too-slow`. */
  shed(extent: ShedExtent): number {
    const samples = extent === 'all' ? this.#reader.skipAll() : this.#reader.skipToNewestGop();
    this.#figures.shed(samples, this.#tools.clock.monotonicMs());
    return samples;
  }

  get status(): RecorderStatus {
    const endTicks = this.#writer.endTicks;
    const failure = this.#state === 'failed' ? this.#failure : undefined;
    const nowMs = this.#tools.clock.monotonicMs();
    const shed = this.#figures.shedBefore(nowMs);
    return {
      state: this.#state,
      ...(failure && { code: failure.code }),
      ...(failure?.code === 'write-failed' && failure.systemCode && { systemCode: failure.systemCode }),
      lastFragmentEndMs: endTicks === undefined ? undefined : catalogMsCeil(endTicks),
      bytes: this.#figures.bytes,
      fragments: this.#figures.fragments,
      skippedSamples: this.#reader.skippedSamples,
      unusableSamples: this.#assembler.unusableSamples,
      writeLatency: this.#figures.latency,
      waiting: {
        bytes: this.#reader.queuedBytes,
        ms: this.#figures.delayMs(nowMs),
      },
      ...(shed && { shed }),
    };
  }

  /**
   * Writes everything received, including the open GOP, closes the file and notes why recording ended.
   * Idempotent; never rejects: write failures are logged.
   */
  stop(cause: RecorderStopCause): Promise<void> {
    this.#stopped ??= this.#finish(cause);
    return this.#stopped;
  }

  /**
   * Ends where the next GOP begins, for a recorder in another process to continue there. Ends immediately while no GOP
   * is being received, and with the run if that ends first. Idempotent; resolves when the last GOP is on the disk.
   */
  async handOver(): Promise<HandOverPoint> {
    if (!this.#handOver.isAsked) {
      this.#handOver.isAsked = true;
      // The other recorder may have begun to receive only now, and a slow disk leaves older GOPs in the queue.
      this.#handOver.gopsBefore = this.#reader.waitingGops;
    }
    if (!this.#assembler.isRunning) this.#stopped ??= this.#finish('moved');
    await this.#handOver.ended.promise;
    return this.#handOver.point ?? { atTicks: this.#writer.endTicks ?? 0, shiftTicks: 0 };
  }

  async #finish(cause: RecorderStopCause): Promise<void> {
    await this.#draining.done;
    for (let event = this.#reader.take(); event; event = this.#reader.take())
      this.#enqueueSteps(this.#assemble(event));
    this.#reader.close();
    for (const step of this.#assembler.interrupt(cause)) {
      if (step.type === 'fragment') this.#enqueueWrite([step.fragment]);
    }
    await this.#endAfterWrites(cause);
  }

  /** Ends before an event that is not recorded: the start of a GOP, or the end of the run. */
  async #finishBefore(event: ReaderEvent): Promise<void> {
    this.#reader.close();
    const steps =
      event.type === 'sample' ? this.#assembler.endBefore(event.sample) : this.#assembler.interrupt('moved');
    for (const step of steps) {
      if (step.type !== 'fragment') continue;
      const { fragment } = step;
      this.#enqueueWrite([fragment]);
      this.#enqueue(async () => this.#noteHandOver(event, fragment.endTicks));
    }
    await this.#endAfterWrites('moved');
  }

  #noteHandOver(event: ReaderEvent, atTicks: number): void {
    const shiftTicks = this.#writer.timeOffsetTicks;
    const fingerprint = event.type === 'sample' ? fingerprintOf(event.sample) : undefined;
    this.#handOver.point = { ...(fingerprint !== undefined && { fingerprint }), atTicks, shiftTicks };
  }

  async #endAfterWrites(cause: RecorderStopCause): Promise<void> {
    this.#breakAfterWrites(cause, true);
    await this.#work;
    this.#state = 'stopped';
    this.#tools.backlog.leave(this);
    this.#tools.onStopped(this);
    this.#handOver.ended.resolve();
  }

  #wake(): void {
    if (this.#draining.isOn || this.#stopped) return;
    // Most samples complete nothing.
    const steps = this.#takeSteps();
    if (steps.length > 0) this.#draining.done = this.#drain(steps);
  }

  /**
   * The flag is cleared in the same step that finds the queue empty: a later event must wake the recorder
   * again.
   */
  async #drain(first: readonly AssemblerStep[]): Promise<void> {
    this.#draining.isOn = true;
    for (let steps = first; steps.length > 0; steps = this.#takeSteps()) {
      this.#enqueueSteps(steps);
      await this.#work;
      if (this.#stopped) break;
    }
    this.#draining.isOn = false;
  }

  /** What the waiting events complete, as far as it is written together. Empty when none is waiting, and at a hand-over. */
  #takeSteps(): readonly AssemblerStep[] {
    let steps = noSteps;
    while (bytesOf(steps) < batchMaxBytes) {
      const event = this.#reader.take();
      if (!event) break;
      if (this.#handOver.isAsked && this.#endsGop(event)) {
        this.#enqueueSteps(steps);
        this.#stopped ??= this.#finishBefore(event);
        return noSteps;
      }
      const more = this.#assemble(event);
      if (more.length > 0) steps = [...steps, ...more];
    }
    return steps;
  }

  #endsGop(event: ReaderEvent): boolean {
    if (event.type !== 'sample') return event.type !== 'skipped';
    return event.startsGop && this.#handOver.gopsBefore-- <= 0;
  }

  /** What an event completes. */
  #assemble(event: ReaderEvent): readonly AssemblerStep[] {
    try {
      return this.#assembler.accept(event);
    } catch (error) {
      this.#tools.log.error({ err: error }, 'The tracks of this stream cannot be recorded');
      return noSteps;
    }
  }

  /** Fragments that follow each other are written together. */
  #enqueueSteps(steps: readonly AssemblerStep[]): void {
    let batch: AssembledFragment[] = [];
    for (const step of steps) {
      if (step.type === 'fragment') {
        batch.push(step.fragment);
        continue;
      }
      if (batch.length > 0) this.#enqueueWrite(batch);
      batch = [];
      this.#breakAfterWrites(step.cause, false);
    }
    if (batch.length > 0) this.#enqueueWrite(batch);
  }

  #enqueue(job: () => Promise<void>): void {
    this.#work = this.#work.then(job);
  }

  /** They count as waiting until they are written. */
  #enqueueWrite(fragments: readonly AssembledFragment[]): void {
    const { backlog } = this.#tools;
    const bytes = fragments.reduce((sum, fragment) => sum + fragment.bytes, 0);
    backlog.add(bytes);
    this.#enqueue(async () => {
      try {
        await this.#write(fragments);
      } finally {
        backlog.add(-bytes);
      }
    });
  }

  async #write(fragments: readonly AssembledFragment[]): Promise<void> {
    const { clock } = this.#tools;
    if (!(await this.#tools.permits())) return;
    if (this.#failure && clock.monotonicMs() < this.#failure.retryAtMs) return;
    const fromMs = clock.monotonicMs();
    this.#figures.begin(fromMs);
    try {
      const timeOffsetBefore = this.#writer.timeOffsetTicks;
      const written = await this.#writer.write(fragments, releaseAll);
      if (written.fragments === 0) return;
      this.#figures.add(written, clock.monotonicMs() - fromMs);
      if (this.#writer.timeOffsetTicks !== timeOffsetBefore && !this.#writer.isJoined)
        this.#reportTimeOffset();
      if (this.#failure) this.#tools.log.info({}, `Recording continues after ${this.#failure.code}`);
      this.#failure = undefined;
      this.#state = 'recording';
    } catch (error) {
      await this.#fail(error, fragments[0]?.startTicks ?? 0);
    } finally {
      this.#figures.end();
    }
  }

  /** Dated now, however long the preceding writes take. */
  #breakAfterWrites(cause: RecordedGapCause, endsRecording: boolean): void {
    const wallTicks = catalogTicks(this.#tools.clock.wallMs());
    this.#enqueue(() => this.#break(cause, wallTicks, endsRecording));
  }

  async #break(cause: RecordedGapCause, wallTicks: number, endsRecording: boolean): Promise<void> {
    try {
      await this.#writer.endRun(cause, wallTicks, endsRecording);
      if (this.#state === 'recording') this.#state = 'waiting';
    } catch (error) {
      await this.#fail(error, wallTicks);
    }
  }

  /** `fromTicks`: start of the time that could not be written. */
  async #fail(error: unknown, fromTicks: number): Promise<void> {
    const code = failureCodeOf(error);
    const { clock, log, limits } = this.#tools;
    if (this.#failure?.code !== code)
      log.error({ err: error }, `Recording failed (${code}); it will be retried`);
    const retryAtMs = clock.monotonicMs() + limits.retryMs;
    this.#failure = { code, systemCode: systemCode(error), retryAtMs };
    this.#state = 'failed';
    try {
      await this.#writer.abandon(code, fromTicks);
    } catch (abandonError) {
      log.error(
        { err: abandonError },
        'A segment could not be truncated; it will be truncated at the next start',
      );
    }
  }

  #reportTimeOffset(): void {
    this.#tools.log.warn(
      { timeOffsetMs: this.#writer.timeOffsetTicks / 90 },
      'The clock was set back and this time is already recorded; new footage is recorded after the existing footage',
    );
  }
}

/** What no file has taken is left to the garbage collector: a write that has failed may still be reading it. */
function releaseAll(fragments: readonly AssembledFragment[]): void {
  for (const { runs } of fragments)
    for (const { samples } of runs) for (const sample of samples) releaseSample(sample);
}

function bytesOf(steps: readonly AssemblerStep[]): number {
  return steps.reduce((sum, step) => sum + (step.type === 'fragment' ? step.fragment.bytes : 0), 0);
}

const fullCodes = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Maps a write error to the cause shown for the gap. */
function failureCodeOf(error: unknown): RecordingFailureCode {
  if (error instanceof RecordingFailure) return error.code;
  if (error instanceof ShortWriteError) return 'disk-full';
  if (error instanceof CatalogError) return error.isFull ? 'disk-full' : 'write-failed';
  return fullCodes.has(systemCode(error) ?? '') ? 'disk-full' : 'write-failed';
}
