/**
 * The samples of movie fragments as any muxer writes them (ISO/IEC 14496-12 clause 8.8): `read-moof.ts` reads those of this
 * project, which need to be written again as they are.
 */
import { ByteReader } from '../bytes.ts';
import { findBox, requireBox, walkBoxes } from '../fmp4/box.ts';
import { TFHD, TRUN } from '../fmp4/read-moof.ts';
import { isKeyByFlags } from '../fmp4/sample-flags.ts';
import { checkedTicks, type MovieSample, type SampleBudget } from './movie-samples.ts';

/** Of a trex box (clause 8.8.3.1): what a fragment doesn't say. */
export interface SampleDefaults {
  readonly duration: number;
  readonly size: number;
  readonly flags: number;
}

/** The defaults of all tracks, by track id, from an mvex box; empty without one. @throws MalformedError */
export function trackDefaults(mvex: Uint8Array | undefined): Map<number, SampleDefaults> {
  const defaults = new Map<number, SampleDefaults>();
  if (!mvex) return defaults;
  for (const { type, body } of walkBoxes(mvex)) {
    if (type !== 'trex') continue;
    const reader = new ByteReader(body);
    reader.skip(4);
    const trackId = reader.u32();
    reader.skip(4);
    defaults.set(trackId, { duration: reader.u32(), size: reader.u32(), flags: reader.u32() });
  }
  return defaults;
}

/** Samples by track id. */
export type SamplesByTrack = Map<number, MovieSample[]>;

/**
 * Appends the samples of a moof to those of the tracks in `into`; other tracks are left out.
 * @param moofOffset of the moof, from the start of the file
 * @throws MalformedError if it is truncated or describes too many samples
 */
export function appendFragment(
  moof: Uint8Array,
  moofOffset: number,
  defaults: ReadonlyMap<number, SampleDefaults>,
  into: SamplesByTrack,
  budget: SampleBudget,
): void {
  // Without an offset of its own, a track's data follow those of the track before it (clause 8.8.7.1).
  let at = moofOffset;
  for (const { type, body } of walkBoxes(moof)) {
    if (type === 'traf') at = appendTrack(body, moofOffset, at, defaults, into, budget);
  }
}

function appendTrack(
  traf: Uint8Array,
  moofOffset: number,
  dataEnd: number,
  defaults: ReadonlyMap<number, SampleDefaults>,
  into: SamplesByTrack,
  budget: SampleBudget,
): number {
  const { trackId, base, fallback } = readHeader(traf, moofOffset, dataEnd, defaults);
  const samples = into.get(trackId);
  const tfdt = findBox(traf, 'tfdt')?.body;
  const last = samples?.at(-1);
  let dts = tfdt ? readDecodeTime(tfdt) : last ? last.dts + last.duration : 0;
  let at = base;
  for (const { type, body } of walkBoxes(traf)) {
    if (type !== 'trun') continue;
    const reader = new ByteReader(body);
    reader.skip(1);
    const has = reader.u24();
    const count = reader.u32();
    budget.take(count);
    if ((has & TRUN.dataOffset) !== 0) at = base + reader.i32();
    const firstFlags = (has & TRUN.firstSampleFlags) !== 0 ? reader.u32() : undefined;
    for (let index = 0; index < count; index++) {
      const duration = (has & TRUN.duration) !== 0 ? reader.u32() : fallback.duration;
      const size = (has & TRUN.size) !== 0 ? reader.u32() : fallback.size;
      const ownFlags = (has & TRUN.flags) !== 0 ? reader.u32() : fallback.flags;
      const compositionOffset = (has & TRUN.compositionOffset) !== 0 ? reader.i32() : 0;
      const isKey = isKeyByFlags(index === 0 ? (firstFlags ?? ownFlags) : ownFlags);
      samples?.push({ dts, duration, compositionOffset, isKey, position: at, size });
      dts = checkedTicks(dts + duration);
      at += size;
    }
  }
  return at;
}

/** Clause 8.8.7. */
function readHeader(
  traf: Uint8Array,
  moofOffset: number,
  dataEnd: number,
  defaults: ReadonlyMap<number, SampleDefaults>,
): { trackId: number; base: number; fallback: SampleDefaults } {
  const reader = new ByteReader(requireBox(traf, 'tfhd'));
  reader.skip(1);
  const has = reader.u24();
  const trackId = reader.u32();
  const isBaseMoof = (has & 0x20000) !== 0;
  const base = (has & TFHD.baseDataOffset) !== 0 ? reader.u64() : isBaseMoof ? moofOffset : dataEnd;
  if ((has & TFHD.sampleDescriptionIndex) !== 0) reader.skip(4);
  const { duration, size, flags } = defaults.get(trackId) ?? { duration: 0, size: 0, flags: 0 };
  const fallback = {
    duration: (has & TFHD.defaultDuration) !== 0 ? reader.u32() : duration,
    size: (has & TFHD.defaultSize) !== 0 ? reader.u32() : size,
    flags: (has & TFHD.defaultFlags) !== 0 ? reader.u32() : flags,
  };
  return { trackId, base, fallback };
}

/** Clause 8.8.12. */
function readDecodeTime(tfdt: Uint8Array): number {
  const reader = new ByteReader(tfdt);
  const version = reader.u8();
  reader.skip(3);
  return checkedTicks(version === 1 ? reader.u64() : reader.u32());
}
