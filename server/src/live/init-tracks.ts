import { isSameTracks, type Track } from '@vidette/media/track';
import type { Stream } from '../hub/stream.ts';
import { activeTracks } from './active-tracks.ts';

/** The tracks in a viewer's init segment, and when another init segment is due. */
export class InitTracks {
  readonly #stream: Stream;
  #declared: readonly Track[] = [];
  #used: readonly Track[] = [];
  #isDue = true;

  constructor(stream: Stream) {
    this.#stream = stream;
  }

  /** The hub's list of tracks, which is the key for sharing init segments between viewers. */
  get declared(): readonly Track[] {
    return this.#declared;
  }

  /** The tracks in the newest init segment; empty before the first. */
  get used(): readonly Track[] {
    return this.#used;
  }

  /** The reader received new tracks: the next GOP begins with an init segment. */
  declare(tracks: readonly Track[]): void {
    this.#declared = tracks;
    this.#isDue = true;
  }

  /**
   * The tracks of the init segment that a GOP must begin with; undefined while the newest one still applies.
   * @param wanted filters out tracks that this viewer does not want
   */
  next(wanted: (active: readonly Track[]) => readonly Track[]): readonly Track[] | undefined {
    // The hub may be ahead of this reader and already use other parameters: then only the declared tracks are
    // known.
    const active = this.#stream.tracks === this.#declared ? activeTracks(this.#stream) : this.#declared;
    const tracks = wanted(active);
    if (!this.#isDue && isSameTracks(tracks, this.#used)) return undefined;
    this.#isDue = false;
    this.#used = tracks;
    return tracks;
  }
}
