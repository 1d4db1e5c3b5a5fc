import type { ArchiveSource } from './archive-source.ts';
import type { LoadTranscoded } from './transcoded-source.ts';

/** One stream's media, whatever brings it. */
export interface PlayerSource extends ArchiveSource {
  /** @param options `convert`: with frames that every browser can decode */
  openLive(options: { audio: boolean; convert: boolean }): WebSocket;
  /** The recorded GOP of a moment, with such frames; left out where nothing is converted. */
  readonly loadTranscoded?: LoadTranscoded;
}
