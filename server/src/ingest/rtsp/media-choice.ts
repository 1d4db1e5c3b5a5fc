import { resolveControl } from '@vidette/media/rtsp/uri';
import type {
  MediaDescription,
  MediaFormat,
  SessionDescription,
} from '@vidette/media/sdp/session-description';
import { Fault } from '../../base/fault.ts';

/** One media section that will be set up. */
export interface ChosenMedia {
  readonly kind: 'video' | 'audio';
  /** `h264`, `h265`, `mpeg4-generic`, `mp4a-latm`, `opus`, or an encoding that is transcoded. */
  readonly encoding: string;
  readonly format: MediaFormat;
  /** All formats of its section, in order of preference. */
  readonly formats: readonly MediaFormat[];
  /** Whether the camera sends a key frame on request (RFC 4585, 6.3.1; RFC 5104, 4.3.1). */
  readonly keyFrameRequest: 'pli' | 'fir' | undefined;
  /** The address for SETUP, and the RTP profile. */
  readonly uri: string;
  readonly profile: 'RTP/AVP' | 'RTP/AVPF';
}

export interface MediaChoice {
  readonly media: readonly ChosenMedia[];
  /** The address for PLAY and keep-alive requests. */
  readonly aggregateUri: string;
  /** How many of the video tracks can be received: one of them is chosen. */
  readonly videoTracks: number;
  /** Skipped media, as text for the stream's log. */
  readonly ignored: readonly string[];
}

const videoEncodings: ReadonlyMap<string, string> = new Map([
  ['h264', 'h264'],
  ['h265', 'h265'],
  ['hevc', 'h265'],
]);
const audioEncodings: ReadonlySet<string> = new Set(['mpeg4-generic', 'mp4a-latm', 'opus']);
/** Audio that a browser doesn't play; used when a transcoder is available. */
const transcodedEncodings: ReadonlySet<string> = new Set([
  'pcmu',
  'pcma',
  'g722',
  ...['16', '24', '32', '40'].flatMap((rate) => [`g726-${rate}`, `aal2-g726-${rate}`]),
  'l8',
  'l16',
  'l24',
  'mpa',
]);

/** Whether the encoding is transcoded. */
export function isConverted(encoding: string): boolean {
  return transcodedEncodings.has(encoding);
}

/** How this encoding is received; undefined if it cannot be. */
export function usableEncoding(
  kind: string,
  format: MediaFormat,
  canConvert: boolean,
): { readonly kind: 'video' | 'audio'; readonly encoding: string } | undefined {
  if (format.clockRate < 1 || format.clockRate > 1_000_000) return undefined;
  if (kind === 'video') {
    const encoding = videoEncodings.get(format.encoding);
    return encoding === undefined ? undefined : { kind, encoding };
  }
  if (kind !== 'audio') return undefined;
  const isUsable =
    audioEncodings.has(format.encoding) || (canConvert && transcodedEncodings.has(format.encoding));
  return isUsable && isPlainAac(format) ? { kind, encoding: format.encoding } : undefined;
}

/**
 * Picks one video and one audio medium that can be received, the first of each; other media are not set up.
 * `videoTurn` (from 0, modulo their number) selects among several video media: the first may be announced but
 * never sent.
 * @throws Fault ProbeError if nothing is supported, or if there is video but none that is supported: audio
 * without the video is no success, and another engine may support it
 */
