/**
 * Recordings without boxes, as Moonfire NVR makes them: a file has the samples of one video track, one after the other, and a
 * database says how long and how large each is, as a blob (its design/schema.md, `video_index`), and in which codec.
 */
import { parseSampleEntryBox } from '../fmp4/read-init.ts';
import { MalformedError } from '../malformed.ts';
import type { Movie } from './movie.ts';
import { checkedTicks, type MovieSample, SampleBudget } from './movie-samples.ts';

/** What a database says of a file. */
export interface SampleIndex {
  /** A VisualSampleEntry box: ISO/IEC 14496-12, clause 12.1.3. */
  readonly entry: Uint8Array;
  /** Two varints for each sample: what differs from the sample before it. */
  readonly samples: Uint8Array;
  /** How long all samples last by a better clock than that of the camera, ticks of 90 kHz; 0: as long as they say. */
  readonly durationTicks: number;
}

/** Ticks per second of all times. */
const timescale = 90_000;
/** Clocks of cameras differ by less than this from that of the recorder. */
const clockErrorMax = 0.01;

/**
 * The movie that an index describes.
 * @param fileSize bytes; the samples fill the file
 * @throws MalformedError if they don't, the index is damaged, or the codec is not supported
 */
export function movieOfIndex({ entry, samples: index, durationTicks }: SampleIndex, fileSize: number): Movie {
  const track = { ...parseSampleEntryBox(1, entry), timescale };
  if (track.kind !== 'video') throw new MalformedError('an index of audio');
  const samples = [...indexedSamples(index)];
  const last = samples.at(-1);
  if (!last) throw new MalformedError('it has no samples');
  if (last.position + last.size !== fileSize)
    throw new MalformedError('its length is not that of the samples in its index');
  const found = { track, offsetSeconds: 0, samples: stretched(samples, durationTicks) };
  return { tracks: [found], leftOut: [], isFragmented: false, isTruncated: false };
}

function* indexedSamples(index: Uint8Array): Generator<MovieSample, void, undefined> {
  const varints = new VarintReader(index);
  const budget = new SampleBudget();
  const size = { key: 0, other: 0 };
  let duration = 0;
  let dts = 0;
  let position = 0;
  while (varints.hasMore) {
    budget.take(1);
    const first = varints.next();
    const isKey = (first & 1) === 1;
    duration += zigzag(first >>> 1);
    const type = isKey ? 'key' : 'other';
    size[type] += zigzag(varints.next());
    // How long the last one is shown is not known: it has no successor.
    if (size[type] <= 0 || duration < 0 || (duration === 0 && varints.hasMore))
      throw new MalformedError('a sample of its index has no length');
    yield { dts, duration, compositionOffset: 0, isKey, position, size: size[type] };
    dts = checkedTicks(dts + duration);
    position += size[type];
  }
}

/** As long as the recorder's clock says. */
function stretched(samples: readonly MovieSample[], durationTicks: number): readonly MovieSample[] {
  const last = samples.at(-1);
  const ticks = last ? last.dts + last.duration : 0;
  if (ticks === 0 || Math.abs(durationTicks / ticks - 1) > clockErrorMax) return samples;
  const scaled = (time: number) => Math.round((time * durationTicks) / ticks);
  return samples.map(({ dts, duration, ...others }) => ({
    ...others,
    dts: scaled(dts),
    duration: scaled(dts + duration) - scaled(dts),
  }));
}

/** 0, -1, 1, -2, 2 ... */
function zigzag(value: number): number {
  return (value >>> 1) ^ -(value & 1);
}

/** Unsigned numbers of up to 32 bits, seven in a byte, the lowest first. */
class VarintReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get hasMore(): boolean {
    return this.#at < this.#bytes.length;
  }

  /** @throws MalformedError if it is truncated, or has more bits */
  next(): number {
    let value = 0;
    for (let shift = 1; shift <= 2 ** 28; shift *= 128) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) break;
      value += (byte & 0x7f) * shift;
      if (byte < 0x80 && value < 2 ** 32) return value;
    }
    throw new MalformedError('its index is damaged');
  }
}
