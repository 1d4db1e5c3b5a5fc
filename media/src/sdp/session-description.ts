/** Session descriptions (RFC 8866) as far as RTSP needs them: media, their formats and controls. */
import { MalformedError } from '../malformed.ts';

export interface SessionDescription {
  /** The session-level control attribute (RFC 2326, C.1.1). */
  readonly control: string | undefined;
  readonly media: readonly MediaDescription[];
}

export interface MediaDescription {
  /** `video`, `audio`, `application`, ... */
  readonly kind: string;
  /** As in `RTP/AVP`. */
  readonly protocol: string;
  readonly formats: readonly MediaFormat[];
  readonly control: string | undefined;
  /** Direction of the media, by default the session's (RFC 8866, 6.7); undefined if neither is given. */
  readonly direction: Direction | undefined;
  /** The feedback that the sender supports (`rtcp-fb`, RFC 4585, 4.2). */
  readonly feedback: readonly Feedback[];
}

type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

interface Feedback {
  /** A payload type, or `*` for all. */
  readonly payloadType: string;
  /** As in `nack pli`, lower case. */
  readonly message: string;
}

/** One RTP payload type of a media section with its rtpmap and fmtp. */
export interface MediaFormat {
  readonly payloadType: number;
  /** Encoding name in lower case, as in `h264` or `mpeg4-generic`; empty for a dynamic type without rtpmap. */
  readonly encoding: string;
  /** Hz of the RTP clock; 0 if unknown. */
  readonly clockRate: number;
  /** Audio channels; 1 unless specified. */
  readonly channels: number;
  /** Format parameters, names in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

const maxTextLength = 256 * 1024;
const maxLineLength = 64 * 1024;
const maxMedia = 32;
const maxFormats = 64;

/** Payload types whose meaning is fixed (RFC 3551, tables 4 and 5), of the codecs that cameras use. */
const staticFormats: ReadonlyMap<number, { encoding: string; clockRate: number; channels?: number }> =
  new Map<number, { encoding: string; clockRate: number; channels?: number }>([
    [0, { encoding: 'pcmu', clockRate: 8000 }],
    [2, { encoding: 'g726-32', clockRate: 8000 }],
    [3, { encoding: 'gsm', clockRate: 8000 }],
    [8, { encoding: 'pcma', clockRate: 8000 }],
    [9, { encoding: 'g722', clockRate: 8000 }],
    [10, { encoding: 'l16', clockRate: 44100, channels: 2 }],
    [11, { encoding: 'l16', clockRate: 44100 }],
    [14, { encoding: 'mpa', clockRate: 90000 }],
    [26, { encoding: 'jpeg', clockRate: 90000 }],
    [32, { encoding: 'mpv', clockRate: 90000 }],
    [33, { encoding: 'mp2t', clockRate: 90000 }],
  ]);

interface MediaDraft {
  kind: string;
  protocol: string;
  payloadTypes: number[];
  control: string | undefined;
  direction: Direction | undefined;
  feedback: Feedback[];
  rtpmaps: Map<number, { encoding: string; clockRate: number; channels: number }>;
  fmtps: Map<number, Map<string, string>>;
}

/** A payload type with its fixed meaning; undefined if it has none. */
export function staticFormat(payloadType: number): MediaFormat | undefined {
  const known = staticFormats.get(payloadType);
  return known && { payloadType, channels: 1, ...known, parameters: new Map() };
}

/** Throws `MalformedError` if the text is not a session description or exceeds a limit. */
export function parseSessionDescription(text: string): SessionDescription {
  if (text.length > maxTextLength) throw new MalformedError(`SDP over ${maxTextLength} characters`);
  let control: string | undefined;
  let direction: Direction | undefined;
  let recognised = 0;
  const drafts: MediaDraft[] = [];
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line.length > maxLineLength) throw new MalformedError(`SDP line over ${maxLineLength} characters`);
    const match = /^\s*([a-z])=(.*)$/.exec(line);
    if (!match) continue;
    recognised++;
    const value = (match[2] ?? '').trim();
    if (match[1] === 'm') {
      if (drafts.length >= maxMedia) throw new MalformedError(`more than ${maxMedia} media in the SDP`);
      drafts.push(parseMediaLine(value));
    } else if (match[1] === 'a') {
      const draft = drafts.at(-1);
      if (draft) parseMediaAttribute(draft, value);
      else if (value.startsWith('control:')) control = value.slice('control:'.length).trim();
      else direction = directionOf(value.toLowerCase()) ?? direction;
    }
  }
  if (recognised === 0) throw new MalformedError('not a session description');
  return { control, media: drafts.map((draft) => finish(draft, direction)) };
}

