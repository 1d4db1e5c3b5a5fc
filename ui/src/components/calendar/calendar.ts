import { calendarDefaults } from '@vidette/contract/constants';
import { addDays, daysBetween, isDay, monthAfter, type Day } from './days.ts';

/** First and last day, both included. */
export interface Period {
  readonly start: Day;
  readonly end: Day;
}

export interface CalendarOptions {
  /** The first and the last selectable day. */
  readonly min: Day;
  readonly max: Day;
  /** The initial selection. */
  readonly period?: Period | undefined;
  /** The longest selection, days. */
  readonly maxRangeDays?: number | undefined;
  /** Number of months, rounded up to a multiple of 3, at most 12. */
  readonly months?: number | undefined;
  readonly isDisabled?: ((day: Day) => boolean) | undefined;
}

/** The errors in a calendar's options [R5.3]. */
export type CalendarViolation =
  | 'not-a-day'
  | 'min-after-max'
  | 'start-after-end'
  | 'start-out-of-bounds'
  | 'end-out-of-bounds'
  | 'too-long';

/** Thrown for invalid calendar options. */
export class CalendarError extends RangeError {
  override readonly name = 'CalendarError';
  readonly violations: readonly CalendarViolation[];

  constructor(violations: readonly CalendarViolation[]) {
    super(violations.join(', '));
    this.violations = violations;
  }
}

/** Every rule of R5.3 that bounds and period break; empty for a valid calendar. */
export function violationsOf(options: Pick<CalendarOptions, 'min' | 'max' | 'period' | 'maxRangeDays'>) {
  const { min, max, period, maxRangeDays } = options;
  const days = [min, max, ...(period ? [period.start, period.end] : [])];
  if (!days.every(isDay)) return ['not-a-day'] satisfies CalendarViolation[];
  const found: CalendarViolation[] = [];
  if (min > max) found.push('min-after-max');
  if (!period) return found;
  const { start, end } = period;
  if (start > end) found.push('start-after-end');
  if (start < min || start > max) found.push('start-out-of-bounds');
  if (end < min || end > max) found.push('end-out-of-bounds');
  if (maxRangeDays !== undefined && start <= end && daysBetween(start, end) > maxRangeDays)
    found.push('too-long');
  return found;
}

/** The number of months shown for a requested number. */
export function monthsShown(asked: number = calendarDefaults.months): number {
  const { monthsStep, monthsMax } = calendarDefaults;
  return Math.min(monthsMax, Math.max(1, Math.ceil(asked / monthsStep)) * monthsStep);
}

/** Display state of a day. */
export interface DayState {
  readonly isClickable: boolean;
  readonly isSelected: boolean;
  /** First or last day of the selection. */
  readonly isEnd: boolean;
}

/**
 * A calendar in which a range of days is chosen by two clicks, in either order. Immutable: each change returns
 * a new one.
 */
export class Calendar {
  readonly period: Period | undefined;
  /** The first click of a selection that awaits its second. */
  readonly anchor: Day | undefined;
  /** First days of the visible months. */
  readonly months: readonly Day[];
  readonly #options: CalendarOptions;

  /** @throws CalendarError when bounds or period break R5.3 */
  constructor(options: CalendarOptions, firstMonth?: Day, anchor?: Day) {
    const violations = violationsOf(options);
    if (violations.length > 0) throw new CalendarError(violations);
    this.#options = options;
    this.period = options.period;
    this.anchor = anchor;
    const count = monthsShown(options.months);
    // Users look for the newest days: the last visible month contains the end of the selection.
    const first = firstMonth ?? monthAfter(options.period?.end ?? options.max, 1 - count);
    this.months = Array.from({ length: count }, (_, index) => monthAfter(first, index));
  }

  /** Within the bounds, not disabled, and not further from a first click than the longest selection allows. */
  isClickable(day: Day): boolean {
    const { min, max, isDisabled, maxRangeDays } = this.#options;
    if (day < min || day > max || isDisabled?.(day) === true) return false;
    if (this.anchor === undefined || maxRangeDays === undefined) return true;
    const [start, end] = day < this.anchor ? [day, this.anchor] : [this.anchor, day];
    return daysBetween(start, end) <= maxRangeDays;
  }

  stateOf(day: Day): DayState {
    const { start, end } =
      this.anchor === undefined ? (this.period ?? {}) : { start: this.anchor, end: this.anchor };
    return {
      isClickable: this.isClickable(day),
      isSelected: start !== undefined && end !== undefined && day >= start && day <= end,
      isEnd: day === start || day === end,
    };
  }

  /**
   * The first click begins a selection, the second ends it; one is enough for a single day. A click on a day
   * that can't be selected changes nothing.
   */
  click(day: Day): Calendar {
    if (!this.isClickable(day)) return this;
    const [month] = this.months;
    if (this.#options.maxRangeDays === 1)
      return new Calendar({ ...this.#options, period: { start: day, end: day } }, month);
    if (this.anchor === undefined) return new Calendar({ ...this.#options, period: undefined }, month, day);
    const [start, end] = day < this.anchor ? [day, this.anchor] : [this.anchor, day];
    return new Calendar({ ...this.#options, period: { start, end } }, month);
  }

  /** Moves the visible months forward by this many, or back when negative. */
  turn(months: number): Calendar {
    const first = monthAfter(this.months[0] ?? this.#options.max, months);
    return new Calendar(this.#options, first, this.anchor);
  }

  /** Whether there are selectable days before or after the visible months. */
  canTurn(direction: -1 | 1): boolean {
    const [first] = this.months;
    if (first === undefined) return false;
    return direction < 0
      ? this.#options.min < first
      : this.#options.max >= monthAfter(first, this.months.length);
  }

  /** The day that an arrow key moves to; the same day at the bounds. */
  step(day: Day, byDays: number): Day {
    const next = addDays(day, byDays);
    return next < this.#options.min || next > this.#options.max ? day : next;
  }

  /** The same calendar with that month visible. */
  showing(day: Day): Calendar {
    const [first] = this.months;
    if (first === undefined) return this;
    if (day < first) return this.turn(-1).showing(day);
    return day >= monthAfter(first, this.months.length) ? this.turn(1).showing(day) : this;
  }
}
