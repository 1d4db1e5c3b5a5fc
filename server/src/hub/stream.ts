import type { Sample } from '@vidette/media/sample';
import { releaseSample } from '@vidette/media/sample-block';
import type { Cancel } from '../base/clock.ts';
import type { Track } from '@vidette/media/track';
import { GopBuffer } from './gop-buffer.ts';
import { Reader, type PauseCause, type ReaderEvent, type ReaderOptions } from './reader.ts';

/** Ticks of the track's timescale. */
type SampleTime = Pick<Sample, 'dts'>;

/** Shared by all streams that nothing reads, which may be ten thousand. */
const noReaders: ReadonlySet<Reader> = new Set();

/** Counters of one stream since its creation; monotonic. */
export interface StreamCounters {
  videoSamples: number;
  audioSamples: number;
  bytes: number;
  keySamples: number;
  damagedSamples: number;
  /** Packets lost on the source's transport. */
  lostPackets: number;
}

/**
 * The hub of one stream: one writer, any number of bounded Readers, and the GOP so far for readers that join
 * later. It depends on no protocol and does not access the disk, and writing never waits for a reader.
 */
export class Stream {
  readonly uid: string;
  readonly counters: StreamCounters = {
    videoSamples: 0,
    audioSamples: 0,
    bytes: 0,
    keySamples: 0,
    damagedSamples: 0,
    lostPackets: 0,
  };
  #readers: Set<Reader> | undefined;
  /** Undefined, like its neighbours, until it is needed: most of ten thousand streams may never run. */
  #lowLatencyListeners: Set<() => void> | undefined;
  #gop: GopBuffer | undefined;
  #newest: Map<number, SampleTime> | undefined;
  #tracks: readonly Track[] | undefined;
  #pauseCause: PauseCause | undefined = 'waiting';
  #videoTrackId: number | undefined;
  #generation = 0;
  #needsKey = true;
  #ended = false;

  constructor(uid: string, options: { gopMaxBytes?: number } = {}) {
    this.uid = uid;
    if (options.gopMaxBytes !== undefined) this.#gop = new GopBuffer(options.gopMaxBytes);
  }

  /** The current parameters; undefined while no source delivers. */
  get tracks(): readonly Track[] | undefined {
    return this.#tracks;
  }

  /** Why no source delivers; undefined while one does. */
  get pauseCause(): PauseCause | undefined {
    return this.#pauseCause;
  }

  /** Incremented at every change of tracks. */
  get generation(): number {
    return this.#generation;
  }

  get readerCount(): number {
    return this.#readers?.size ?? 0;
  }

  /**
   * The samples since the newest key frame, oldest first; empty before the first one. A caller that needs their data later
   * keeps them (`keepSample`).
   */
  get gop(): readonly Sample[] {
    return this.#gop?.samples ?? [];
  }

  /**
   * When the last sample of this track was passed on with the current parameters; undefined while the track is
   * silent. Some cameras announce audio but never send any.
   */
  newest(trackId: number): SampleTime | undefined {
    return this.#newest?.get(trackId);
  }

  /** Some reader waits for each frame, and none records them. */
  get isOnlyWatched(): boolean {
    let isWatched = false;
    for (const { isRecorder, toleratesLatency } of this.#readers ?? noReaders) {
      if (isRecorder) return false;
      isWatched ||= !toleratesLatency;
    }
    return isWatched;
  }

