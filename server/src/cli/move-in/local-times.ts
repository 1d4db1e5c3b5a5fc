import { ForeignConfigError } from './found-stream.ts';

const dayMs = 86_400_000;

/**
 * The zone of the times in names: `TZ`, or that of this machine.
 * @throws ForeignConfigError for a zone that this machine doesn't know, which the system would take for UTC
 */
export function zoneOfNames(env: Readonly<Record<string, string | undefined>>): string {
  const named = env['TZ']?.replace(/^:/, '') ?? '';
  const zone = named === '' ? systemZone() : named;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const whose = named === '' ? 'The system’s time zone' : `TZ=${zone}`;
    throw new ForeignConfigError(
      `${whose} is not known here. Name one as in TZ=Europe/Berlin: names of recordings contain local times.`,
      { cause: error },
    );
  }
}

/** Node has none if the system names one that doesn't exist. */
function systemZone(): string {
  const { timeZone } = new Intl.DateTimeFormat('en').resolvedOptions() as { timeZone: string | undefined };
  return timeZone ?? 'unknown';
}

/** Finds the times, ms since the epoch, at which clocks in a zone show something. */
export class LocalTimes {
  readonly #format: Intl.DateTimeFormat;
  /** Distances to UTC of days on which the clocks are not set, by the days' numbers; null: they may be set. */
  readonly #days = new Map<number, number | null>();

  /** @param zone IANA name */
  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /**
   * @param shownMs what the clock shows, as if it were UTC
   * @returns two times, the earlier first, when it was shown twice because the clock was set back; none when it was skipped
   */
  timesOf(shownMs: number): number[] {
    const day = Math.floor(shownMs / dayMs);
    const offset = this.#offsetOfDay(day);
    if (offset !== null) return [shownMs - offset];
    const offsets = new Set([this.#offsetAt(shownMs - dayMs), this.#offsetAt(shownMs + dayMs)]);
    return [...offsets]
      .map((one) => shownMs - one)
      .filter((ms) => ms + this.#offsetAt(ms) === shownMs)
      .toSorted((a, b) => a - b);
  }

  #offsetOfDay(day: number): number | null {
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    // No zone is further than 14 hours from UTC, and none sets its clock twice within three days.
    const before = this.#offsetAt((day - 1) * dayMs);
    const offset = before === this.#offsetAt((day + 2) * dayMs) ? before : null;
    this.#days.set(day, offset);
    return offset;
  }

  #offsetAt(ms: number): number {
    const second = Math.floor(ms / 1000) * 1000;
    const shown = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
    for (const { type, value } of this.#format.formatToParts(second))
      if (Object.hasOwn(shown, type)) shown[type as keyof typeof shown] = Number(value);
    const { year, month, day, hour, minute } = shown;
    return Date.UTC(year, month - 1, day, hour, minute, shown.second) - second;
  }
}
