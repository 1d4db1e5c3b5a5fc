import type { FragmentTrack } from '@vidette/media/fmp4/fragment';
import type { Sample } from '@vidette/media/sample';
import type { Track } from '@vidette/media/track';

/** Frames of sound whose length nobody told last as long as one of AAC: 1024 sampling periods (ISO/IEC 14496-3). */
const audioFrameTicks = 1_024;
/** How many of the newest gaps between pictures a guess looks back at. */
const remembered = 8;

/**
 * Samples that were read but not sent yet. A fragment must say how long its last picture lasts, which is known when
 * the next one is there: so the newest picture is held back until then, or, when the caller won't wait, its length is
 * guessed. A guess that is too short is worse than one too long: Media Source Extensions take a step of more than
 * twice the last length for a break and drop all that follows until a key frame.
 */
export class FragmentBuilder {
  readonly #video: Track | undefined;
  readonly #audio: Track | undefined;
  readonly #leastGuessTicks: number;
  readonly #gapsTicks: number[] = [];
  #pictures: Sample[] = [];
  #sounds: Sample[] = [];
  #bytes = 0;
  #lastDts: number | undefined;
  #lastSoundDts: number | undefined;
  #soundTicks: number = audioFrameTicks;

  /** @param leastGuessMs a guessed length is not shorter than this */
  constructor(tracks: readonly Track[], leastGuessMs: number) {
    this.#video = tracks.find(({ kind }) => kind === 'video');
    this.#audio = tracks.find(({ kind }) => kind === 'audio');
    this.#leastGuessTicks = Math.round(((this.#video?.timescale ?? 1) * leastGuessMs) / 1000);
  }

  /** Sum of the samples that wait. */
  get bytes(): number {
    return this.#bytes;
  }

  get hasPicture(): boolean {
    return this.#pictures.length > 0;
  }

  get isEmpty(): boolean {
    return this.#pictures.length === 0 && this.#sounds.length === 0;
  }

  /** How long the sound that waits lasts, ms. */
  get soundMs(): number {
    const [first] = this.#sounds;
    const last = this.#sounds.at(-1);
    return first && last && this.#audio
      ? ((last.dts - first.dts + this.#soundTicks) * 1000) / this.#audio.timescale
      : 0;
  }

  /** Samples of other tracks than those given are left out. */
  add(sample: Sample): void {
    if (sample.trackId === this.#video?.id) {
      if (this.#lastDts !== undefined) this.#noteGap(sample.dts - this.#lastDts);
      this.#lastDts = sample.dts;
      this.#pictures.push(sample);
    } else if (sample.trackId === this.#audio?.id) {
      if (this.#lastSoundDts !== undefined) {
        this.#soundTicks = Math.min(sample.dts - this.#lastSoundDts, audioFrameTicks * 4);
      }
      this.#lastSoundDts = sample.dts;
      this.#sounds.push(sample);
    } else {
      return;
    }
    this.#bytes += sample.size;
  }

  /** Samples were left out here: the step over them says nothing of the lengths of pictures. */
  noteSkip(): void {
    this.#lastDts = undefined;
    this.#lastSoundDts = undefined;
  }

  /** What can go without a guess: all pictures but the newest, and the sound so far if there is a picture with it. */
  takeKnown(): FragmentTrack[] {
    const newest = this.#pictures.at(-1);
    if (!newest || this.#pictures.length < 2) return [];
    const runs = this.#runs(this.#pictures.slice(0, -1), newest.dts);
    this.#pictures = [newest];
    this.#bytes = newest.size;
    return runs;
  }

  /** Everything that waits. `nextDts` is the decode time of the picture after it, if that is known already. */
  takeAll(nextDts?: number): FragmentTrack[] {
    const newest = this.#pictures.at(-1);
    const endDts = nextDts ?? (newest ? newest.dts + this.#guessTicks() : 0);
    const runs = this.#runs(this.#pictures, endDts);
    this.#pictures = [];
    this.#bytes = 0;
    return runs;
  }

  /** Takes the sound along. */
  #runs(pictures: readonly Sample[], endDts: number): FragmentTrack[] {
    const runs: FragmentTrack[] = [];
    const lastSound = this.#sounds.at(-1);
    if (this.#video && pictures.length > 0) runs.push({ track: this.#video, samples: pictures, endDts });
    if (this.#audio && lastSound) {
      runs.push({ track: this.#audio, samples: this.#sounds, endDts: lastSound.dts + this.#soundTicks });
      this.#sounds = [];
    }
    return runs;
  }

  #guessTicks(): number {
    return Math.max(this.#leastGuessTicks, ...this.#gapsTicks);
  }

  #noteGap(ticks: number): void {
    this.#gapsTicks.push(ticks);
    if (this.#gapsTicks.length > remembered) this.#gapsTicks.shift();
  }
}
