import type { FragmentTrack } from '@vidette/media/fmp4/fragment';
import type { Sample } from '@vidette/media/sample';
import type { Track } from '@vidette/media/track';

/** Audio frames of unknown duration count like a frame of AAC: 1024 PCM samples (ISO/IEC 14496-3). */
const audioFrameTicks = 1_024;
/** How many of the latest frame intervals are used for a guess. */
const remembered = 8;

/**
 * Samples that were read but not sent yet. A fragment must contain the duration of its last frame, which is
 * known when the next one arrives: so the latest frame is held back until then, or, if the caller does not
 * wait, its duration is guessed. A guess that is too short is worse than one that is too long: Media Source
 * Extensions treat a step of more than twice the last duration as a break and drop everything up to the next
 * key frame.
 */
export class FragmentBuilder {
  readonly #video: Track | undefined;
  readonly #audio: Track | undefined;
  readonly #leastGuessTicks: number;
  readonly #gapsTicks: number[] = [];
  #frames: Sample[] = [];
  #audios: Sample[] = [];
  #bytes = 0;
  #lastDts: number | undefined;
  #lastAudioDts: number | undefined;
  #audioTicks: number = audioFrameTicks;

  /** @param leastGuessMs lower limit of a guessed duration */
  constructor(tracks: readonly Track[], leastGuessMs: number) {
    this.#video = tracks.find(({ kind }) => kind === 'video');
    this.#audio = tracks.find(({ kind }) => kind === 'audio');
    this.#leastGuessTicks = Math.ceil(((this.#video?.timescale ?? 1) * leastGuessMs) / 1000);
  }

  /** Total size of the waiting samples. */
  get bytes(): number {
    return this.#bytes;
  }

  get hasFrame(): boolean {
    return this.#frames.length > 0;
  }

  get isEmpty(): boolean {
    return this.#frames.length === 0 && this.#audios.length === 0;
  }

  /** Duration of the waiting audio, ms. */
  get audioMs(): number {
    const [first] = this.#audios;
    const last = this.#audios.at(-1);
    return first && last && this.#audio
      ? ((last.dts - first.dts + this.#audioTicks) * 1000) / this.#audio.timescale
      : 0;
  }

  /** @returns whether it was taken: samples of tracks other than those given are not. */
  add(sample: Sample): boolean {
    if (sample.trackId === this.#video?.id) {
      if (this.#lastDts !== undefined) this.#noteGap(sample.dts - this.#lastDts);
      this.#lastDts = sample.dts;
      this.#frames.push(sample);
    } else if (sample.trackId === this.#audio?.id) {
      if (this.#lastAudioDts !== undefined) {
        this.#audioTicks = Math.min(sample.dts - this.#lastAudioDts, audioFrameTicks * 4);
      }
      this.#lastAudioDts = sample.dts;
      this.#audios.push(sample);
    } else {
      return false;
    }
    this.#bytes += sample.size;
    return true;
  }

  /** Samples were dropped here: the step across them says nothing about frame durations. */
  noteSkip(): void {
    this.#lastDts = undefined;
    this.#lastAudioDts = undefined;
  }

  /**
   * What can be sent without a guess: all frames but the latest, and the audio so far if there is a frame with
   * it.
   */
  takeKnown(): FragmentTrack[] {
    const newest = this.#frames.at(-1);
    if (!newest || this.#frames.length < 2) return [];
    const runs = this.#runs(this.#frames.slice(0, -1), newest.dts);
    this.#frames = [newest];
    this.#bytes = newest.size;
    return runs;
  }

  /** Everything that waits. `nextDts` is the decode time of the next frame, if it is known already. */
  takeAll(nextDts?: number): FragmentTrack[] {
    const newest = this.#frames.at(-1);
    const endDts = nextDts ?? (newest ? newest.dts + this.#guessTicks() : 0);
    const runs = this.#runs(this.#frames, endDts);
    this.#frames = [];
    this.#bytes = 0;
    return runs;
  }

  /** Includes the waiting audio. */
  #runs(frames: readonly Sample[], endDts: number): FragmentTrack[] {
    const runs: FragmentTrack[] = [];
    const lastAudio = this.#audios.at(-1);
    if (this.#video && frames.length > 0) runs.push({ track: this.#video, samples: frames, endDts });
    if (this.#audio && lastAudio) {
      runs.push({ track: this.#audio, samples: this.#audios, endDts: lastAudio.dts + this.#audioTicks });
      this.#audios = [];
    }
    return runs;
  }

  #guessTicks(): number {
    const longest = Math.max(0, ...this.#gapsTicks);
    let guess = this.#leastGuessTicks;
    while (guess < longest) guess *= 2;
    return guess;
  }

  #noteGap(ticks: number): void {
    this.#gapsTicks.push(ticks);
    if (this.#gapsTicks.length > remembered) this.#gapsTicks.shift();
  }
}
