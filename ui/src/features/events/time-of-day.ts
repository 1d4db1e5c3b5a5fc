import type { Zone } from '../../timeline/zone.ts';

/** A daily period, in minutes since local midnight; one that ends before it starts goes past midnight. */
export interface DailyPeriod {
  readonly fromMinute: number;
  readonly toMinute: number;
}

/** Reads a time such as `22:05`, `22.05`, `2205` or `7`, as minutes since midnight; undefined for anything else. */
export function readTimeOfDay(text: string): number | undefined {
  const [, hours = '', minutes = '0'] = /^\s*(\d{1,2})(?:[:.]?(\d{2}))?\s*$/.exec(text) ?? [];
  const hour = Number.parseInt(hours, 10);
  const minute = Number.parseInt(minutes, 10);
  if (Number.isNaN(hour) || minute > 59 || hour > 24 || (hour === 24 && minute > 0)) return undefined;
  return hour * 60 + minute;
}

/** `22:05`. */
export function writeTimeOfDay(minute: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

/** Whether a moment is in the period on its day, in a zone. */
export function isWithin(utcMs: number, { fromMinute, toMinute }: DailyPeriod, zone: Zone): boolean {
  const minute = zone.clockMs(utcMs) / 60_000;
  return fromMinute <= toMinute
    ? minute >= fromMinute && minute < toMinute
    : minute >= fromMinute || minute < toMinute;
}
