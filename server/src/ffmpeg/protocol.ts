import type { ErrorCode } from '@vidette/contract/errors';
import { frameMaxBytes, lengthBytes } from '../base/frame-reader.ts';
import type { AudioCodec, Track, VideoCodec } from '@vidette/media/track';

/**
 * The protocol between the server and the child processes that use node-av: frames over one duplex pipe.
 *
 *     u32 LE  length of what follows
 *     u8      kind of message
 *     u32 LE  job the message belongs to, 0 for the child itself
 *     ...     body: JSON text (UTF-8), or the binary layouts below
 *
 * Both sides are the same program, so the version only guards against a child left over from an update.
 */
export const protocolVersion = 1;

/** The kind and job at the start of every frame. */
const headBytes = 5;
const sampleHeadBytes = 18;
const dataHeadBytes = 8;

/** Requests from the server to a child. */
export type JobRequest =
  | {
      readonly kind: 'demo';
      readonly name: string;
      readonly fps: number;
      readonly gopMs: number;
      readonly utcMs: number;
    }
  | InputRequest
  | AudioRequest
  | DigestRequest
  | SnapshotRequest
  | ThumbnailRequest
  | TranscodeRequest;

export interface InputRequest {
  readonly kind: 'input';
  /** With credentials, if any: sent over the pipe only, never as an argument or environment variable. */
  readonly url: string;
  /** The peer of RTMP and RTSP, which the server dials; the name is for TLS. */
  readonly host: string;
  readonly port: number;
  /**
   * For SRT and UDP, the checked address instead of the name; undefined for UDP that listens on every address.
   */
  readonly ip: string | undefined;
  /** A path of this machine; set only by tests and demonstrations, never by a user's address. */
  readonly allowFile: boolean;
  readonly timeoutMs: number;
}

/**
 * Audio of RTSP cameras that has to be transcoded, by RTP encoding name (RFC 3551, 6): G.711 in both laws,
 * G.722, G.726 in both bit orders, linear PCM, MPEG audio of any layer.
 */
export type SourceAudioCodec =
  | 'pcmu'
  | 'pcma'
  | 'g722'
  | `${'' | 'aal2-'}g726-${'16' | '24' | '32' | '40'}`
  | 'l8'
  | 'l16'
  | 'l24'
  | 'mpa'
  | 'mp2';

export interface AudioRequest {
  readonly kind: 'audio';
  readonly codec: SourceAudioCodec;
  readonly sampleRate: number;
  /** Timescale of the data's times, ticks per second. */
  readonly clockRate: number;
  readonly channels: number;
}

export interface SnapshotRequest {
  readonly kind: 'snapshot';
  readonly codec: VideoCodec;
  /** avcC or hvcC, base64. */
  readonly config: string;
  readonly maxWidth: number;
  /** JPEG quality, 1 to 100. */
  readonly quality: number;
}

