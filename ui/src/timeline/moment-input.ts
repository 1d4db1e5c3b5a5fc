import type { Zone } from './zone.ts';

/** How a typed moment is completed. */
export interface MomentContext {
  /** The zone that the typed date and time are in, unless they name an offset themselves. */
  readonly zone: Zone;
  /** Supplies the date for a time alone, and the year for a day and month alone; ms since the epoch. */
  readonly referenceMs: number;
  /** What `today` and `yesterday` count from, ms since the epoch. */
  readonly nowMs: number;
}

type LocalDate = readonly [year: number, month: number, day: number];

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** English, Russian, and the Russian genitive; any abbreviation of at least three letters means the month. */
const months: readonly (readonly string[])[] = [
  ['january', 'январь', 'января'],
  ['february', 'февраль', 'февраля'],
  ['march', 'март', 'марта'],
  ['april', 'апрель', 'апреля'],
  ['may', 'май', 'мая'],
  ['june', 'июнь', 'июня'],
  ['july', 'июль', 'июля'],
  ['august', 'август', 'августа'],
  ['september', 'сентябрь', 'сентября'],
  ['october', 'октябрь', 'октября'],
  ['november', 'ноябрь', 'ноября'],
  ['december', 'декабрь', 'декабря'],
];

const relativeDays: Readonly<Record<string, number>> = {
  today: 0,
  yesterday: -1,
  сегодня: 0,
  вчера: -1,
};

/** `13:05`, `13:05:09.250`, `1:05 pm`, `13:05Z`, `13:05+03:00`, `13:05 UTC+3`. */
const timePattern =
  /(?:^|[\s,t])(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(?:\s*([ap])\.?m\.?)?\s*(z|(?:utc|gmt)?[+\u2212-]\d{1,2}(?::?\d{2})?|utc|gmt)?(?=$|[\s,])/u;

/**
 * The moment that a person means by a typed or pasted text, in whole seconds: a time alone, a date alone (its midnight),
 * or both in either order. Dates may be `2026-11-21`, `21.11.2026`, `21/11/26`, `21.11`, `21 Nov 2026`, `21 ноября`,
 * `today` or `yesterday`; with figures alone the day precedes the month. Undefined for anything else, including a time
 * or date that doesn't exist.
 */
export function parseMoment(text: string, context: MomentContext): number | undefined {
  const { zone, referenceMs, nowMs } = context;
  const plain = text
    .toLowerCase()
    .replaceAll(/[\u00a0\u202f\s]+/gu, ' ')
    .trim();
  const time = timePattern.exec(plain);
  const rest = (time ? plain.replace(time[0], ' ') : plain)
    .replaceAll(/,| г(?:\.|(?=[ ,])|$)/gu, ' ')
    .split(' ')
    .filter((word) => word !== '' && !isNameOf(zone, word, referenceMs))
    .join(' ');
  if (!time && rest === '') return undefined;
  const seconds = time ? secondsOf(time) : 0;
  const daysAway = Object.hasOwn(relativeDays, rest) ? relativeDays[rest] : undefined;
  const date =
    daysAway === undefined
      ? dateOf(rest, zone.dayOf(referenceMs))
      : dateOf('', zone.dayOf(zone.daysLater(nowMs, daysAway)));
  if (seconds === undefined || !date || !exists(date)) return undefined;
  const [year, month, day] = date;
  const offset = time?.[5];
  if (offset !== undefined)
    return Date.UTC(year, month - 1, day) + seconds * 1000 - offsetMinutes(offset) * MINUTE_MS;
  return zone.fromLocal(year, month, day, 0, 0, seconds);
}

/** Whether a word is the short name that the page writes after times in this zone, such as `cet` or `cest`. */
function isNameOf(zone: Zone, word: string, nearMs: number): boolean {
  if (!/^\p{L}{3,5}$/u.test(word)) return false;
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone.name, timeZoneName: 'short' });
  return [0, 91, 182, 273].some((days) =>
    format
      .formatToParts(nearMs + days * DAY_MS)
      .some(({ type, value }) => type === 'timeZoneName' && value.toLowerCase() === word),
  );
}

/** Seconds since midnight. */
function secondsOf([, hours, minutes, seconds = '0', half]: RegExpExecArray): number | undefined {
  const [minute, second] = [Number(minutes), Number(seconds)];
  const hour = Number(hours);
  if (minute > 59 || second > 59) return undefined;
  if (half === undefined) return hour > 23 ? undefined : (hour * 60 + minute) * 60 + second;
  if (hour < 1 || hour > 12) return undefined;
  return (((hour % 12) + (half === 'p' ? 12 : 0)) * 60 + minute) * 60 + second;
}

/** Minutes east of UTC of `z`, `utc`, `+03:00`, `gmt-3`. */
function offsetMinutes(text: string): number {
  const match = /([+\u2212-])(\d{1,2}):?(\d{2})?$/u.exec(text);
  if (!match) return 0;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  return match[1] === '+' ? minutes : -minutes;
}

/** A date whose missing parts are those of the reference, a day such as `2026-11-21`. */
function dateOf(text: string, reference: string): LocalDate | undefined {
  const [thisYear = 1970, thisMonth = 1, thisDay = 1] = reference.split('-').map(Number);
  if (text === '') return [thisYear, thisMonth, thisDay];
  const yearOf = (year: string | undefined) =>
    year === undefined ? thisYear : year.length === 2 ? 2000 + Number(year) : Number(year);
  let match = /^(\d{4})([-./])(\d{1,2})([-./])(\d{1,2})$/u.exec(text);
  if (match && match[2] === match[4]) return [Number(match[1]), Number(match[3]), Number(match[5])];
  match = /^(\d{1,2})([-./])(\d{1,2})(?:([-./])(\d{4}|\d{2}))?\.?$/u.exec(text);
  if (match && (match[5] === undefined || match[2] === match[4]))
    return [yearOf(match[5]), Number(match[3]), Number(match[1])];
  match = /^(\d{1,2})\.? ?(\p{L}+)\.?(?: (\d{4}))?$/u.exec(text);
  if (match) return [yearOf(match[3]), monthOf(match[2]), Number(match[1])];
  match = /^(\p{L}+)\.? (\d{1,2})(?: (\d{4}))?$/u.exec(text);
  return match ? [yearOf(match[3]), monthOf(match[1]), Number(match[2])] : undefined;
}

/** 1 to 12; 0 for a word that is no month. */
function monthOf(word = ''): number {
  if (word.length < 3) return 0;
  return months.findIndex((names) => names.some((name) => name.startsWith(word))) + 1;
}

function exists([year, month, day]: LocalDate): boolean {
  if (year < 1970 || year > 2999 || month < 1 || month > 12 || day < 1) return false;
  return day <= daysInMonth(year, month);
}

/** The number of days of a month, 1 to 12, of a year. */
export function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}
