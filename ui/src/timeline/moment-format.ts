import type { MessageLanguage } from '@vidette/contract/errors';
import { daysInMonth } from './moment-input.ts';
import type { Zone } from './zone.ts';

/** What arrow keys step in a date and time. */
export type MomentUnit = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second';

/** Where a unit is in a written moment: from `start` up to, not including, `end`. */
export interface MomentPart {
  readonly unit: MomentUnit;
  readonly start: number;
  readonly end: number;
}

const units: readonly string[] = ['year', 'month', 'day', 'hour', 'minute', 'second'] satisfies MomentUnit[];
const lengthMs: Partial<Record<MomentUnit, number>> = { hour: 3_600_000, minute: 60_000, second: 1000 };

const isUnit = (type: string): type is MomentUnit => units.includes(type);

/**
 * A date and time as a field shows it, with a 24-hour clock, in one zone. English spells the month, because the order
 * of day and month differs between its countries; Russian has only one order, and figures are quicker to change.
 */
export class MomentFormat {
  readonly #zone: Zone;
  readonly #format: Intl.DateTimeFormat;
  readonly #zoneNames: Intl.DateTimeFormat;

  constructor(language: MessageLanguage, zone: Zone) {
    this.#zone = zone;
    const locale = language === 'en' ? 'en-GB' : language;
    this.#format = new Intl.DateTimeFormat(locale, {
      day: '2-digit',
      month: language === 'en' ? 'short' : '2-digit',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZone: zone.name,
    });
    this.#zoneNames = new Intl.DateTimeFormat(locale, { timeZone: zone.name, timeZoneName: 'short' });
  }

  /** `23 Nov 2026, 13:05:09`. */
  write(ms: number): string {
    return this.#format.format(ms);
  }

  /** The zone's short name at a moment: `CET`, `GMT+9`. */
  zoneName(ms: number): string {
    const parts = this.#zoneNames.formatToParts(ms);
    return parts.find(({ type }) => type === 'timeZoneName')?.value ?? this.#zone.name;
  }

  /** The units of the written moment, from left to right. */
  parts(ms: number): readonly MomentPart[] {
    const found: MomentPart[] = [];
    let start = 0;
    for (const { type, value } of this.#format.formatToParts(ms)) {
      const end = start + value.length;
      if (isUnit(type)) found.push({ unit: type, start, end });
      start = end;
    }
    return found;
  }

  /** The unit at a position in the written moment; between two units, the one to the left. */
  unitAt(ms: number, position: number): MomentUnit {
    const before = this.parts(ms).filter(({ start }) => start <= position);
    return before.at(-1)?.unit ?? 'day';
  }

  /**
   * The moment this many units later. Days, months and years keep the local time; a day that the month doesn't have
   * becomes its last.
   */
  step(ms: number, unit: MomentUnit, count: number): number {
    const unitMs = lengthMs[unit];
    if (unitMs !== undefined) return ms + count * unitMs;
    if (unit === 'day') return this.#zone.daysLater(ms, count);
    const [year = 1970, month = 1, day = 1] = this.#zone.dayOf(ms).split('-').map(Number);
    const months = year * 12 + month - 1 + count * (unit === 'year' ? 12 : 1);
    const [newYear, newMonth] = [Math.floor(months / 12), (months % 12) + 1];
    const newDay = Math.min(day, daysInMonth(newYear, newMonth));
    const seconds = Math.floor(this.#zone.clockMs(ms) / 1000);
    return this.#zone.fromLocal(newYear, newMonth, newDay, 0, 0, seconds);
  }
}
