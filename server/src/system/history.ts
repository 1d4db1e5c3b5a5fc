/** Stable names and units for charts and scripts. */
export interface HistoryKind {
  readonly name: string;
  /** As in `bit/s`; empty for plain counts. */
  readonly unit: string;
}

/** A history as returned to clients: times in ascending order, one value for each. */
export interface HistoryView extends HistoryKind {
  readonly times: number[];
  readonly values: number[];
}

/**
 * The latest values of several figures that are measured together, in fixed-size memory: four bytes per value,
 * because each of ten thousand streams keeps several.
 */
export class Histories {
  readonly #kinds: readonly HistoryKind[];
  readonly #capacity: number;
  readonly #times: Float64Array;
  /** Row by row, one row per sample. */
  readonly #values: Float32Array;
  #count = 0;

  constructor(kinds: readonly HistoryKind[], capacity: number) {
    this.#kinds = kinds;
    this.#capacity = capacity;
    this.#times = new Float64Array(capacity);
    this.#values = new Float32Array(capacity * kinds.length);
  }

  /**
   * Adds a sample's time (ms since the epoch) and its values, in the order of the kinds; the oldest sample is
   * overwritten.
   */
  add(timeMs: number, values: readonly number[]): void {
    const row = this.#count % this.#capacity;
    this.#times[row] = timeMs;
    this.#values.set(values, row * this.#kinds.length);
    this.#count++;
  }

  get views(): HistoryView[] {
    const first = Math.max(0, this.#count - this.#capacity);
    const rows = Array.from({ length: this.#count - first }, (_, at) => (first + at) % this.#capacity);
    const times = rows.map((row) => this.#times[row] ?? 0);
    return this.#kinds.map((kind, column) => ({
      ...kind,
      times,
      values: rows.map((row) => this.#values[row * this.#kinds.length + column] ?? 0),
    }));
  }
}
