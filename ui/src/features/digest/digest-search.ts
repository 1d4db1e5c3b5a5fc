import type { Zone } from '../../timeline/zone.ts';

/** The search parameters of a digest. */
export type DigestSearch = {
  /** What is digested, ms since the epoch; last night without both. */
  readonly from?: number;
  readonly to?: number;
  /** Uids of cameras, as `writeTogether` writes them; all without it. */
  readonly streams?: string;
  readonly tag?: string;
};

/** Parses the search parameters; invalid values are ignored. */
export function digestSearch(search: Readonly<Record<string, unknown>>): DigestSearch {
  const { from, to, streams, tag } = search;
  return {
    ...(isMoment(from) && isMoment(to) && from < to ? { from, to } : {}),
    ...(typeof streams === 'string' && streams !== '' ? { streams } : {}),
    // The router parses a numeric value as a number.
    ...((typeof tag === 'string' && tag !== '') || typeof tag === 'number' ? { tag: String(tag) } : {}),
  };
}

/** What is digested, UTC ms. */
export interface DigestSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

const nightStartsHour = 22;
const nightEndsHour = 6;

/** The current night, or the last one: from 22:00 to 06:00 in a zone, but not beyond `nowMs`. */
export function lastNight(nowMs: number, zone: Zone): DigestSpan {
  const [year = 1970, month = 1, day = 1] = zone.dayOf(nowMs).split('-').map(Number);
  const tonightMs = zone.fromLocal(year, month, day, nightStartsHour);
  const fromMs = tonightMs < nowMs ? tonightMs : zone.fromLocal(year, month, day - 1, nightStartsHour);
  const morning = tonightMs < nowMs ? day + 1 : day;
  return { fromMs, toMs: Math.min(nowMs, zone.fromLocal(year, month, morning, nightEndsHour)) };
}

function isMoment(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
