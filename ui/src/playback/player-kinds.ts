import { ArchiveAccess } from './archive-access.ts';
import { ArchivePlayback } from './archive-playback.ts';
import { DecodingBudget } from './decoding-budget.ts';
import type { MediaForm, PlayerSpec, StreamVariant } from './feed-spec.ts';
import { LiveConnection } from './live-connection.ts';
import { LivePlayback } from './live-playback.ts';
import type { PlaybackKinds, PlaybackStart } from './playback-engine.ts';
import type { Playback } from './playback.ts';
import type { PlayerSource } from './player-source.ts';
import { ReversePlayback } from './reverse-playback.ts';
import type { Notice } from './state.ts';
import { TRANSCODED_TYPE, transcodedSource } from './transcoded-source.ts';

export interface PlayerKindsOptions {
  readonly source: PlayerSource;
  /** The archive as recorded. */
  readonly reader: ArchiveAccess;
  readonly canPlay: (mimeType: string) => boolean;
  readonly onNotice: (notice: Notice) => void;
  /** Whether only key frames are shown: called on each change. */
  readonly onKeyFramesOnly: (isKeyFramesOnly: boolean) => void;
  /** Whether the server sends only key frames of live video: called on each change. */
  readonly onReduced: (isReduced: boolean) => void;
  /** Everything recorded has been played and the next interval is live (R4.8). */
  readonly onReachedLive: () => void;
}

/** The playbacks of one stream in a player of its own: live, and its archive in both directions. */
export class PlayerKinds implements PlaybackKinds<PlayerSpec> {
  readonly #options: PlayerKindsOptions;
  readonly #budget = new DecodingBudget();
  #transcoded: ArchiveAccess | undefined;

  constructor(options: PlayerKindsOptions) {
    this.#options = options;
  }

  open(spec: PlayerSpec, start: PlaybackStart): Playback {
    const { source, onNotice, onKeyFramesOnly, onReduced, onReachedLive } = this.#options;
    const { clock, isTranscoded } = start;
    if (spec.kind === 'live')
      return new LivePlayback({
        ...start,
        onNotice,
        onReduced,
        connect: (events, options) =>
          new LiveConnection({
            ...events,
            clock,
            open: () => source.openLive({ ...options, convert: isTranscoded }),
          }),
      });
    const options = { ...start, reader: this.#readerOf(start), onNotice, onKeyFramesOnly };
    return spec.direction === 'backwards'
      ? new ReversePlayback(options)
      : new ArchivePlayback({ ...options, budget: this.#budget, onReachedLive });
  }

  /** The page shows snapshots of the moment by itself. */
  openUndecodable(): undefined {
    return undefined;
  }

  /** Where nothing is transcoded, another part of the stream may have another codec. */
  formOf(): MediaForm {
    const { source, canPlay } = this.#options;
    return source.loadTranscoded && canPlay(TRANSCODED_TYPE) ? 'transcoded' : 'original';
  }

  /** What is recorded is the main stream. */
  variantOf(): StreamVariant {
    return 'main';
  }

  #readerOf({ clock, isTranscoded }: PlaybackStart): ArchiveAccess {
    const { source, reader } = this.#options;
    if (!isTranscoded || !source.loadTranscoded) return reader;
    this.#transcoded ??= new ArchiveAccess(transcodedSource(source, source.loadTranscoded), clock);
    return this.#transcoded;
  }
}
