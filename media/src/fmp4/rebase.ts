/** Moves a complete fragment to another position and time; a download does this to nearly every fragment. */
import { ByteReader, ByteWriter } from '../bytes.ts';
import { MalformedError } from '../malformed.ts';
import { walkBoxes, writeBox, writeFullBox } from './box.ts';
import { parseFragmentHeader, TFHD, TRUN } from './read-moof.ts';
import type { FragmentHeader } from './read-moof.ts';
import type { OriginalRange, EditedFragment, TrackLayout, FragmentLayout } from './fragment-layout.ts';

const MDAT_HEADER_BYTES = 8;
const DESCRIPTION_INDEX_BYTES = 4;

/**
 * Bytes by which a fragment grows when one of its tracks is moved to this placement: known without reading it.
 */
export function grownBytes({ descriptionIndex, parameterSets }: TrackLayout): number {
  return (descriptionIndex === 1 ? 0 : DESCRIPTION_INDEX_BYTES) + parameterSets.length;
}

/**
 * The fragment that has this moof, `size` bytes in total, with another sequence number, shifted decode times,
 * and its tracks as specified by `placements`; at most one of them gets parameter sets. The original is not
 * changed.
 * @throws MalformedError if the fragment has another layout than that of this project; RangeError if a decode
 * time would become negative
 */
export function rebaseFragment(moof: Uint8Array, size: number, options: FragmentLayout): EditedFragment {
  const header = parseFragmentHeader(moof);
  if (header.moofSize !== moof.length) throw new MalformedError('more or less than a moof');
  const insertion = insertionOf(header, options);
  const grown = header.tracks.reduce(
    (sum, { trackId }) => sum + (descriptionOf(trackId, options) === 1 ? 0 : DESCRIPTION_INDEX_BYTES),
    0,
  );
  const head = rewrittenMoof(moof, options, grown, insertion);
  if (!insertion) {
    const media = { offset: moof.length, size: size - moof.length };
    return { pieces: [head, media], size: head.length + media.size };
  }
  const mediaStart = moof.length + MDAT_HEADER_BYTES;
  if (header.tracks.every(({ dataOffset }) => dataOffset !== mediaStart) || size < insertion.offset) {
    throw new MalformedError('mdat with another layout');
  }
  const mdat = new ByteWriter(MDAT_HEADER_BYTES);
  mdat.u32(size - moof.length + insertion.bytes.length);
  mdat.ascii('mdat');
  const before: OriginalRange = { offset: mediaStart, size: insertion.offset - mediaStart };
  const after: OriginalRange = { offset: insertion.offset, size: size - insertion.offset };
  return {
    pieces: [head, mdat.finish(), before, insertion.bytes, after],
    size: size + grown + insertion.bytes.length,
  };
}

