/** The samples that a sample table describes: ISO/IEC 14496-12 clauses 8.6.1 and 8.7. */
import { ByteReader } from '../bytes.ts';
import { findBox, requireBox } from '../fmp4/box.ts';
import { MalformedError } from '../malformed.ts';
import { checkedTicks, type MovieSample, type SampleBudget } from './movie-samples.ts';

/**
 * The samples of an stbl box, in decoding order.
 * @throws MalformedError if its tables contradict each other, are truncated, or describe too many samples
 */
export function samplesOfTable(stbl: Uint8Array, budget: SampleBudget): MovieSample[] {
  const sizes = sampleSizes(stbl, budget);
  const count = sizes.length;
  const durations = runs(requireBox(stbl, 'stts'), count, (reader) => reader.u32());
  const offsets = compositionOffsets(stbl, count);
  const positions = samplePositions(stbl, sizes);
  const keys = keyNumbers(stbl);
  let dts = 0;
  return sizes.map((size, index) => {
    const duration = durations[index] ?? 0;
    const sample: MovieSample = {
      dts,
      duration,
      compositionOffset: offsets?.[index] ?? 0,
      isKey: keys === undefined || keys.has(index + 1),
      position: positions[index] ?? 0,
      size,
    };
    dts = checkedTicks(dts + duration);
    return sample;
  });
}

/** Clause 8.7.3.2: sample_size (32), sample_count (32), and where sample_size is 0 one size (32) for each. */
function sampleSizes(stbl: Uint8Array, budget: SampleBudget): number[] {
  const reader = new ByteReader(requireBox(stbl, 'stsz'));
  reader.skip(4);
  const common = reader.u32();
  const count = reader.u32();
  budget.take(count);
  return Array.from({ length: count }, () => (common === 0 ? reader.u32() : common));
}

/** Clauses 8.6.1.2 and 8.6.1.3: entry_count (32), and for each entry sample_count (32) and a value (32). */
function runs(box: Uint8Array, count: number, value: (reader: ByteReader) => number): number[] {
  const reader = new ByteReader(box);
  reader.skip(4);
  const values: number[] = [];
  for (let left = reader.u32(); left > 0; left--) {
    const length = reader.u32();
    const of = value(reader);
    if (length > count - values.length) throw new MalformedError('a table has more entries than samples');
    for (let index = 0; index < length; index++) values.push(of);
  }
  if (values.length < count) throw new MalformedError('a table has fewer entries than samples');
  return values;
}

function compositionOffsets(stbl: Uint8Array, count: number): number[] | undefined {
  const ctts = findBox(stbl, 'ctts')?.body;
  // Version 0 is unsigned by the standard, but muxers write negative offsets into it: none is longer than 2^31.
  return ctts && runs(ctts, count, (reader) => reader.i32());
}

/** Clause 8.6.2: the numbers of the key frames, from 1; undefined: all samples are. */
function keyNumbers(stbl: Uint8Array): ReadonlySet<number> | undefined {
  const stss = findBox(stbl, 'stss')?.body;
  if (!stss) return undefined;
  const reader = new ByteReader(stss);
  reader.skip(4);
  const keys = new Set<number>();
  for (let left = reader.u32(); left > 0; left--) keys.add(reader.u32());
  return keys;
}

/** Clause 8.7.4: chunks from `first` on contain `samples` samples each. */
interface ChunkRun {
  readonly first: number;
  readonly samples: number;
}

/** Clauses 8.7.4 and 8.7.5. */
function samplePositions(stbl: Uint8Array, sizes: readonly number[]): number[] {
  const chunkRuns = readChunkRuns(stbl);
  const wide = findBox(stbl, 'co64')?.body;
  const reader = new ByteReader(wide ?? requireBox(stbl, 'stco'));
  reader.skip(4);
  const chunks = reader.u32();
  const positions: number[] = [];
  let run = 0;
  for (let chunk = 1; chunk <= chunks && positions.length < sizes.length; chunk++) {
    while ((chunkRuns[run + 1]?.first ?? Infinity) <= chunk) run++;
    let at = wide ? reader.u64() : reader.u32();
    const inChunk = Math.min(chunkRuns[run]?.samples ?? 0, sizes.length - positions.length);
    for (let index = 0; index < inChunk; index++) {
      const size = sizes[positions.length] ?? 0;
      positions.push(at);
      at += size;
    }
  }
  if (positions.length < sizes.length)
    throw new MalformedError('the chunks have fewer samples than the table');
  return positions;
}

function readChunkRuns(stbl: Uint8Array): ChunkRun[] {
  const reader = new ByteReader(requireBox(stbl, 'stsc'));
  reader.skip(4);
  const found: ChunkRun[] = [];
  for (let left = reader.u32(); left > 0; left--) {
    const run = { first: reader.u32(), samples: reader.u32() };
    if (reader.u32() !== 1) throw new MalformedError('samples of several sample descriptions');
    found.push(run);
  }
  return found;
}
