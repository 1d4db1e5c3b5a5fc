import type { ErrorCode } from '@vidette/contract/errors';
import type { LiveMessage } from '@vidette/contract/live';
import type { FragmentTrack } from '@vidette/media/fmp4/fragment';
import type { Sample } from '@vidette/media/sample';
import { releaseSample } from '@vidette/media/sample-block';
import { ticksToMs } from '@vidette/media/time';
import type { Track } from '@vidette/media/track';
import type { Clock } from '../base/clock.ts';
import type { LoadLevel } from '../base/load-level.ts';
import type { PreparedMessage } from '../base/web-socket.ts';
import type { Reader, ReaderEvent } from '../hub/reader.ts';
import type { Stream } from '../hub/stream.ts';
import type { LiveFragmenter } from './fragmenter.ts';
import { describeTrack } from './track-description.ts';
import { FragmentBuilder } from './fragment-builder.ts';
import { AudioStartWait } from './audio-start-wait.ts';
import { InitTracks } from './init-tracks.ts';

/** Where a live session sends its output: a WebSocket of its own, or one of many channels of a shared one. */
export interface LiveSink {
  text(message: LiveMessage): void;
  binary(message: PreparedMessage): void;
  /**
   * Bytes sent but not yet accepted by the network. The sink calls the session's `resume` when the number has
   * dropped.
   */
  readonly bufferedBytes: number;
}

/** What a viewer requests of a stream. */
export interface LiveVariant {
  /** With the audio, if there is any. */
  readonly audio: boolean;
  /** Key frames only: for small tiles, or for a viewer with too little bandwidth. Without audio. */
  readonly keyFramesOnly: boolean;
  /** Of the camera's sub-stream, which is reduced first when the server is overloaded. Default false. */
  readonly isSub?: boolean;
}

export interface LiveSessionOptions {
  readonly stream: Stream;
  readonly fragmenter: LiveFragmenter;
  readonly sink: LiveSink;
  readonly clock: Clock;
  readonly variant: LiveVariant;
  readonly load: Pick<LoadLevel, 'defers'>;
  /** Called once, when nothing more follows. `error` is set if it ended because of an internal error. */
  readonly onEnd: (code: ErrorCode, error?: unknown) => void;
}

/** Above this many bytes in transit to a viewer nothing is added; the hub's queue waits, then skips. */
const highWaterBytes = 512 * 1024;
/** Maximum number of bytes that wait for one viewer in the hub's queue. */
const queueBytes = 8 * 1024 * 1024;
/** A viewer that resumes and finds this many GOPs waiting continues with the latest. */
const maxWaitingGops = 2;
/** Largest batch that is sent before the sink is checked again. */
const batchBytes = 256 * 1024;
/** Audio alone is sent in chunks of this duration. */
const audioPieceMs = 200;
/**
 * See FragmentBuilder: a guess must survive a camera that halves its frame rate, or one that waits for the next
 * key frame.
 */
const leastGuessMs = { all: 250, keyFrames: 10_000 } as const;

/**
 * One viewer of one stream: the GOP so far immediately, then a fragment per frame, through a Reader of its own
 * that skips when the viewer is slow. While the server is overloaded it sends key frames only. It does not depend on a
 * socket, so that one socket may carry many sessions.
 */
export class LiveSession {
  readonly #options: LiveSessionOptions;
  readonly #reader: Reader;
  readonly #audioStartWait: AudioStartWait;
  readonly #initTracks: InitTracks;
  #generation = 0;
  #run: FragmentBuilder | undefined;
  #isBlocked = false;
  #isScheduled = false;
  /** Only key frames are sent because of overload. */
  #isReduced = false;
  #isClosed = false;
  #bytesSent = 0;

