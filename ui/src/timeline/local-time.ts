import type { Zone } from './zone.ts';

/** A moment as the value of a `datetime-local` field: `2026-11-21T14:03:09` in the zone's local time. */
export function localText(utcMs: number, zone: Zone): string {
  return new Date(utcMs + zone.offsetMs(utcMs)).toISOString().slice(0, 19);
}

/** The moment that such a value means; undefined for an incomplete date and time. */
export function parseLocal(text: string, zone: Zone): number | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2}))?/.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  return zone.fromLocal(year, month, day, hour, minute, second);
}
