const QUARTER_MS = 15 * 60_000;
/** A day has 96 quarter hours; this many offsets cover some weeks of scrolling before the cache is cleared. */
const CACHE_LIMIT = 10_000;

/**
 * One time zone by its IANA name: its offset from UTC at a moment, through Intl alone. Zones change their
 * offset on quarter hours of UTC only, so an offset is looked up once per quarter.
 */
export class Zone {
  /** The IANA name, e.g. `Europe/Berlin`. */
  readonly name: string;
  readonly #format: Intl.DateTimeFormat;
  readonly #offsetByQuarter = new Map<number, number>();

  /** @throws RangeError for a name that this browser doesn't know */
  constructor(name: string) {
    this.name = name;
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** Milliseconds to add to UTC to get the zone's local time at `utcMs`. */
  offsetMs(utcMs: number): number {
    const quarter = Math.floor(utcMs / QUARTER_MS);
    const known = this.#offsetByQuarter.get(quarter);
    if (known !== undefined) return known;
    const part: Record<string, number> = {};
    for (const { type, value } of this.#format.formatToParts(quarter * QUARTER_MS))
      part[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    const offsetMs = Date.UTC(year, month - 1, day, hour, minute, second) - quarter * QUARTER_MS;
    if (this.#offsetByQuarter.size >= CACHE_LIMIT) this.#offsetByQuarter.clear();
    this.#offsetByQuarter.set(quarter, offsetMs);
    return offsetMs;
  }

  /** Milliseconds since local midnight, 0 to 86 399 999. */
  clockMs(utcMs: number): number {
    const dayMs = 86_400_000;
    return (((utcMs + this.offsetMs(utcMs)) % dayMs) + dayMs) % dayMs;
  }

  /** The local date, e.g. `2026-11-21`. */
  dayOf(utcMs: number): string {
    return new Date(utcMs + this.offsetMs(utcMs)).toISOString().slice(0, 10);
  }

  /** Start of a day given in that form; this many days later with `plus`. A day has 23 to 25 hours. */
  dayStartMs(day: string, plus = 0): number {
    const [year = 1970, month = 1, date = 1] = day.split('-').map(Number);
    return this.fromLocal(year, month, date + plus);
  }

  /** The same local time, to the second, this many days later. */
  daysLater(utcMs: number, days: number): number {
    const [year = 1970, month = 1, date = 1] = this.dayOf(utcMs).split('-').map(Number);
    return this.fromLocal(year, month, date + days, 0, 0, Math.floor(this.clockMs(utcMs) / 1000));
  }

  /**
   * The moment of a local date and time. In a repeated hour, the first of the two moments; a skipped time is
   * taken as the one an hour (or the length of the skip) later.
   */
  fromLocal(year: number, month: number, day: number, hour = 0, minute = 0, second = 0): number {
    const asUtcMs = Date.UTC(year, month - 1, day, hour, minute, second);
    const before = asUtcMs - this.offsetMs(asUtcMs - 86_400_000);
    const after = asUtcMs - this.offsetMs(asUtcMs + 86_400_000);
    for (const candidate of [Math.min(before, after), Math.max(before, after)]) {
      if (candidate + this.offsetMs(candidate) === asUtcMs) return candidate;
    }
    return before;
  }
}
