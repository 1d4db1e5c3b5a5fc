import type { ArchiveSource } from './archive-source.ts';
import type { LoadTranscoded } from './transcoded-source.ts';

/** One stream's media, whatever the transport. */
export interface PlayerSource extends ArchiveSource {
  /** @param options `convert`: transcoded to video that every browser can decode */
  openLive(options: { audio: boolean; convert: boolean }): WebSocket;
  /** The recorded GOP of a moment, transcoded in the same way; omitted where nothing is transcoded. */
  readonly loadTranscoded?: LoadTranscoded;
}
