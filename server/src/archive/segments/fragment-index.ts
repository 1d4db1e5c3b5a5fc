/**
 * The positions of a segment's fragments as bytes, to be kept in the catalog: two variable-length numbers per fragment
 * (LEB128, 7 bits a byte, lowest first): duration in catalog ticks times two, plus one when it begins with a key frame;
 * and its length in bytes. Starts and offsets are the sums, since a segment is contiguous; so an entry
 * can be appended without reading the others.
 */

/** One fragment as stored. */
export interface FragmentEntry {
  /** Catalog ticks, greater than 0. */
  readonly durationTicks: number;
  /** moof and mdat. */
  readonly bytes: number;
  readonly startsWithKey: boolean;
}

/** One fragment to be added to the catalog. */
export interface NewFragment extends FragmentEntry {
  /** See fragment-sums.ts; undefined for a fragment found in a file. */
  readonly checksum?: number;
}

/** A fragment with its position. */
export interface IndexedPosition extends FragmentEntry {
  readonly startTicks: number;
  /** From the start of the file. */
  readonly offset: number;
}

export function encodeEntry(entry: FragmentEntry): Uint8Array {
  const out: number[] = [];
  pushVarint(out, entry.durationTicks * 2 + (entry.startsWithKey ? 1 : 0));
  pushVarint(out, entry.bytes);
  return Uint8Array.from(out);
}

/**
 * All fragments of a segment that starts at `startTicks` and whose first fragment is at `offset`.
 * @throws RangeError when the bytes end inside an entry.
 */
export function decodeIndex(entries: Uint8Array, startTicks: number, offset: number): IndexedPosition[] {
  const positions: IndexedPosition[] = [];
  let at = 0;
  const next = (): number => {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = entries[at++];
      if (byte === undefined) throw new RangeError('a fragment index ends inside an entry');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  };
  while (at < entries.length) {
    const duration = next();
    const bytes = next();
    const durationTicks = Math.floor(duration / 2);
    positions.push({ startTicks, offset, durationTicks, bytes, startsWithKey: duration % 2 === 1 });
    startTicks += durationTicks;
    offset += bytes;
  }
  return positions;
}

function pushVarint(out: number[], value: number): void {
  while (value >= 128) {
    out.push((value % 128) | 0x80);
    value = Math.floor(value / 128);
  }
  out.push(value);
}
