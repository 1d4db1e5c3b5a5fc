import { initSegment } from '@vidette/media/fmp4/init';
import { parseInit } from '@vidette/media/fmp4/read-init';
import type { ByteSpan } from './archive-playlist.ts';

/** The segment to append before fragments that need it. */
export interface InitSegment {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
}

/** The same for video only, for fragments without audio. */
export interface VideoInit extends InitSegment {
  readonly trackId: number;
  /** Ticks per second of the video track's timestamps. */
  readonly timescale: number;
}

export type LoadBytes = (span: ByteSpan, signal: AbortSignal) => Promise<Uint8Array | undefined>;

/** A camera rarely changes its parameters; this many init segments of one stream are kept. */
const KEPT = 40;

/** The init segments of one stream's archive: each is fetched once. */
export class InitSegments {
  readonly #load: LoadBytes;
  readonly #whole = new Map<string, InitSegment>();
  readonly #frames = new Map<string, VideoInit | undefined>();

  /** @param load undefined for a segment that no longer exists; may reject */
  constructor(load: LoadBytes) {
    this.#load = load;
  }

  /** Undefined when the segment no longer exists. @throws MalformedError, and whatever loading rejects with */
  async of(span: ByteSpan, signal: AbortSignal): Promise<InitSegment | undefined> {
    const known = this.#whole.get(keyOf(span));
    if (known) return known;
    const bytes = await this.#load(span, signal);
    if (!bytes) return undefined;
    const codecs = parseInit(bytes).map((track) => track.codecString);
    const init = { bytes, mimeType: mimeTypeOf(codecs) };
    keep(this.#whole, keyOf(span), init);
    return init;
  }

  /** Undefined when the segment no longer exists or has no video. @throws as `of` */
  async ofFrames(span: ByteSpan, signal: AbortSignal): Promise<VideoInit | undefined> {
    const key = keyOf(span);
    if (this.#frames.has(key)) return this.#frames.get(key);
    const whole = await this.of(span, signal);
    if (!whole) return undefined;
    const tracks = parseInit(whole.bytes).filter((track) => track.kind === 'video');
    const [first] = tracks;
    const init = first && {
      bytes: initSegment(tracks),
      mimeType: mimeTypeOf([first.codecString]),
      trackId: first.id,
      timescale: first.timescale,
    };
    keep(this.#frames, key, init);
    return init;
  }
}

/** The key of a byte range: equal for equal ranges. */
export function keyOf(span: ByteSpan): string {
  return `${span.url} ${span.offset} ${span.length}`;
}

function mimeTypeOf(codecs: readonly string[]): string {
  return `video/mp4; codecs="${[...new Set(codecs)].join(',')}"`;
}

/** A Map keeps insertion order: drop the oldest. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > KEPT && oldest !== undefined) map.delete(oldest);
}
