import type { ErrorCode } from '@vidette/contract/errors';
import type { Track } from '@vidette/media/track';
import type { PauseCause } from '../hub/reader.ts';

/**
 * The text messages of a live WebSocket (wire details of the requirements). Binary messages in between are the init
 * segment, one after each `init`, and then fragments; all times in them are ticks since 1970-01-01T00:00:00Z.
 */
export type LiveMessage =
  | {
      readonly type: 'init';
      /** For MediaSource: container and codecs of what follows. */
      readonly mimeType: string;
      /** Increases when the camera's parameters change. */
      readonly generation: number;
      readonly tracks: readonly LiveTrack[];
      /** Presentation time of the first video or audio frame that follows, ms since the epoch. */
      readonly startMs: number;
    }
  /** Samples were left out because this viewer was too slow; what follows starts at a key frame. */
  | { readonly type: 'skipped'; readonly samples: number }
  /** The source delivers nothing now; `init` follows when it does again. */
  | { readonly type: 'waiting'; readonly reason: PauseCause | 'connecting' }
  /** Nothing follows. */
  | { readonly type: 'end'; readonly code: ErrorCode };

export interface LiveTrack {
  readonly id: number;
  readonly kind: 'video' | 'audio';
  readonly codec: string;
  readonly codecString: string;
  /** Ticks per second. */
  readonly timescale: number;
  /** Pixels; video only. */
  readonly width?: number;
  readonly height?: number;
  /** Hz; audio only. */
  readonly sampleRate?: number;
  readonly channels?: number;
}

/** A track as viewers see it: without the decoder configuration, which the init segment carries. */
export function describeTrack(track: Track): LiveTrack {
  const { id, kind, codec, codecString, timescale } = track;
  const base = { id, kind, codec, codecString, timescale };
  return track.kind === 'video'
    ? { ...base, width: track.width, height: track.height }
    : { ...base, sampleRate: track.sampleRate, channels: track.channels };
}
