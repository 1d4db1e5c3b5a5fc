/** The newest parameter sets of a video stream, by type and identifier, and whether they changed. */
const maxPerKind = 64;
const maxBytes = 16 * 1024;

export class ParameterSets {
  /** Incremented whenever a set is new or differs from the previous one. */
  version = 0;
  readonly #sets = new Map<number, Map<number, Uint8Array>>();

  /**
   * Stores a copy of one set.
   * @param kind the NAL unit type
   * @param id the identifier by which others refer to it
   */
  put(kind: number, id: number, nal: Uint8Array): void {
    const ofKind = this.#sets.get(kind) ?? new Map<number, Uint8Array>();
    this.#sets.set(kind, ofKind);
    const known = ofKind.get(id);
    if (nal.length > maxBytes || (known ? isEqual(known, nal) : ofKind.size >= maxPerKind)) return;
    ofKind.set(id, nal.slice());
    this.version++;
  }

  /** The sets of one type, by ascending identifier. */
  ofKind(kind: number): Uint8Array[] {
    return [...(this.#sets.get(kind) ?? [])].sort(([a], [b]) => a - b).map(([, nal]) => nal);
  }
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