  constructor(options: LiveSessionOptions) {
    this.#options = options;
    this.#initTracks = new InitTracks(options.stream);
    this.#audioStartWait = new AudioStartWait(options.stream, options.clock, () => this.#schedule());
    this.#reader = options.stream.addReader({
      name: 'live',
      maxBytes: queueBytes,
      from: 'gop',
      data: 'releases',
      onReadable: () => this.#schedule(),
    });
    if (!options.stream.tracks) options.sink.text({ type: 'waiting', reason: 'connecting' });
  }

  /** Media bytes given to the sink so far. */
  get bytesSent(): number {
    return this.#bytesSent;
  }

  /** Samples dropped because this viewer was too slow. */
  get skippedSamples(): number {
    return this.#reader.skippedSamples;
  }

  /** The sink accepts data again. */
  resume(): void {
    if (!this.#isBlocked || this.#options.sink.bufferedBytes > highWaterBytes / 2) return;
    this.#isBlocked = false;
    if (this.#reader.waitingGops >= maxWaitingGops) this.#reader.skipToNewestGop();
    this.#schedule();
  }

  /**
   * Informs the viewer that the session has ended, and releases the stream; e.g. when its right to watch is
   * revoked. Idempotent.
   */
  end(code: ErrorCode): void {
    if (this.#isClosed) return;
    this.#options.sink.text({ type: 'end', code });
    this.#finish(code);
  }

  /** Releases the stream without a message, because the viewer has disconnected. Idempotent. */
  close(): void {
    if (!this.#isClosed) this.#finish('Unavailable');
  }

  #finish(code: ErrorCode, error?: unknown): void {
    this.#isClosed = true;
    this.#audioStartWait.stop();
    this.#reader.close();
    this.#options.onEnd(code, error);
  }

  /**
   * Runs after the writer's own work: what it wrote in one turn is read in one turn, and it never runs this
   * code.
   */
  #schedule(): void {
    if (this.#isScheduled || this.#isBlocked) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      this.#guarded(() => this.#pump());
    });
  }

  /** An internal error ends this viewer's session, never the stream. */
  #guarded(run: () => void): void {
    if (this.#isClosed) return;
    try {
      run();
    } catch (error) {
      this.#options.sink.text({ type: 'end', code: 'InternalServerError' });
      this.#finish('InternalServerError', error);
    }
  }

  #pump(): void {
    while (!this.#isBlocked && !this.#isClosed && !this.#audioStartWait.mustWait()) {
      const event = this.#reader.take();
      if (!event) break;
      this.#handle(event);
      if (this.#run && this.#run.bytes > batchBytes) this.#sendKnown();
    }
    if (!this.#isClosed) this.#sendTaken();
  }

  #handle(event: ReaderEvent): void {
    const { sink } = this.#options;
    switch (event.type) {
      case 'sample':
        this.#onSample(event.sample, event.startsGop);
        return;
      case 'tracks':
        this.#sendAll();
        this.#initTracks.declare(event.tracks);
        this.#generation = event.generation;
        this.#run = undefined;
        if (this.#wantsAudio) this.#audioStartWait.begin();
        return;
      case 'skipped':
        this.#sendAll();
        this.#run?.noteSkip();
        sink.text({ type: 'skipped', samples: event.samples });
        return;
      case 'pause':
        this.#sendAll();
        sink.text({ type: 'waiting', reason: event.cause });
        return;
      case 'end':
        this.#sendAll();
        this.end(event.cause === 'removed' ? 'NotFound' : 'Unavailable');
    }
  }

  #onSample(sample: Sample, startsGop: boolean): void {
    this.#reduceOrResume(sample, startsGop);
    if (startsGop) {
      const tracks = this.#initTracks.next((active) => this.#wanted(active));
      if (tracks) {
        this.#sendAll(sample.dts);
        this.#begin(tracks, sample);
      }
    }
    const isLeftOut = this.#keyFramesOnly && !startsGop;
    if (isLeftOut || !this.#run?.add(sample)) releaseSample(sample);
  }

  /** Begins immediately, and ends with a GOP. */
  #reduceOrResume(sample: Sample, startsGop: boolean): void {
    const { load, variant, sink } = this.#options;
    const mustReduce = !variant.keyFramesOnly && load.defers(variant.isSub ? 'sub-streams' : 'live');
    if (mustReduce === this.#isReduced || (!mustReduce && !startsGop)) return;
    this.#sendAll(startsGop ? sample.dts : undefined);
    this.#isReduced = mustReduce;
    // What it has learnt of the durations of frames does not apply any more.
    if (this.#run) this.#run = this.#newRun(this.#initTracks.used);
    sink.text({ type: 'reduced', isReduced: mustReduce });
  }

  get #keyFramesOnly(): boolean {
    return this.#options.variant.keyFramesOnly || this.#isReduced;
  }

  get #wantsAudio(): boolean {
    return this.#options.variant.audio && !this.#keyFramesOnly;
  }

  /** The active tracks that this session sends. */
  #wanted(active: readonly Track[]): readonly Track[] {
    const hasVideo = active.some(({ kind }) => kind === 'video');
    return this.#wantsAudio ? active : active.filter(({ kind }) => kind === 'video' || !hasVideo);
  }

  #begin(used: readonly Track[], first: Sample): void {
    const { fragmenter, sink } = this.#options;
    const init = fragmenter.init(this.#initTracks.declared, used);
    const timescale = used.find(({ id }) => id === first.trackId)?.timescale ?? 1;
    sink.text({
      type: 'init',
      mimeType: init.mimeType,
      generation: this.#generation,
      tracks: used.map(describeTrack),
      startMs: ticksToMs(first.pts, timescale),
    });
    this.#send(init.message);
    this.#run = this.#newRun(used);
  }

  #newRun(used: readonly Track[]): FragmentBuilder {
    const { keyFramesOnly } = this.#options.variant;
    return new FragmentBuilder(used, keyFramesOnly ? leastGuessMs.keyFrames : leastGuessMs.all);
  }

  /**
   * Sends what was taken from the queue: the newest frame apart, so that a player can correct its guessed duration. Audio
   * alone waits until it is worth a fragment.
   */
  #sendTaken(): void {
    this.#sendKnown();
    // A viewer who expects all frames plays a reduced stream when the duration of each is known, and without a break.
    if (this.#isReduced || !this.#run) return;
    if (this.#run.hasFrame || this.#run.audioMs >= audioPieceMs) this.#sendAll();
  }

  /** Sends what needs no guess. */
  #sendKnown(): void {
    const known = this.#run?.takeKnown() ?? [];
    if (known.length > 0) this.#sendRuns(known);
  }

  #sendAll(nextDts?: number): void {
    if (this.#run && !this.#run.isEmpty) this.#sendRuns(this.#run.takeAll(nextDts));
  }

  #sendRuns(runs: readonly FragmentTrack[]): void {
    this.#send(this.#options.fragmenter.fragment(runs));
  }

  #send(message: PreparedMessage): void {
    this.#options.sink.binary(message);
    this.#bytesSent += message.payload.length;
    this.#isBlocked = this.#options.sink.bufferedBytes > highWaterBytes;
  }
}
