import type { LiveSpec, MediaForm, StreamVariant } from '../feed-spec.ts';
import type { LiveLinkEvents } from '../live-link.ts';
import { LivePlayback } from '../live-playback.ts';
import type { PlaybackKinds, PlaybackStart } from '../playback-engine.ts';
import type { Playback } from '../playback.ts';
import { TRANSCODED_TYPE } from '../transcoded-source.ts';
import { KeyFramePlayback } from './key-frame-playback.ts';
import { SnapshotArchive } from './snapshot-archive.ts';
import { SyncedArchive } from './synced-archive.ts';
import type { TileSpec } from './tile-spec.ts';
import type { WallConnection } from './wall-connection.ts';

export interface TileKindsOptions {
  readonly uid: string;
  readonly connection: WallConnection;
  readonly canPlay: (mimeType: string) => boolean;
  /** The shared moment of the archive is not recorded here, or is again. */
  readonly onGap: (isInGap: boolean) => void;
  /** The server is overloaded and sends only key frames, or all again. */
  readonly onReduced: (isReduced: boolean) => void;
}

const KEEP_BEHIND_S = 2;

/** The playbacks of one stream in a tile: live, its key frames, and its archive by the wall's clock. */
export class TileKinds implements PlaybackKinds<TileSpec> {
  readonly #options: TileKindsOptions;

  constructor(options: TileKindsOptions) {
    this.#options = options;
  }

  open(spec: TileSpec, start: PlaybackStart): Playback | undefined {
    if (spec.kind === 'live') return this.#openLive(spec, start);
    const { shared, source } = spec.archive;
    if (!source) {
      start.onState({ name: 'failed', code: 'Forbidden' });
      return undefined;
    }
    const { onGap } = this.#options;
    return new SyncedArchive({ ...start, source, shared, isConverted: start.isTranscoded, onGap });
  }

  /** The view shows snapshots. */
  openUndecodable(spec: TileSpec): Playback | undefined {
    if (spec.kind === 'live') return undefined;
    const { shared, source } = spec.archive;
    return source && new SnapshotArchive({ source, shared, onGap: this.#options.onGap });
  }

  /** Transcoding all frames to show a few would take the slot from a viewer who sees them all. */
  formOf(spec: TileSpec): MediaForm {
    const isWorthIt =
      spec.kind === 'live' ? spec.frames === 'moving' : spec.archive.source?.converted !== undefined;
    return isWorthIt && this.#options.canPlay(TRANSCODED_TYPE) ? 'transcoded' : 'none';
  }

  variantOf(spec: TileSpec): StreamVariant {
    return spec.kind === 'live' ? spec.stream : 'archive';
  }

  #openLive({ stream, frames }: LiveSpec, start: PlaybackStart): Playback {
    const { uid, connection, onReduced } = this.#options;
    const keyFrames = frames === 'keyFrames';
    const convert = start.isTranscoded;
    const connect = (events: LiveLinkEvents) =>
      connection.watch({ uid, picture: stream, audio: false, keyFrames, convert }, events);
    if (keyFrames) return new KeyFramePlayback({ ...start, connect });
    return new LivePlayback({
      ...start,
      connect,
      keepBehindS: KEEP_BEHIND_S,
      // Frames dropped on the way matter no more once the next ones arrive: a wall has no room for notices.
      onNotice: () => {},
      onReduced,
    });
  }
}
