import type { MessageLanguage } from '@vidette/contract/errors';
import { addDays, msOf, type Day } from './days.ts';

/** A Monday. */
const someMonday: Day = '2024-01-01';

/** `November 2026`, `ноябрь 2026 г.` */
export function monthName(month: Day, language: MessageLanguage): string {
  return new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    msOf(month),
  );
}

/** The days of the week, Monday first: short heading and full name. */
export function weekdayNames(language: MessageLanguage): { short: string; long: string }[] {
  return Array.from({ length: 7 }, (_, index) => {
    const ms = msOf(addDays(someMonday, index));
    const name = (weekday: 'short' | 'long') =>
      new Intl.DateTimeFormat(language, { weekday, timeZone: 'UTC' }).format(ms);
    return { short: name('short').slice(0, 2), long: name('long') };
  });
}