export function chooseMedia(
  description: SessionDescription,
  base: string,
  canConvert: boolean,
  videoTurn = 0,
): MediaChoice {
  const aggregateUri = resolveControl(base, description.control);
  const chosen: ChosenMedia[] = [];
  const ignored: string[] = [];
  const isForUs = receiving(description.media);
  const usable = new Map(description.media.map((media) => [media, choose(media, canConvert)]));
  const frames = description.media.filter((media) => isForUs(media) && usable.get(media)?.kind === 'video');
  const frame = frames[videoTurn % Math.max(1, frames.length)];
  for (const media of description.media) {
    const isTaken = chosen.some(({ kind }) => kind === media.kind);
    const isOther = media.kind === 'video' && media !== frame;
    const found = isTaken || isOther || !isForUs(media) ? undefined : usable.get(media);
    if (!found) {
      ignored.push(`The track ${describe(media)} is not used.`);
      continue;
    }
    // With a single medium only the session may have a control attribute.
    const isOnly = description.media.length === 1 && media.control === undefined;
    chosen.push({ ...found, uri: isOnly ? aggregateUri : resolveControl(base, media.control) });
  }
  const hasFrame = description.media.some(({ kind }) => kind === 'video');
  if (chosen.length === 0 || (hasFrame && !chosen.some(({ kind }) => kind === 'video'))) {
    const offered = description.media.slice(0, 4).map(describe).join(', ');
    throw new Fault(
      'ProbeError',
      offered === ''
        ? 'The camera offers no video.'
        : `The camera offers no supported media, only ${offered}.`,
    );
  }
  const media = chosen.sort((a, b) => order(a) - order(b));
  return { media, aggregateUri, videoTracks: frames.length, ignored };
}

/**
 * Distinguishes what the camera sends from what it would receive. RTSP gives directions from the client's point
 * of view: `sendonly` is the back channel of an intercom (ONVIF Streaming, 5.3). An encoder that describes its
 * own side marks its video this way, and then `recvonly` is what it would receive.
 */
function receiving(media: readonly MediaDescription[]): (one: MediaDescription) => boolean {
  const videos = media.filter(({ kind }) => kind === 'video');
  const leading = videos.length > 0 ? videos : media.filter(({ kind }) => kind === 'audio');
  const isOwnSide = leading.length > 0 && leading.every(({ direction }) => direction === 'sendonly');
  const toCamera = isOwnSide ? 'recvonly' : 'sendonly';
  return ({ direction }) => direction !== toCamera && direction !== 'inactive';
}

/** Video first: it is the leader of the clock, and has the lower track number. */
function order({ kind }: ChosenMedia): number {
  return kind === 'video' ? 0 : 1;
}

function choose(media: MediaDescription, canConvert: boolean): Omit<ChosenMedia, 'uri'> | undefined {
  if (!media.protocol.startsWith('RTP/')) return undefined;
  for (const format of media.formats) {
    const found = usableEncoding(media.kind, format, canConvert);
    if (!found) continue;
    const { formats, protocol } = media;
    const keyFrameRequest = keyFrameRequestOf(media, format.payloadType);
    const profile = protocol.startsWith('RTP/AVPF') ? 'RTP/AVPF' : 'RTP/AVP';
    return { ...found, format, formats, keyFrameRequest, profile };
  }
  return undefined;
}

/** The messages for requesting a key frame from this camera, the simpler one first (RFC 4585, 4.2). */
function keyFrameRequestOf(media: MediaDescription, payloadType: number): 'pli' | 'fir' | undefined {
  const offered = media.feedback
    .filter((line) => line.payloadType === '*' || line.payloadType === String(payloadType))
    .map(({ message }) => message);
  if (offered.includes('nack pli')) return 'pli';
  if (offered.includes('ccm fir')) return 'fir';
  // The profile alone guarantees nothing specific, but receivers ignore unknown messages (RFC 4585, 6.1).
  return media.protocol.startsWith('RTP/AVPF') ? 'pli' : undefined;
}

/** mpeg4-generic also carries CELP and scene descriptions, and may be encrypted (RFC 3640, 3.3 and 4.1). */
function isPlainAac({ encoding, parameters }: MediaFormat): boolean {
  if (encoding !== 'mpeg4-generic') return true;
  const mode = parameters.get('mode')?.toLowerCase();
  return mode === undefined || mode.startsWith('aac');
}

/** The name comes from the camera: only characters that are harmless in a log are kept. */
function describe(media: MediaDescription): string {
  const name = media.formats[0]?.encoding.replace(/[^a-z0-9.-]/g, '').slice(0, 24) ?? '';
  return `${media.kind.replace(/[^a-z]/g, '').slice(0, 16)} ${name === '' ? 'of unknown kind' : name}`;
}
