import { journalKinds } from '@vidette/contract/constants';
import type { JournalKind } from '@vidette/contract/journal';
import { readTimeOfDay } from './time-of-day.ts';

/** The search parameters of the events: filters, and the chosen event. */
export type EventsSearch = {
  /** Words of the note, the details or the camera's name. */
  readonly q?: string;
  /** Uid of a camera. */
  readonly camera?: string;
  readonly tag?: string;
  readonly kind?: JournalKind;
  /** Time of day, as `22:00`; both or neither take effect. */
  readonly from?: string;
  readonly until?: string;
  /** Only what happened before this moment, ms since the epoch. */
  readonly before?: number;
  readonly unreviewed?: true;
  /** The id of the chosen event. */
  readonly event?: number;
};

/** Parses the search parameters; invalid values are ignored. */
export function eventsSearch(search: Readonly<Record<string, unknown>>): EventsSearch {
  const { q, camera, tag, kind, from, until, before, unreviewed, event } = search;
  const known = journalKinds.find((one) => one === kind);
  return {
    ...(isText(q) ? { q: String(q) } : {}),
    ...(typeof camera === 'string' && camera !== '' ? { camera } : {}),
    ...(isText(tag) ? { tag: String(tag) } : {}),
    ...(known ? { kind: known } : {}),
    ...(isTime(from) ? { from } : {}),
    ...(isTime(until) ? { until } : {}),
    ...(isCount(before) ? { before } : {}),
    ...(unreviewed === true ? { unreviewed: true } : {}),
    ...(isCount(event) ? { event } : {}),
  };
}

/** The router parses a numeric value as a number. */
function isText(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && readTimeOfDay(value) !== undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
