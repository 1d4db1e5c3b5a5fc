import type { AudioTrack, Track, VideoTrack } from './track.ts';

/** How long audio may be missing, ms. */
export interface AudioPatience {
  /** How long the first key frame waits for audio to arrive. */
  readonly startMs: number;
  /** Audio that has delivered nothing for this long is not active. */
  readonly silentMs: number;
}

/**
 * The one rule for which of the announced tracks are active. A track that is announced but never sent must not
 * be declared: a player only buffers time that all declared tracks cover, and would wait forever for a missing
 * one.
 *
 * It answers four questions: which tracks to declare (`active`), whether to begin without the audio or to wait
 * for it (`isAudioDue`), whether the announced video was sent at all (`isVideoSeen`), and what never to
 * declare: audio without the announced video, because audio alone is no success.
 *
 * It holds no samples and no clock. Times are ms of any clock that doesn't step, the same for all calls: the
 * arrival clock for a source, the media clock for a reader.
 */
export class TrackSelector {
  readonly #patience: AudioPatience;
  readonly #expectsVideo: boolean;
  #expectsAudio: boolean;
  #video: VideoTrack | undefined;
  #audio: AudioTrack | undefined;
  #isVideoSeen = false;
  #firstKeyMs: number | undefined;
  #newestAudioMs = Number.NEGATIVE_INFINITY;

  /** @param announced the kinds of tracks that the source announces */
  constructor(announced: { readonly video: boolean; readonly audio: boolean }, patience: AudioPatience) {
    this.#expectsVideo = announced.video;
    this.#expectsAudio = announced.audio;
    this.#patience = patience;
  }

  /** The newest parameters of a track. */
  setTrack(track: Track): void {
    if (track.kind === 'video') this.#video = track;
    else this.#audio = track;
  }

  /** The newest parameters of this kind; undefined before the first ones. */
  track(kind: Track['kind']): Track | undefined {
    return kind === 'video' ? this.#video : this.#audio;
  }

  /** The announced audio will not arrive. */
  expectNoAudio(): void {
    this.#expectsAudio = false;
  }

  /** Video was announced, so audio alone is never declared. */
  get expectsVideo(): boolean {
    return this.#expectsVideo;
  }

  /** A video frame arrived, whether or not it can be passed on. */
  noteVideo(isKey: boolean, nowMs: number): void {
    this.#isVideoSeen = true;
    if (isKey) this.#firstKeyMs ??= nowMs;
  }

  /** An audio frame arrived. */
  noteAudio(nowMs: number): void {
    this.#newestAudioMs = nowMs;
  }

  /** Whether video frames arrived, usable or not. If not, another of several video tracks is to be tried. */
  get isVideoSeen(): boolean {
    return this.#isVideoSeen;
  }

  /** Audio was announced but is missing, and the first key frame is too young to begin without it. */
  isAudioDue(nowMs: number): boolean {
    if (!this.#expectsAudio || this.#isAudioFlowing(nowMs)) return false;
    return this.#firstKeyMs === undefined || nowMs - this.#firstKeyMs < this.#patience.startMs;
  }

  /**
   * The active tracks, video first. Audio alone only if nothing else was announced; then it is the primary
   * track.
   */
  active(nowMs: number): readonly Track[] {
    if (!this.#expectsVideo) return this.#audio ? [this.#audio] : [];
    if (!this.#video) return [];
    return this.#audio && this.#isAudioFlowing(nowMs) ? [this.#video, this.#audio] : [this.#video];
  }

  #isAudioFlowing(nowMs: number): boolean {
    return this.#audio !== undefined && nowMs - this.#newestAudioMs < this.#patience.silentMs;
  }
}
