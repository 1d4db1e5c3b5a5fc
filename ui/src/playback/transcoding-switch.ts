import { ArchiveAccess } from './archive-access.ts';
import type { PageClock } from '../base/clock.ts';
import { transcodedSource } from './transcoded-source.ts';
import type { PlayerSource } from './player-source.ts';
import { refusalOf, type PlayerState } from './state.ts';

export interface TranscodingSwitchOptions {
  readonly source: PlayerSource;
  readonly clock: PageClock;
  /** Source of the archive as recorded. */
  readonly reader: ArchiveAccess;
  readonly canPlay: (mimeType: string) => boolean;
}

/** The transcoded source. */
export const TRANSCODED_TYPE = 'video/mp4; codecs="avc1.640028"';

/**
 * Whether one stream is requested as it is or transcoded: transcoded after this browser was found to lack its
 * codec.
 */
export class TranscodingSwitch {
  readonly #options: TranscodingSwitchOptions;
  #reader: ArchiveAccess | undefined;
  #codec: string | undefined;

  constructor(options: TranscodingSwitchOptions) {
    this.#options = options;
  }

  /** Common name of the transcoded codec; undefined while nothing is transcoded. */
  get codec(): string | undefined {
    return this.#codec;
  }

  /** The archive in the form to be played. */
  get reader(): ArchiveAccess {
    const { source, clock, reader } = this.#options;
    if (this.#codec === undefined || !source.loadTranscoded) return reader;
    this.#reader ??= new ArchiveAccess(transcodedSource(source, source.loadTranscoded), clock);
    return this.#reader;
  }

  /** Maps a state reported by the active player; undefined when it is to restart, transcoded. */
  follow(state: PlayerState): PlayerState | undefined {
    const { source, canPlay } = this.#options;
    const codec = this.#codec;
    if (codec === undefined) {
      if (state.name !== 'unsupported' || !source.loadTranscoded || !canPlay(TRANSCODED_TYPE)) return state;
      this.#codec = state.codec;
      return undefined;
    }
    const refusal = state.name === 'failed' ? refusalOf(state.code) : undefined;
    if (refusal) return { name: 'unsupported', codec, refusal };
    return state.name === 'unsupported' ? { ...state, codec } : state;
  }
}