/** A part of a frame, as shares of its width and height, 0 to 1. */
export interface FrameRegion {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Thumbnails of many key frames, to compare them: each `data` is answered with one `thumbnail`. */
export interface ThumbnailRequest {
  readonly kind: 'thumbnail';
  readonly codec: VideoCodec;
  /** avcC or hvcC, base64. */
  readonly config: string;
  /** The part that a finer thumbnail shows. */
  readonly region: FrameRegion;
}

export interface TranscodeRequest {
  readonly kind: 'transcode';
  readonly codec: VideoCodec;
  /** avcC or hvcC, base64. */
  readonly config: string;
  readonly fpsMax: number;
  readonly heightMax: number;
  /** Live: frames that arrive faster than they can be transcoded are dropped, up to a key frame. */
  readonly mayLeaveOut: boolean;
}

/**
 * One part of a digest: footage that is sent as `data` with UTC times, or without `video` a still that says `words`. The
 * output is H.264 of a fixed size, with times from the beginning of the part.
 */
export interface DigestRequest {
  readonly kind: 'digest';
  /** `config`: avcC or hvcC, base64. */
  readonly video: { readonly codec: VideoCodec; readonly config: string } | undefined;
  /** What is shown of the video, ms since the epoch. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly speed: number;
  /** How long a still is shown, ms. */
  readonly stillMs: number;
  /** Below the picture. */
  readonly name: string;
  /** Of the clock beside the name: IANA name. */
  readonly timeZone: string;
  readonly language: 'en' | 'ru';
  /** In the middle of the picture. */
  readonly words: string;
}

/** Why a job ended. `code` is absent if it ended normally (end of the source, close, snapshot finished). */
export interface JobEnd {
  readonly code?: ErrorCode;
  readonly message: string;
}

export type ToChild =
  | { readonly type: 'open'; readonly job: number; readonly request: JobRequest }
  | { readonly type: 'close'; readonly job: number }
  | { readonly type: 'ping'; readonly job: 0 }
  | { readonly type: 'data'; readonly job: number; readonly ptsTicks: number; readonly bytes: Uint8Array };

export type FromChild =
  | { readonly type: 'hello'; readonly job: 0; readonly version: number; readonly failure?: string }
  | { readonly type: 'pong'; readonly job: 0 }
  | {
      readonly type: 'tracks';
      readonly job: number;
      readonly tracks: readonly Track[];
      readonly clock: SourceClock;
    }
  | SampleMessage
  /** A frame of this track kind arrived that cannot be passed on before a video key frame. */
  | { readonly type: 'awaiting'; readonly job: number; readonly track: Track['kind'] }
  | { readonly type: 'note'; readonly job: number; readonly message: string }
  | { readonly type: 'snapshot'; readonly job: number; readonly bytes: Uint8Array }
  /** Layout: `thumbnail-layout.ts`; empty if the frame could not be decoded. */
  | { readonly type: 'thumbnail'; readonly job: number; readonly bytes: Uint8Array }
  /** One `data` has been processed: the next one may be sent. */
  | { readonly type: 'taken'; readonly job: number }
  | { readonly type: 'end'; readonly job: number; readonly end: JobEnd };

/**
 * The clock of a job's sample times: `utc`: already ticks since the epoch (the child generated the frames);
 * `source`: the stream's own clock, shared by its tracks, to be mapped by the server.
 */
export type SourceClock = 'utc' | 'source';

export interface SampleMessage {
  readonly type: 'sample';
  readonly job: number;
  readonly trackId: number;
  readonly isKey: boolean;
  readonly isDamaged: boolean;
  /** Ticks of the track's timescale, by the job's `SourceClock`. */
  readonly dts: number;
  readonly pts: number;
  readonly bytes: Uint8Array;
}

const kinds = {
  open: 1,
  close: 2,
  ping: 3,
  data: 4,
  hello: 16,
  pong: 17,
  tracks: 18,
  sample: 19,
  note: 20,
  snapshot: 21,
  end: 22,
  awaiting: 23,
  thumbnail: 24,
  taken: 25,
} as const;

const keyFlag = 1;
const damagedFlag = 2;

/** Encodes one frame for the pipe. @throws RangeError if the body exceeds `frameMaxBytes` */
export function encodeMessage(message: ToChild | FromChild): Buffer {
  switch (message.type) {
    case 'ping':
    case 'pong':
    case 'close':
    case 'taken':
      return frameOf(message.type, message.job, 0);
    case 'open':
      return jsonFrame('open', message.job, message.request);
    case 'hello':
      return jsonFrame('hello', 0, { version: message.version, failure: message.failure });
    case 'tracks':
      return jsonFrame('tracks', message.job, {
        clock: message.clock,
        tracks: message.tracks.map(trackToJson),
      });
    case 'awaiting':
      return jsonFrame('awaiting', message.job, message.track);
    case 'note':
      return jsonFrame('note', message.job, message.message.slice(0, 1000));
    case 'end':
      return jsonFrame('end', message.job, message.end);
    case 'snapshot':
    case 'thumbnail':
      return bytesFrame(message.type, message.job, 0, message.bytes);
    case 'data': {
      const frame = bytesFrame('data', message.job, dataHeadBytes, message.bytes);
      frame.writeDoubleLE(message.ptsTicks, lengthBytes + headBytes);
      return frame;
    }
    case 'sample': {
      const frame = bytesFrame('sample', message.job, sampleHeadBytes, message.bytes);
      const at = lengthBytes + headBytes;
      frame[at] = message.trackId;
      frame[at + 1] = (message.isKey ? keyFlag : 0) | (message.isDamaged ? damagedFlag : 0);
      frame.writeDoubleLE(message.dts, at + 2);
      frame.writeDoubleLE(message.pts, at + 10);
      return frame;
    }
  }
}

function frameOf(type: keyof typeof kinds, job: number, bodyBytes: number): Buffer {
  if (headBytes + bodyBytes > frameMaxBytes)
    throw new RangeError(`A ${type} message of ${bodyBytes} bytes is too long.`);
  const frame = Buffer.allocUnsafe(lengthBytes + headBytes + bodyBytes);
  frame.writeUInt32LE(headBytes + bodyBytes, 0);
  frame[lengthBytes] = kinds[type];
  frame.writeUInt32LE(job, lengthBytes + 1);
  return frame;
}

function bytesFrame(type: keyof typeof kinds, job: number, fixedBytes: number, bytes: Uint8Array): Buffer {
  const frame = frameOf(type, job, fixedBytes + bytes.length);
  frame.set(bytes, lengthBytes + headBytes + fixedBytes);
  return frame;
}

function jsonFrame(type: keyof typeof kinds, job: number, value: unknown): Buffer {
  return bytesFrame(type, job, 0, Buffer.from(JSON.stringify(value)));
}

/**
 * Decodes one frame without its length.
 * @throws RangeError for a frame that no version of this program writes
 */
export function decodeMessage(frame: Buffer): ToChild | FromChild {
  if (frame.length < headBytes) throw new RangeError('A message without a header.');
  const job = frame.readUInt32LE(1);
  const body = frame.subarray(headBytes);
  switch (frame.readUInt8(0)) {
    case kinds.open:
      return { type: 'open', job, request: json(body) as JobRequest };
    case kinds.close:
      return { type: 'close', job };
    case kinds.ping:
      return { type: 'ping', job: 0 };
    case kinds.pong:
      return { type: 'pong', job: 0 };
    case kinds.hello:
      return { type: 'hello', job: 0, ...(json(body) as { version: number; failure?: string }) };
    case kinds.tracks: {
      const { clock, tracks } = json(body) as { clock: SourceClock; tracks: TrackJson[] };
      return { type: 'tracks', job, clock, tracks: tracks.map(trackFromJson) };
    }
    case kinds.awaiting:
      return { type: 'awaiting', job, track: json(body) === 'audio' ? 'audio' : 'video' };
    case kinds.note:
      return { type: 'note', job, message: String(json(body)) };
    case kinds.end:
      return { type: 'end', job, end: json(body) as JobEnd };
    case kinds.snapshot:
      return { type: 'snapshot', job, bytes: body };
    case kinds.thumbnail:
      return { type: 'thumbnail', job, bytes: body };
    case kinds.taken:
      return { type: 'taken', job };
    case kinds.data:
      if (body.length < dataHeadBytes) break;
      return { type: 'data', job, ptsTicks: body.readDoubleLE(0), bytes: body.subarray(dataHeadBytes) };
    case kinds.sample: {
      if (body.length < sampleHeadBytes) break;
      const flags = body[1] ?? 0;
      return {
        type: 'sample',
        job,
        trackId: body[0] ?? 0,
        isKey: (flags & keyFlag) !== 0,
        isDamaged: (flags & damagedFlag) !== 0,
        dts: body.readDoubleLE(2),
        pts: body.readDoubleLE(10),
        bytes: body.subarray(sampleHeadBytes),
      };
    }
  }
  throw new RangeError(`A message of kind ${frame[0]} with ${body.length} bytes.`);
}

function json(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (cause) {
    throw new RangeError('A message that is not JSON.', { cause });
  }
}

interface TrackJson {
  kind: 'video' | 'audio';
  id: number;
  timescale: number;
  codecString: string;
  codec: VideoCodec | AudioCodec;
  config: string;
}

function trackToJson(track: Track): object {
  return { ...track, config: Buffer.from(track.config).toString('base64') };
}

function trackFromJson(track: TrackJson): Track {
  return { ...track, config: new Uint8Array(Buffer.from(track.config, 'base64')) } as Track;
}