function parseMediaLine(value: string): MediaDraft {
  const [kind = '', , protocol = '', ...formats] = value.split(/\s+/);
  const payloadTypes = formats
    .slice(0, maxFormats)
    .filter((format) => /^\d{1,3}$/.test(format))
    .map(Number)
    .filter((payloadType) => payloadType < 128);
  return {
    kind: kind.toLowerCase(),
    protocol: protocol.toUpperCase(),
    payloadTypes,
    control: undefined,
    direction: undefined,
    feedback: [],
    rtpmaps: new Map(),
    fmtps: new Map(),
  };
}

function parseMediaAttribute(draft: MediaDraft, value: string): void {
  const colon = value.indexOf(':');
  const name = (colon < 0 ? value : value.slice(0, colon)).trim().toLowerCase();
  const rest = colon < 0 ? '' : value.slice(colon + 1).trim();
  switch (name) {
    case 'control':
      draft.control = rest;
      return;
    case 'rtpmap': {
      const match = /^(\d{1,3})\s+([^/\s]+)\s*\/\s*(\d{1,9})(?:\s*\/\s*(\d{1,3}))?/.exec(rest);
      if (!match || draft.rtpmaps.size >= maxFormats) return;
      draft.rtpmaps.set(Number(match[1]), {
        encoding: (match[2] ?? '').toLowerCase(),
        clockRate: Number(match[3]),
        channels: match[4] === undefined ? 1 : Number(match[4]),
      });
      return;
    }
    case 'fmtp': {
      const match = /^(\d{1,3})\s(.*)$/.exec(rest);
      if (match && draft.fmtps.size < maxFormats)
        draft.fmtps.set(Number(match[1]), parseFmtp(match[2] ?? ''));
      return;
    }
    case 'rtcp-fb': {
      const [payloadType = '', ...message] = rest.toLowerCase().split(/\s+/, 4);
      if (draft.feedback.length < maxFormats)
        draft.feedback.push({ payloadType, message: message.join(' ') });
      return;
    }
    default:
      draft.direction = directionOf(name) ?? draft.direction;
  }
}

function directionOf(name: string): Direction | undefined {
  switch (name) {
    case 'sendrecv':
    case 'sendonly':
    case 'recvonly':
    case 'inactive':
      return name;
    default:
      return undefined;
  }
}

/** `name=value` pairs separated by semicolons; a value may contain `=` itself (as in base64). */
function parseFmtp(text: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const part of text.split(';').slice(0, maxFormats)) {
    const equals = part.indexOf('=');
    const name = (equals < 0 ? part : part.slice(0, equals)).trim().toLowerCase();
    if (name !== '') parameters.set(name, equals < 0 ? '' : part.slice(equals + 1).trim());
  }
  return parameters;
}

function finish(draft: MediaDraft, sessionDirection: Direction | undefined): MediaDescription {
  const formats = draft.payloadTypes.map((payloadType): MediaFormat => {
    const known = draft.rtpmaps.get(payloadType) ?? staticFormats.get(payloadType);
    return {
      payloadType,
      encoding: known?.encoding ?? '',
      clockRate: known?.clockRate ?? 0,
      channels: known?.channels ?? 1,
      parameters: draft.fmtps.get(payloadType) ?? new Map(),
    };
  });
  const { kind, protocol, control, feedback, direction = sessionDirection } = draft;
  return { kind, protocol, formats, control, direction, feedback };
}
