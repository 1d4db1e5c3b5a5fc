/**
 * The level of a series and its scatter while nothing happens, tracked robustly: one value, however extreme,
 * moves the level no more than one at the edge. Events only ever add to the series, so the scatter is derived
 * from the values below the level alone. Costs three numbers.
 */
export class RunningLevel {
  readonly #minScatter: number;
  #level = 0;
  #deviation: number;
  #seen = 0;

  /** @param minScatter lower limit of the scatter: in a constant series everything would be remarkable */
  constructor(minScatter: number) {
    this.#minScatter = minScatter;
    this.#deviation = minScatter;
  }

  get level(): number {
    return this.#level;
  }

  /**
   * Comparable to a standard deviation: 1.48 times the median deviation, which equals it for a normal
   * distribution.
   */
  get scatter(): number {
    return Math.max(this.#minScatter, 1.48 * this.#deviation);
  }

  get seen(): number {
    return this.#seen;
  }

  /** How many scatters above (or, negative, below) the level a value is. */
  distance(value: number): number {
    return (value - this.#level) / this.scatter;
  }

  /** Takes one value; `weight` is how far to move towards it, in (0, 1]. The first values weigh more. */
  add(value: number, weight: number): void {
    this.#seen++;
    if (this.#seen === 1) {
      this.#level = value;
      return;
    }
    const share = Math.max(weight, 1 / this.#seen);
    const away = value - this.#level;
    this.follow(value, share);
    if (away >= 0) return;
    // The median of the values below is where as many are farther as nearer: a step out for each farther one,
    // the same step back for each nearer one.
    this.#deviation *= Math.exp(Math.min(0.2, share) * (-away > this.#deviation ? 1 : -1));
    this.#deviation = Math.max(this.#minScatter / 1.48, this.#deviation);
  }

  /**
   * Moves the level by a share of the way to a value that says nothing about the scatter; a far value counts as
   * one at the edge.
   */
  follow(value: number, share: number): void {
    const bound = this.#seen < 10 ? Infinity : 2 * this.scatter;
    this.#level += share * Math.max(-bound, Math.min(bound, value - this.#level));
  }

  /** Jumps to another level and learns from there as at the start; the scatter stays. */
  restart(level: number): void {
    this.#level = level;
    this.#seen = 1;
  }
}
