// What of the journal a digest is made of, which the page and the server read in the same way.
import { limits } from './constants.ts';
import type { JournalEntry, JournalKind } from './journal.ts';

/** Entries that one reading takes: more would play for hours. */
export const digestEntriesMax = 2_000;
/** Requests of one reading: of a journal of the default size they examine every entry. */
const requestsMax = 50;
/** An event that began this long before the span may continue in it. */
const eventsBeforeMs = 3_600_000;

/** Whose digest of which time. */
export interface DigestedSpan {
  /** UTC ms. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Uids; none: all cameras. */
  readonly streams: readonly string[];
  readonly tag?: string | undefined;
}

/** What one request asks `listJournal` for. */
export interface DigestQuery {
  readonly from: number;
  readonly to: number;
  readonly endFrom: number;
  readonly recorded: boolean;
  readonly streams: string[];
  readonly kinds: JournalKind[];
  readonly limit: number;
  readonly tag?: string;
  readonly cursor?: string;
}

/** `listJournal`, as the page and the server call it. */
type ListJournal = (
  query: DigestQuery,
) => Promise<{ readonly items: readonly JournalEntry[]; readonly next: string | null }>;

/** What was read of the journal. */
export interface DigestEntries {
  readonly entries: readonly JournalEntry[];
  /** There are more; the oldest are missing. */
  readonly isPartial: boolean;
}

type Reading = Pick<DigestQuery, 'from' | 'recorded' | 'kinds'>;

/**
 * What happened in a span, and why nothing was recorded in it, whenever that began: a gap is an entry only once recording
 * continues, and until then the outage says it. Each kind is read for itself, because an index finds one.
 */
export async function readDigest(list: ListJournal, span: DigestedSpan): Promise<DigestEntries> {
  const readings: readonly Reading[] = [
    { kinds: ['motion', 'annotation'], from: Math.max(0, span.fromMs - eventsBeforeMs), recorded: false },
    { kinds: ['gap'], from: 0, recorded: false },
    // A camera that is not recorded has no gap when it is dark; nor has one whose archive the caller may not watch.
    { kinds: ['stream-down'], from: 0, recorded: true },
    { kinds: ['recording-stopped'], from: 0, recorded: true },
  ];
  const found = await Promise.all(readings.map((reading) => readAll(list, span, reading)));
  return {
    entries: found.flatMap(({ entries }) => entries),
    isPartial: found.some(({ isPartial }) => isPartial),
  };
}

async function readAll(
  list: ListJournal,
  { fromMs, toMs, streams, tag }: DigestedSpan,
  reading: Reading,
): Promise<DigestEntries> {
  const entries: JournalEntry[] = [];
  let cursor: string | null = null;
  for (let requests = 0; requests < requestsMax && entries.length < digestEntriesMax; requests++) {
    const { items, next } = await list({
      ...reading,
      to: toMs,
      endFrom: fromMs,
      streams: [...streams],
      limit: limits.pageSizeMax,
      ...(tag === undefined ? {} : { tag }),
      ...(cursor === null ? {} : { cursor }),
    });
    entries.push(...items);
    cursor = next;
    if (cursor === null) break;
  }
  return { entries, isPartial: cursor !== null };
}