/** Parameter sets and where they are inserted, bytes from the start of the original moof. */
interface Insertion {
  readonly trackId: number;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

function insertionOf(header: FragmentHeader, options: FragmentLayout): Insertion | undefined {
  for (const { trackId, dataOffset } of header.tracks) {
    const bytes = options.layouts?.get(trackId)?.parameterSets;
    if (bytes && bytes.length > 0) return { trackId, offset: dataOffset, bytes };
  }
  return undefined;
}

function descriptionOf(trackId: number, options: FragmentLayout): number {
  return options.layouts?.get(trackId)?.descriptionIndex ?? 1;
}

function rewrittenMoof(
  moof: Uint8Array,
  options: FragmentLayout,
  grown: number,
  insertion: Insertion | undefined,
): Uint8Array {
  const out = new ByteWriter(moof.length + grown);
  const [box] = walkBoxes(moof);
  if (box === undefined) throw new MalformedError('not a moof');
  writeBox(out, 'moof', () => {
    for (const child of walkBoxes(box.body)) {
      if (child.type === 'mfhd') writeFullBox(out, 'mfhd', 0, 0, () => out.u32(options.sequence));
      else if (child.type === 'traf') traf(out, child.body, options, grown, insertion);
      else copyBox(out, child.type, child.body);
    }
  });
  return out.finish();
}

function copyBox(out: ByteWriter, type: string, body: Uint8Array): void {
  writeBox(out, type, () => out.bytes(body));
}

function traf(
  out: ByteWriter,
  body: Uint8Array,
  options: FragmentLayout,
  grown: number,
  insertion: Insertion | undefined,
): void {
  let trackId = 0;
  let isFirstRun = true;
  writeBox(out, 'traf', () => {
    for (const child of walkBoxes(body)) {
      switch (child.type) {
        case 'tfhd':
          trackId = tfhd(out, child.body, options);
          break;
        case 'tfdt':
          tfdt(out, child.body, options.timeOffsetTicks.get(trackId) ?? 0);
          break;
        case 'trun':
          trun(out, child.body, grown, insertion, isFirstRun && insertion?.trackId === trackId);
          isFirstRun = false;
          break;
        default:
          copyBox(out, child.type, child.body);
      }
    }
  });
}

/**
 * TrackFragmentHeaderBox, clause 8.8.7: track_ID (32), sample_description_index (32) if it is not the first,
 * then the fields of the original. Returns the track id of the original.
 */
function tfhd(out: ByteWriter, body: Uint8Array, options: FragmentLayout): number {
  const reader = new ByteReader(body);
  const version = reader.u8();
  const flags = reader.u24();
  const trackId = reader.u32();
  if ((flags & TFHD.sampleDescriptionIndex) !== 0) {
    throw new MalformedError('tfhd that already has a sample description index');
  }
  const index = descriptionOf(trackId, options);
  writeFullBox(out, 'tfhd', version, index === 1 ? flags : flags | TFHD.sampleDescriptionIndex, () => {
    out.u32(options.layouts?.get(trackId)?.trackId ?? trackId);
    if (index !== 1) out.u32(index);
    out.bytes(reader.bytes(reader.remaining));
  });
  return trackId;
}

/**
 * TrackFragmentBaseMediaDecodeTimeBox, clause 8.8.12: baseMediaDecodeTime (64), version 1 only: 32 bits may not
 * hold the shifted time.
 */
function tfdt(out: ByteWriter, body: Uint8Array, timeOffsetTicks: number): void {
  const reader = new ByteReader(body);
  if (reader.u8() !== 1) throw new MalformedError('tfdt with 32 bits');
  reader.skip(3);
  const dts = reader.u64() + timeOffsetTicks;
  if (!Number.isSafeInteger(dts) || dts < 0) throw new RangeError(`decode time ${dts}`);
  writeFullBox(out, 'tfdt', 1, 0, () => out.u64(dts));
}

/**
 * TrackRunBox, clause 8.8.8: the same run of samples with a new data_offset (32), because its data are further
 * back, and the first sample_size (32) including the parameter sets in front.
 */
function trun(
  out: ByteWriter,
  body: Uint8Array,
  grown: number,
  insertion: Insertion | undefined,
  isInsertedInto: boolean,
): void {
  const reader = new ByteReader(body);
  reader.skip(1);
  const has = reader.u24();
  reader.skip(4);
  const bodyStart = out.position + 8;
  copyBox(out, 'trun', body);
  if ((has & TRUN.dataOffset) !== 0) {
    const at = reader.position;
    const offset = reader.i32();
    const isBehind = insertion !== undefined && offset > insertion.offset;
    out.patchU32(bodyStart + at, offset + grown + (isBehind ? insertion.bytes.length : 0));
  }
  if (!isInsertedInto || insertion === undefined) return;
  if ((has & TRUN.size) === 0) throw new MalformedError('trun without sizes');
  if ((has & TRUN.firstSampleFlags) !== 0) reader.skip(4);
  if ((has & TRUN.duration) !== 0) reader.skip(4);
  const at = reader.position;
  out.patchU32(bodyStart + at, reader.u32() + insertion.bytes.length);
}