  /** There is a key frame to start from, and no reader needs low latency. */
  get toleratesLatency(): boolean {
    if (this.gop.length === 0) return false;
    for (const reader of this.#readers ?? noReaders) if (!reader.toleratesLatency) return false;
    return true;
  }

  /** Calls `run` whenever a reader that needs low latency joins. */
  onLowLatencyReader(run: () => void): Cancel {
    const listeners = (this.#lowLatencyListeners ??= new Set());
    listeners.add(run);
    return () => listeners.delete(run);
  }

  /**
   * Declares the tracks of the samples that follow. Samples before the next key frame of the video track, if
   * there is one, are not passed on.
   */
  setTracks(tracks: readonly Track[]): void {
    if (this.#ended) return;
    this.#generation++;
    this.#pauseCause = undefined;
    this.#tracks = tracks;
    this.#videoTrackId = tracks.find((track) => track.kind === 'video')?.id;
    this.#needsKey = this.#videoTrackId !== undefined;
    this.#gop ??= new GopBuffer();
    this.#gop.clear();
    this.#newest = new Map();
    this.#offer({ type: 'tracks', generation: this.#generation, tracks });
  }

  /** Passes one sample to all readers. It must belong to the tracks declared last. Takes over the caller's hold on it. */
  write(sample: Sample): void {
    if (this.#ended || !this.#tracks) return;
    const isVideo = sample.trackId === this.#videoTrackId;
    const isKeyPoint = this.#videoTrackId === undefined ? sample.isKey : isVideo && sample.isKey;
    this.#count(sample, isVideo);
    if (this.#needsKey) {
      if (!isKeyPoint) return;
      this.#needsKey = false;
    }
    this.#newest?.set(sample.trackId, { dts: sample.dts });
    const isBuffered = this.#videoTrackId !== undefined && this.#gop?.add(sample, isKeyPoint) === true;
    this.#offer({ type: 'sample', sample, startsGop: isKeyPoint });
    if (!isBuffered) releaseSample(sample);
  }

  /** Counts lost packets; the samples they belong to are marked. */
  noteLost(packets: number): void {
    this.counters.lostPackets += packets;
  }

  /** The source disconnected, or the reason for its absence changed; the next `setTracks` resumes. */
  pause(cause: PauseCause): void {
    if (this.#ended || this.#pauseCause === cause) return;
    this.#pauseCause = cause;
    this.#tracks = undefined;
    this.#gop?.clear();
    this.#newest = undefined;
    this.#offer({ type: 'pause', cause });
  }

  /** Ends the stream for good; idempotent. Readers get `end` and are removed. */
  end(cause: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#tracks = undefined;
    this.#gop?.clear();
    this.#newest = undefined;
    this.#offer({ type: 'end', cause });
    this.#readers = undefined;
  }

  /** A new reader; with `from: 'gop'` its queue already holds the parameters and the GOP so far. */
  addReader(options: ReaderOptions): Reader {
    const reader = new Reader(options, (closed) => this.#readers?.delete(closed));
    if (this.#ended) {
      reader.offer({ type: 'end', cause: 'ended' });
      reader.announceWaiting();
      return reader;
    }
    this.#readers ??= new Set();
    this.#readers.add(reader);
    if (!reader.toleratesLatency) for (const run of this.#lowLatencyListeners ?? []) run();
    if (typeof options.from !== 'string') {
      for (const event of options.from) reader.offer(event);
    } else if (this.#tracks) {
      reader.offer({ type: 'tracks', generation: this.#generation, tracks: this.#tracks });
      // Without a GOP (none has begun yet, or it is too long to buffer) the reader can start only at the next
      // key frame.
      if (options.from === 'next-key' || this.gop.length === 0) reader.awaitKey();
      else {
        this.gop.forEach((sample, at) => reader.offer({ type: 'sample', sample, startsGop: at === 0 }));
      }
    }
    reader.announceWaiting();
    return reader;
  }

  #offer(event: ReaderEvent): void {
    for (const reader of this.#readers ?? noReaders) reader.offer(event);
  }

  #count(sample: Sample, isVideo: boolean): void {
    const counters = this.counters;
    if (isVideo) counters.videoSamples++;
    else counters.audioSamples++;
    if (isVideo && sample.isKey) counters.keySamples++;
    if (sample.isDamaged) counters.damagedSamples++;
    counters.bytes += sample.size;
  }
}
