import type { Sample } from '@vidette/media/sample';
import type { AudioTrack, Track, VideoTrack } from '@vidette/media/track';
import type { SourceSink } from '../source.ts';

/** How long the first frames wait for audio to show up, ms. */
const graceMs = 400;
/** Audio that has been silent for this long is dropped from the next key frame on, ms. */
const audioGoneMs = 10_000;
/** Most samples that wait while the tracks are being decided. */
const maxHeld = 500;

/**
 * Decides which tracks are declared to the sink, and when. A track that the camera announces but never sends must not
 * be declared: a player waits for every track it was promised. So the tracks are those that deliver samples,
 * determined within `graceMs` of the first key frame and checked again at every key frame, where a change costs
 * no frames.
 *
 * Audio is never declared alone where video was announced: half a camera is no success, so the watchdog has to see that
 * the video is missing (`SourceSink.awaiting`).
 */
export class TrackSelector {
  readonly #sink: SourceSink;
  readonly #expectsVideo: boolean;
  #expectsAudio: boolean;
  #video: VideoTrack | undefined;
  #audio: AudioTrack | undefined;
  #declared: readonly Track[] | undefined;
  #held: Sample[] = [];
  #heldSinceMs = 0;
  #isHolding = false;
  #isVideoSeen = false;
  #newestAudioMs = Number.NEGATIVE_INFINITY;

  constructor(sink: SourceSink, expects: { readonly video: boolean; readonly audio: boolean }) {
    this.#sink = sink;
    this.#expectsVideo = expects.video;
    this.#expectsAudio = expects.audio;
  }

  /** The parameters of the video; when they change, the next video sample is a key frame. */
  setVideo(track: VideoTrack): void {
    this.#video = track;
  }

  /** The newest parameters of the video are these. */
  isVideo(track: VideoTrack | undefined): boolean {
    return this.#video === track;
  }

  /** The parameters of the audio, before its first sample. */
  setAudio(track: AudioTrack): void {
    this.#audio = track;
  }

  /** The announced audio will not arrive. */
  expectNoAudio(): void {
    this.#expectsAudio = false;
  }

  /** Video frames arrive whose parameters are not known yet. */
  awaitVideo(): void {
    this.#isVideoSeen = true;
    this.#sink.awaiting('video');
  }

  /** Video frames arrived, whether or not they could be passed on. */
  get isVideoSeen(): boolean {
    return this.#isVideoSeen;
  }

  /** @param nowMs any clock that doesn't step, the same for all calls */
  video(sample: Sample, nowMs: number): void {
    this.#isVideoSeen = true;
    if (sample.isKey) this.#atKey(nowMs);
    if (this.#isHolding) {
      this.#hold(sample, nowMs);
    } else if (this.#declared && this.#video && this.#declared.includes(this.#video)) {
      this.#sink.sample(sample);
    } else {
      this.#sink.awaiting('video');
    }
  }

  audio(sample: Sample, nowMs: number): void {
    this.#newestAudioMs = nowMs;
    if (this.#isHolding) {
      this.#hold(sample, nowMs);
      return;
    }
    // Beside video, other parameters wait for the next key frame.
    if (!this.#expectsVideo && this.#audio && !this.#declared?.includes(this.#audio))
      this.#declare([this.#audio]);
    if (this.#audio && this.#declared?.includes(this.#audio)) this.#sink.sample(sample);
    else this.#sink.awaiting('audio');
  }

  #atKey(nowMs: number): void {
    if (this.#declared) {
      const tracks = this.#flowing(nowMs);
      if (!isSame(tracks, this.#declared)) this.#declare(tracks);
    } else if (!this.#isHolding) {
      this.#isHolding = true;
      this.#heldSinceMs = nowMs;
    }
  }

  #hold(sample: Sample, nowMs: number): void {
    this.#held.push(sample);
    const isComplete = !this.#expectsAudio || this.#isAudioFlowing(nowMs);
    if (!isComplete && nowMs - this.#heldSinceMs < graceMs && this.#held.length < maxHeld) return;
    const held = this.#held;
    const tracks = this.#flowing(nowMs);
    this.#held = [];
    this.#isHolding = false;
    this.#declare(tracks);
    for (const one of held) if (tracks.some(({ id }) => id === one.trackId)) this.#sink.sample(one);
  }

  #isAudioFlowing(nowMs: number): boolean {
    return this.#audio !== undefined && nowMs - this.#newestAudioMs < audioGoneMs;
  }

  #flowing(nowMs: number): Track[] {
    const tracks: Track[] = [];
    if (this.#video) tracks.push(this.#video);
    if (this.#audio && this.#isAudioFlowing(nowMs)) tracks.push(this.#audio);
    return tracks;
  }

  #declare(tracks: readonly Track[]): void {
    this.#declared = tracks;
    this.#sink.tracks(tracks);
  }
}

function isSame(a: readonly Track[], b: readonly Track[]): boolean {
  return a.length === b.length && a.every((track, index) => track === b[index]);
}
