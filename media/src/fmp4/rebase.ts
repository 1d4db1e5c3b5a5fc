/** Moves a fragment in time without touching its media: what a download does to every fragment it streams. */
import { ByteReader, ByteWriter } from '../bytes.ts';
import { MalformedError } from '../malformed.ts';
import { requireBox, walkBoxes } from './box.ts';

/** Version and flags of a full box. */
const FULL_BOX_BYTES = 4;

export interface RebaseOptions {
  /** The new sequence_number. */
  readonly sequence: number;
  /** By track id: ticks added to every decode time of the track, negative to move back; 0 for a track left out. */
  readonly shiftTicks: ReadonlyMap<number, number>;
}

/**
 * A copy of a moof, of the same length, with another sequence number and shifted decode times. The mdat that follows
 * goes on being valid, for its offsets are relative to the moof.
 * @throws MalformedError when this is no moof of ours; RangeError when a decode time would become negative.
 */
export function rebaseMoof(moof: Uint8Array, options: RebaseOptions): Uint8Array {
  const out = new ByteWriter(moof.length);
  out.bytes(moof);
  const copy = out.finish();
  const [box] = walkBoxes(copy);
  if (box === undefined || box.type !== 'moof') throw new MalformedError('not a moof');
  for (const child of walkBoxes(box.body)) {
    if (child.type === 'mfhd') {
      viewOf(child.body, FULL_BOX_BYTES, 4).setUint32(0, options.sequence);
    } else if (child.type === 'traf') {
      const tfhd = new ByteReader(requireBox(child.body, 'tfhd'));
      tfhd.skip(FULL_BOX_BYTES);
      shiftTfdt(requireBox(child.body, 'tfdt'), options.shiftTicks.get(tfhd.u32()) ?? 0);
    }
  }
  return copy;
}

/** Clause 8.8.12, version 1 alone: 32 bits may not hold the shifted time. */
function shiftTfdt(tfdt: Uint8Array, shiftTicks: number): void {
  const reader = new ByteReader(tfdt);
  if (reader.u8() !== 1) throw new MalformedError('tfdt of 32 bits');
  reader.skip(3);
  const dts = reader.u64() + shiftTicks;
  if (!Number.isSafeInteger(dts) || dts < 0) throw new RangeError(`decode time ${dts}`);
  const view = viewOf(tfdt, FULL_BOX_BYTES, 8);
  view.setUint32(0, Math.floor(dts / 2 ** 32));
  view.setUint32(4, dts % 2 ** 32);
}

function viewOf(bytes: Uint8Array, offset: number, length: number): DataView {
  if (bytes.length < offset + length) throw new MalformedError('box cut short');
  return new DataView(bytes.buffer, bytes.byteOffset + offset, length);
}
