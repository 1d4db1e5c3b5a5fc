import type { RuleSchedule } from '@vidette/contract/notifications';

/** A moment as clocks in a zone show it. */
export interface LocalMoment {
  /** 1 is Monday. */
  readonly weekday: number;
  readonly minuteOfDay: number;
  /** As in `2026-11-21`. */
  readonly date: string;
}

const formats = new Map<string, Intl.DateTimeFormat>();
/** Zones are few; a caller that invents spellings must not fill the memory. */
const formatsMax = 1_000;
const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (!format) {
    if (formats.size >= formatsMax) formats.clear();
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      weekday: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
    formats.set(timeZone, format);
  }
  return format;
}

/** What clocks in an IANA zone show at a time, ms since the epoch. */
export function localMoment(timeZone: string, timeMs: number): LocalMoment {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(timeMs)
      .map(({ type, value }) => [type, value]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  return {
    weekday: weekdays.indexOf(part('weekday')) + 1,
    minuteOfDay: Number(part('hour')) * 60 + Number(part('minute')),
    date: `${part('year')}-${part('month')}-${part('day')}`,
  };
}

function minuteOf(clockTime: string): number {
  const [hours = 0, minutes = 0] = clockTime.split(':').map(Number);
  return hours * 60 + minutes;
}

/**
 * Whether a schedule covers a time. Spans are compared with the clock on the wall: the hour that is skipped when the
 * clock is set forward never comes, the one that is repeated when it is set back counts both times.
 */
export function isScheduled({ timeZone, spans }: RuleSchedule, timeMs: number): boolean {
  const { weekday, minuteOfDay } = localMoment(timeZone, timeMs);
  const dayBefore = weekday === 1 ? 7 : weekday - 1;
  return spans.some(({ days, from, to }) => {
    const [fromMinute, toMinute] = [minuteOf(from), minuteOf(to)];
    if (fromMinute < toMinute) {
      return days.includes(weekday) && minuteOfDay >= fromMinute && minuteOfDay < toMinute;
    }
    return (
      (days.includes(weekday) && minuteOfDay >= fromMinute) ||
      (days.includes(dayBefore) && minuteOfDay < toMinute)
    );
  });
}
