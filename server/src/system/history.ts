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

/** Samples whose values are all 0, taken at even intervals. */
interface Quiet {
  readonly firstMs: number;
  lastMs: number;
  count: number;
}

/**
 * The latest values of several figures that are measured together, in fixed-size memory: four bytes per value,
 * because each of ten thousand streams keeps several. As long as all of them are 0, as of a stream that is paused, only
 * the times of the first and the last are kept.
 */
export class Histories {
  readonly #kinds: readonly HistoryKind[];
  readonly #capacity: number;
  #quiet: Quiet | undefined;
  #times: Float64Array | undefined;
  /** Row by row, one row per sample. */
  #values: Float32Array | undefined;
  #count = 0;

  constructor(kinds: readonly HistoryKind[], capacity: number) {
    this.#kinds = kinds;
    this.#capacity = capacity;
  }

  /**
   * Adds a sample's time (ms since the epoch) and its values, in the order of the kinds; the oldest sample is
   * overwritten.
   */
  add(timeMs: number, values: readonly number[]): void {
    if (!this.#values && values.every((value) => value === 0)) {
      this.#quiet ??= { firstMs: timeMs, lastMs: timeMs, count: 0 };
      this.#quiet.lastMs = timeMs;
      this.#quiet.count++;
      return;
    }
    this.#keep(timeMs, values);
  }

  get views(): HistoryView[] {
    const first = Math.max(0, this.#count - this.#capacity);
    const rows = Array.from({ length: this.#count - first }, (_, at) => (first + at) % this.#capacity);
    const times = this.#values ? rows.map((row) => this.#times?.[row] ?? 0) : this.#quietTimes();
    return this.#kinds.map((kind, column) => ({
      ...kind,
      times,
      values: this.#values
        ? rows.map((row) => this.#values?.[row * this.#kinds.length + column] ?? 0)
        : times.map(() => 0),
    }));
  }

  #keep(timeMs: number, values: readonly number[]): void {
    if (!this.#times || !this.#values) {
      this.#times = new Float64Array(this.#capacity);
      this.#values = new Float32Array(this.#capacity * this.#kinds.length);
      for (const quietMs of this.#quietTimes()) this.#keep(quietMs, []);
      this.#quiet = undefined;
    }
    const row = this.#count % this.#capacity;
    this.#times[row] = timeMs;
    this.#values.fill(0, row * this.#kinds.length, (row + 1) * this.#kinds.length);
    this.#values.set(values, row * this.#kinds.length);
    this.#count++;
  }

  /** Of the samples that were all 0, as many as are kept. */
  #quietTimes(): number[] {
    if (!this.#quiet) return [];
    const { firstMs, lastMs, count } = this.#quiet;
    const periodMs = (lastMs - firstMs) / Math.max(1, count - 1);
    const kept = Math.min(count, this.#capacity);
    return Array.from({ length: kept }, (_, at) => Math.round(lastMs - (kept - 1 - at) * periodMs));
  }
}
