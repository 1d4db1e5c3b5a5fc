import { ArchiveAccess } from './archive-access.ts';
import type { PageClock } from '../base/clock.ts';
import { transcodedSource } from './transcoded-source.ts';
import type { PlayerSource } from './player-source.ts';
import { refusalOf, type PlayerState } from './state.ts';

export interface TranscodingSwitchOptions {
  readonly source: PlayerSource;
  readonly clock: PageClock;
  /** Of the archive as it is recorded. */
  readonly reader: ArchiveAccess;
  readonly canPlay: (mimeType: string) => boolean;
}

/** What the server converts to. */
export const TRANSCODED_TYPE = 'video/mp4; codecs="avc1.640028"';

/** Whether one stream is asked for as it is or converted: converted from when this browser was found to lack its codec. */
export class TranscodingSwitch {
  readonly #options: TranscodingSwitchOptions;
  #reader: ArchiveAccess | undefined;
  #codec: string | undefined;

  constructor(options: TranscodingSwitchOptions) {
    this.#options = options;
  }

  /** What is converted, as people call it; undefined while nothing is. */
  get codec(): string | undefined {
    return this.#codec;
  }

  /** The archive as it is to be played. */
  get reader(): ArchiveAccess {
    const { source, clock, reader } = this.#options;
    if (this.#codec === undefined || !source.loadTranscoded) return reader;
    this.#reader ??= new ArchiveAccess(transcodedSource(source, source.loadTranscoded), clock);
    return this.#reader;
  }

  /** What to make of what the one that plays says; undefined when it is to begin again, converted. */
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
