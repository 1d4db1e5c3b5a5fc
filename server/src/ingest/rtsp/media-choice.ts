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
  /** `h264`, `h265`, `mpeg4-generic`, `mp4a-latm`, `opus`, `pcmu` or `pcma`. */
  readonly encoding: string;
  readonly format: MediaFormat;
  /** Where to SETUP. */
  readonly uri: string;
}

export interface MediaChoice {
  readonly media: readonly ChosenMedia[];
  /** Where to PLAY and to ask for signs of life. */
  readonly aggregateUri: string;
  /** What was left out, in words for the stream's log. */
  readonly ignored: readonly string[];
}

const videoEncodings: ReadonlyMap<string, string> = new Map([
  ['h264', 'h264'],
  ['h265', 'h265'],
  ['hevc', 'h265'],
]);
const soundEncodings: ReadonlySet<string> = new Set(['mpeg4-generic', 'mp4a-latm', 'opus']);
/** Sound that a browser doesn't play; taken when somebody converts it. */
const convertedEncodings: ReadonlySet<string> = new Set(['pcmu', 'pcma']);

/** The encoding is not stored as it comes. */
export function isConverted(encoding: string): boolean {
  return convertedEncodings.has(encoding);
}

/**
 * Picks the first picture and the first sound that can be received; other media are not set up.
 *
 * @throws Fault ProbeError when nothing fits, or when there is a picture but none that fits: half a camera is no
 *   success, and another engine may know better
 */
export function chooseMedia(description: SessionDescription, base: string, canConvert: boolean): MediaChoice {
  const aggregateUri = resolveControl(base, description.control);
  const chosen: ChosenMedia[] = [];
  const ignored: string[] = [];
  for (const media of description.media) {
    const found = chosen.some(({ kind }) => kind === media.kind) ? undefined : choose(media, canConvert);
    if (!found) {
      ignored.push(`The track ${describe(media)} is not used.`);
      continue;
    }
    // With a single medium the control may stand at the session alone.
    const isOnly = description.media.length === 1 && media.control === undefined;
    chosen.push({ ...found, uri: isOnly ? aggregateUri : resolveControl(base, media.control) });
  }
  const hasPicture = description.media.some(({ kind }) => kind === 'video');
  if (chosen.length === 0 || (hasPicture && !chosen.some(({ kind }) => kind === 'video'))) {
    const offered = description.media.slice(0, 4).map(describe).join(', ');
    throw new Fault(
      'ProbeError',
      offered === ''
        ? 'The camera offers no picture.'
        : `The camera offers nothing that can be used, only ${offered}.`,
    );
  }
  return { media: chosen.sort((a, b) => order(a) - order(b)), aggregateUri, ignored };
}

/** The picture first: it leads the clock, and has the lower track number. */
function order({ kind }: ChosenMedia): number {
  return kind === 'video' ? 0 : 1;
}

function choose(media: MediaDescription, canConvert: boolean): Omit<ChosenMedia, 'uri'> | undefined {
  if (!media.protocol.startsWith('RTP/')) return undefined;
  for (const format of media.formats) {
    if (format.clockRate < 1 || format.clockRate > 1_000_000) continue;
    if (media.kind === 'video') {
      const encoding = videoEncodings.get(format.encoding);
      if (encoding !== undefined) return { kind: 'video', encoding, format };
    } else if (media.kind === 'audio') {
      const isUsable =
        soundEncodings.has(format.encoding) || (canConvert && convertedEncodings.has(format.encoding));
      if (isUsable && isPlainAac(format)) return { kind: 'audio', encoding: format.encoding, format };
    }
  }
  return undefined;
}

/** mpeg4-generic also carries CELP and scene descriptions, and may be encrypted (RFC 3640, 3.3 and 4.1). */
function isPlainAac({ encoding, parameters }: MediaFormat): boolean {
  if (encoding !== 'mpeg4-generic') return true;
  const mode = parameters.get('mode')?.toLowerCase();
  return mode === undefined || mode.startsWith('aac');
}

/** The name comes from the camera: only what is harmless in a log is repeated. */
function describe(media: MediaDescription): string {
  const name = media.formats[0]?.encoding.replace(/[^a-z0-9.-]/g, '').slice(0, 24) ?? '';
  return `${media.kind.replace(/[^a-z]/g, '').slice(0, 16)} ${name === '' ? 'of unknown kind' : name}`;
}
