import { isSameTracks, type Track } from './track.ts';
import type { TrackSelector } from './track-selector.ts';

/** What a declarer needs of a sample, parsed or on its way between two processes. */
interface DeclaredSample {
  readonly trackId: number;
  readonly isKey: boolean;
}

/** Where the declared tracks and their samples go. */
export interface DeclarationSink<S extends DeclaredSample> {
  tracks(tracks: readonly Track[]): void;
  sample(sample: S): void;
  /** A sample arrived and can't be passed on: its parameters, the first key frame or the announced video are missing. */
  awaiting(kind: Track['kind']): void;
}

/** Most samples that wait while the tracks are being decided. */
const maxHeld = 500;

/**
 * Declares the tracks of a source to its sink as the selector decides: with the first key frame, whose samples it holds
 * until the audio is there or no longer due, and again at a key frame, where a change costs no frames.
 */
export class TrackDeclarer<S extends DeclaredSample> {
  readonly #sink: DeclarationSink<S>;
  readonly #selector: TrackSelector;
  #declared: readonly Track[] | undefined;
  /** Undefined while nothing is being decided. */
  #held: S[] | undefined;

  constructor(sink: DeclarationSink<S>, selector: TrackSelector) {
    this.#sink = sink;
    this.#selector = selector;
  }

  /** New parameters: of the video before a key frame, of the audio before its first sample. */
  setTrack(track: Track): void {
    this.#selector.setTrack(track);
  }

  /** The newest parameters of the video are these. */
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
    // Beside video, other parameters wait for the next key frame.
    if (!this.#selector.expectsVideo && this.#selector.track('audio') && !this.#isDeclared('audio'))
      this.#declare(nowMs);
    this.#pass(sample, 'audio');
  }

  /** Call periodically: a camera whose next frame is far away must not be held until then. */
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

  /** The newest parameters of this kind are those that the sink knows. */
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
