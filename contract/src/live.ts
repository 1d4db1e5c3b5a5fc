/**
 * The text messages of a live WebSocket (`watchStream`, `watchShared`), as JSON. Binary messages in between are the init
 * segment, one after each `init`, and then fragments; all times in them are ticks since 1970-01-01T00:00:00Z. A wall's
 * socket (`wall.ts`) sends the same messages, each with its `channel`.
 *
 * Server and page may be of different versions: unknown types and members are ignored, and a member that the viewer can do
 * without may be absent. Without Zod, because the page loads it.
 */
import type { ErrorCode } from './errors.ts';

/** A message as the server sends it. */
export type LiveMessage =
  | {
      readonly type: 'init';
      /** For MediaSource: container and codecs of the following media. */
      readonly mimeType: string;
      /** Increases when the camera's parameters change. */
      readonly generation: number;
      readonly tracks: readonly LiveTrack[];
      /** Presentation time of the first video or audio frame that follows, ms since the epoch. */
      readonly startMs: number;
    }
  /** Samples were left out because this viewer was too slow; the following media starts at a key frame. */
  | { readonly type: 'skipped'; readonly samples: number }
  /** From here on, as long as this says so, only key frames are sent, without audio: the server is overloaded. */
  | { readonly type: 'reduced'; readonly isReduced: boolean }
  /** The source delivers nothing now; `init` follows when it does again. */
  | { readonly type: 'waiting'; readonly reason: WaitingReason }
  /** Nothing follows. */
  | { readonly type: 'end'; readonly code: ErrorCode };

/** Why a source delivers nothing. */
export type WaitingReason =
  | 'connecting'
  | 'waiting'
  | 'unreachable'
  | 'no-frames'
  | 'stopped'
  | 'paused'
  | 'source-changed'
  | 'idle'
  | 'damaged'
  | 'ended'
  | 'clock-set'
  | 'drained'
  | 'moved';

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

/**
 * A message as a viewer reads it: the members that playback needs. A reason or code may be one that this version does not
 * know.
 */
export type ReceivedLiveMessage =
  | { readonly type: 'init'; readonly mimeType: string }
  | { readonly type: 'skipped'; readonly samples: number }
  | { readonly type: 'reduced'; readonly isReduced: boolean }
  | { readonly type: 'waiting'; readonly reason?: string }
  | { readonly type: 'end'; readonly code: string | undefined };

/** The text of a message on the socket of one stream. */
export function encodeLiveMessage(message: LiveMessage): string {
  return JSON.stringify(message);
}

/** The text of a message on a wall's socket. */
export function encodeWallMessage(channel: number, message: LiveMessage): string {
  return JSON.stringify({ channel, ...message });
}

/**
 * Reads the text of a message; undefined for a type that this version does not know.
 * @throws SyntaxError for anything that is not a message
 */
export function parseLiveMessage(text: string): ReceivedLiveMessage | undefined {
  return readMessage(objectOf(text));
}

/**
 * Reads a message of a wall's socket: `message` is undefined for a type that this version does not know and for
 * `{"type":"alive"}`, which has no channel.
 * @throws SyntaxError for anything that is not a message
 */
export function parseWallMessage(text: string): {
  readonly channel: number | undefined;
  readonly message: ReceivedLiveMessage | undefined;
} {
  const fields = objectOf(text);
  const { channel } = fields;
  return { channel: typeof channel === 'number' ? channel : undefined, message: readMessage(fields) };
}

type Fields = Readonly<Record<string, unknown>>;

function objectOf(text: string): Fields {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'type')) {
    throw new SyntaxError('A live message without a type');
  }
  return value as Fields;
}

function readMessage(fields: Fields): ReceivedLiveMessage | undefined {
  const { type, mimeType, samples, isReduced, reason, code } = fields;
  switch (type) {
    case 'init':
      if (typeof mimeType !== 'string') throw new SyntaxError('An init message without mimeType');
      return { type, mimeType };
    case 'skipped':
      return { type, samples: typeof samples === 'number' && Number.isFinite(samples) ? samples : 0 };
    case 'reduced':
      return { type, isReduced: isReduced === true };
    case 'waiting':
      return typeof reason === 'string' ? { type, reason } : { type };
    case 'end':
      return { type, code: typeof code === 'string' ? code : undefined };
    default:
      return undefined;
  }
}
