/** A day of a calendar, without a zone: `2026-11-21`. Later days are larger as text. */
export type Day = string;

const DAY_MS = 86_400_000;
const pattern = /^\d{4}-\d{2}-\d{2}$/;

/** Whether a text is an existing day. */
export function isDay(text: string): boolean {
  if (!pattern.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && dayOf(ms) === text;
}

export function addDays(day: Day, count: number): Day {
  return dayOf(msOf(day) + count * DAY_MS);
}

/** The number of days in a range, including the first and the last. */
export function daysBetween(first: Day, last: Day): number {
  return Math.round((msOf(last) - msOf(first)) / DAY_MS) + 1;
}

/** The first day of the month this many months after a day's own. */
export function monthAfter(day: Day, count: number): Day {
  const date = new Date(msOf(day));
  return dayOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + count, 1));
}

/** The weeks of a month, Monday first; undefined for the days of adjacent months. */
export function weeksOf(month: Day): (Day | undefined)[][] {
  const first = monthAfter(month, 0);
  const count = daysBetween(first, monthAfter(first, 1)) - 1;
  const mondayBased = (new Date(msOf(first)).getUTCDay() + 6) % 7;
  const cells = Array.from({ length: Math.ceil((mondayBased + count) / 7) * 7 }, (_, index) => {
    const day = index - mondayBased;
    return day >= 0 && day < count ? addDays(first, day) : undefined;
  });
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
}

/** Midnight UTC of a day, for formatters that take a moment. */
export function msOf(day: Day): number {
  return Date.parse(`${day}T00:00:00Z`);
}

function dayOf(ms: number): Day {
  return new Date(ms).toISOString().slice(0, 10);
}
