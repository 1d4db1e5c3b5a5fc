import { isSameTracks, type Track } from './track.ts';
import type { TrackSelector } from './track-selector.ts';

/** What a declarer needs to know about a sample, whether parsed or on its way between two processes. */
interface DeclaredSample {
  readonly trackId: number;
  readonly isKey: boolean;
}

/** Receives the declared tracks and their samples. */
export interface DeclarationSink<S extends DeclaredSample> {
  tracks(tracks: readonly Track[]): void;
  sample(sample: S): void;
  /**
   * A sample arrived that cannot be passed on: its parameters, the first key frame or the announced video are
   * missing.
   */
  awaiting(kind: Track['kind']): void;
}

/** Maximum number of samples that wait while the tracks are being decided. */
const maxHeld = 500;

/**
 * Declares the tracks of a source to its sink as the selector decides: with the first key frame, whose samples
 * it holds until the audio has arrived or is no longer due, and again at a key frame, where a change costs no
 * frames.
 */
export class TrackDeclarer<S extends DeclaredSample> {
  readonly #sink: DeclarationSink<S>;
  readonly #selector: TrackSelector;
  #declared: readonly Track[] | undefined;
  /** Undefined if nothing is being decided. */
  #held: S[] | undefined;

  constructor(sink: DeclarationSink<S>, selector: TrackSelector) {
    this.#sink = sink;
    this.#selector = selector;
  }

  /** New parameters: for video before a key frame, for audio before its first sample. */
  setTrack(track: Track): void {
    this.#selector.setTrack(track);
  }

  /** Whether the newest parameters of the video are these. */
  isVideo(track: Track | undefined): boolean {
    return this.#selector.track('video') === track;
  }

  /** The announced audio will not arrive. */
  expectNoAudio(): void {
    this.#selector.expectNoAudio();
  }

  /** Video frames arrived, whether or not they could be passed on. */
  get isVideoSeen(): boolean {
    return this.#selector.isVideoSeen;
  }

  /** Tracks were declared, and samples passed on. */
  get hasBegun(): boolean {
    return this.#declared !== undefined;
  }

  /** A video frame arrived whose parameters are not known yet. */
  awaitVideo(nowMs: number): void {
    this.#selector.noteVideo(false, nowMs);
    this.#sink.awaiting('video');
  }

  /** @param nowMs any clock that doesn't step, the same for all calls */
  video(sample: S, nowMs: number): void {
    this.#selector.noteVideo(sample.isKey, nowMs);
    if (sample.isKey) this.#atKey(nowMs);
    if (this.#held) this.#hold(this.#held, sample, nowMs);
    else this.#pass(sample, 'video');
  }

  /** @param nowMs any clock that doesn't step, the same for all calls */
  audio(sample: S, nowMs: number): void {
    this.#selector.noteAudio(nowMs);
    if (this.#held) {
      this.#hold(this.#held, sample, nowMs);
      return;
    }
    // If there is video, other parameters wait for the next key frame.
    if (!this.#selector.expectsVideo && this.#selector.track('audio') && !this.#isDeclared('audio'))
      this.#declare(nowMs);
    this.#pass(sample, 'audio');
  }

  /** To be called periodically: samples must not be held until a distant next frame. */
  look(nowMs: number): void {
    if (this.#held && !this.#selector.isAudioDue(nowMs)) this.#release(this.#held, nowMs);
  }

  #atKey(nowMs: number): void {
    if (!this.#declared) this.#held ??= [];
    else if (!isSameTracks(this.#selector.active(nowMs), this.#declared)) this.#declare(nowMs);
  }

  #hold(held: S[], sample: S, nowMs: number): void {
    held.push(sample);
    if (held.length >= maxHeld || !this.#selector.isAudioDue(nowMs)) this.#release(held, nowMs);
  }

  #release(held: readonly S[], nowMs: number): void {
    this.#held = undefined;
    const tracks = this.#declare(nowMs);
    for (const one of held) if (tracks.some(({ id }) => id === one.trackId)) this.#sink.sample(one);
  }

  #pass(sample: S, kind: Track['kind']): void {
    if (this.#isDeclared(kind)) this.#sink.sample(sample);
    else this.#sink.awaiting(kind);
  }

  /** Whether the sink knows the newest parameters of this kind. */
  #isDeclared(kind: Track['kind']): boolean {
    const track = this.#selector.track(kind);
    return track !== undefined && this.#declared !== undefined && this.#declared.includes(track);
  }

  #declare(nowMs: number): readonly Track[] {
    const tracks = this.#selector.active(nowMs);
    this.#declared = tracks;
    this.#sink.tracks(tracks);
    return tracks;
  }
}
