import { crc32 } from 'node:zlib';

/** A fragment's position in its segment, and the CRC-32 of its bytes; undefined if it is unknown. */
export interface SummedFragment {
  /** From the start of the file, bytes. */
  readonly offset: number;
  readonly bytes: number;
  readonly checksum: number | undefined;
}

/**
 * Compares the bytes of a segment with the checksums of its fragments as they pass, without buffering them: a
 * corrupted fragment is detected when its last byte arrives. Fragments that are read partially or out of order
 * are not compared.
 */
export class FragmentVerifier {
  readonly #fragments: readonly SummedFragment[];
  /** The fragment whose checksum is being computed, from its bytes before `#atOffset`. */
  #index = 0;
  #atOffset = Number.POSITIVE_INFINITY;
  #sum = 0;

  /** `fragments`: those of one segment, in order. */
  constructor(fragments: readonly SummedFragment[]) {
    this.#fragments = fragments;
  }

  /** False if these bytes, at this offset of the segment, complete a fragment whose checksum differs. */
  accepts(offset: number, bytes: Uint8Array): boolean {
    const end = offset + bytes.length;
    const begun = this.#fragments[this.#index]?.offset ?? Number.POSITIVE_INFINITY;
    const followsOn = begun < offset && offset <= this.#atOffset && this.#atOffset <= end;
    if (!followsOn) {
      const first = this.#fragments.findIndex((fragment) => fragment.offset >= offset);
      this.#begin(first < 0 ? this.#fragments.length : first);
    }
    while (this.#atOffset < end) {
      const fragment = this.#fragments[this.#index];
      if (!fragment) break;
      const fragmentEnd = fragment.offset + fragment.bytes;
      const until = Math.min(end, fragmentEnd);
      this.#sum = crc32(bytes.subarray(this.#atOffset - offset, until - offset), this.#sum);
      this.#atOffset = until;
      if (until < fragmentEnd) break;
      const isWhole = fragment.checksum === undefined || fragment.checksum === this.#sum;
      this.#begin(this.#index + 1);
      if (!isWhole) return false;
    }
    return true;
  }

  #begin(index: number): void {
    this.#index = index;
    this.#atOffset = this.#fragments[index]?.offset ?? Number.POSITIVE_INFINITY;
    this.#sum = 0;
  }
}
