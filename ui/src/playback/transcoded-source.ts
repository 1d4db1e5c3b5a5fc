import { readBoxHeader } from '@vidette/media/fmp4/box';
import type { ArchiveSource } from './archive-source.ts';
import type { ArchiveFragment } from './archive-playlist.ts';

/**
 * Fetches the recorded GOP of a moment as an fMP4 that this browser can decode. Rejects as `ArchiveSource`
 * does.
 */
export type LoadTranscoded = (atMs: number, signal: AbortSignal) => Promise<Uint8Array>;

/** What the server transcodes to. */
export const TRANSCODED_TYPE = 'video/mp4; codecs="avc1.640028"';

const MEDIA = 'converted:';
const INIT = 'converted-init:';
/** The one being played, and its neighbours for steps back. */
const KEPT = 4;

interface TranscodedGop {
  readonly init: Uint8Array;
  readonly media: Uint8Array;
}

/**
 * The same archive transcoded by the server: each fragment is a GOP that arrives with its init segment, so both
 * come from one request.
 */
export function transcodedSource(source: ArchiveSource, load: LoadTranscoded): ArchiveSource {
  const kept = new Map<number, Promise<TranscodedGop>>();
  const gopAt = (atMs: number, signal: AbortSignal): Promise<TranscodedGop> => {
    const known = kept.get(atMs);
    if (known) return known;
    const asked = load(atMs, signal).then(split);
    kept.set(atMs, asked);
    const [oldest] = kept.keys();
    if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
    // A request after a failure is sent again.
    asked.catch(() => {
      if (kept.get(atMs) === asked) kept.delete(atMs);
    });
    return asked;
  };
  return {
    async playlist(startMs, endMs, signal) {
      const fragments = await source.playlist(startMs, endMs, signal);
      return fragments.map(transcodedFragment);
    },
    async bytes({ url, offset, length }, signal) {
      const isInit = url.startsWith(INIT);
      const gop = await gopAt(Number(url.slice(isInit ? INIT.length : MEDIA.length)), signal);
      const bytes = isInit ? gop.init : gop.media;
      return length === undefined ? bytes.subarray(offset) : bytes.subarray(offset, offset + length);
    },
    nextPlayable: (fromMs, signal) => source.nextPlayable(fromMs, signal),
    previousPlayable: (beforeMs, signal) => source.previousPlayable(beforeMs, signal),
  };
}

function transcodedFragment({ startMs, endMs }: ArchiveFragment): ArchiveFragment {
  const atMs = Math.round(startMs);
  const whole = { offset: 0, length: undefined };
  return { ...whole, url: `${MEDIA}${atMs}`, startMs, endMs, init: { ...whole, url: `${INIT}${atMs}` } };
}

/** @throws MalformedError, RangeError for anything other than an init segment followed by a fragment */
function split(bytes: Uint8Array): TranscodedGop {
  for (let at = 0; at < bytes.length;) {
    const box = readBoxHeader(bytes.subarray(at));
    if (box?.type === 'moof') return { init: bytes.subarray(0, at), media: bytes.subarray(at) };
    if (!box?.size) break;
    at += box.size;
  }
  throw new RangeError('Transcoded video without a fragment');
}
