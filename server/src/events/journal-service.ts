import type { z } from 'zod';
import type { Calls } from '@vidette/contract/calls';
import { isErrorCode, messageOf, type MessageLanguage } from '@vidette/contract/errors';
import type { JournalNews } from '@vidette/contract/events';
import type { JournalDetail, JournalEntry } from '@vidette/contract/journal';
import type { Principal } from '../access/principal.ts';
import { viewerOf } from '../access/stream-policy.ts';
import { fieldFault } from '../base/field-fault.ts';
import { knownReason } from '../base/known-reasons.ts';
import type { SeenJournalEntry } from '../store/journal-pages.ts';
import type { Store } from '../store/store.ts';
import type { AuditNote } from '../system/audit-event.ts';
import type { JournalWriter } from './journal-writer.ts';

type JournalListQuery = z.output<Calls['listJournal']['query']>;
type JournalReviewBody = z.output<Calls['reviewJournal']['body']>;

/** The badge shows no larger number. */
const badgeMax = 999;

export interface JournalServiceOptions {
  readonly store: Pick<Store, 'journal'>;
  readonly journalWriter: Pick<JournalWriter, 'settle'>;
}

/** What happened, as each user may see it. */
export class JournalService {
  readonly #options: JournalServiceOptions;

  constructor(options: JournalServiceOptions) {
    this.#options = options;
  }

  /** One page, newest first. */
  async page(
    principal: Principal,
    query: JournalListQuery,
    language: MessageLanguage,
  ): Promise<{ items: JournalEntry[]; next: string | null }> {
    const { store, journalWriter } = this.#options;
    const { from, to, endFrom, streams, kinds, tag, text, reviewed, recorded, cursor, limit } = query;
    await journalWriter.settle();
    const [startMs, id] = cursor?.split('.').map(Number) ?? [];
    const page = await store.journal.page(viewerOf(principal), {
      ...{ fromMs: from, toMs: to, endFromMs: endFrom, streams, kinds, tag, words: text, limit },
      ...{ isReviewed: reviewed, onlyRecorded: recorded },
      after: startMs === undefined || id === undefined ? undefined : { startMs, id },
    });
    const next = page.next && `${page.next.startMs}.${page.next.id}`;
    return { items: page.items.map((entry) => entryView(entry, language)), next };
  }

  /** How many entries are unreviewed; counting ends at a limit. */
  async summary(principal: Principal): Promise<{ unreviewed: number; isMore: boolean }> {
    const found = await this.#options.store.journal.countUnreviewed(viewerOf(principal), badgeMax + 1);
    return { unreviewed: Math.min(found, badgeMax), isMore: found > badgeMax };
  }

  /** @throws Fault ValidationError unless the body names entries in one way */
  async review(principal: Principal, body: JournalReviewBody, note: AuditNote): Promise<void> {
    const { ids, until, isReviewed } = body;
    if ((ids === undefined) === (until === undefined))
      throw fieldFault('ValidationError', 'ids', 'Either ids or until is expected.');
    note.details = ids === undefined ? { until, isReviewed } : { entries: ids.length, isReviewed };
    const meant = ids === undefined ? { untilMs: until ?? 0 } : { ids };
    await this.#options.store.journal.review(viewerOf(principal), { ...meant, isReviewed });
  }
}

/** What the event stream tells of an entry. */
export function newsView({ id, kind, uid, startMs, endMs }: SeenJournalEntry): JournalNews {
  return { id, kind, stream: uid, startTime: startMs, endTime: endMs };
}

/** An entry as clients get it, with its reason in the reader's language. */
export function entryView(entry: SeenJournalEntry, language: MessageLanguage): JournalEntry {
  const { id, kind, uid, streamName, startMs, endMs, openKey, note, isReviewed } = entry;
  const detail = { ...entry.detail, reason: reasonIn(entry.detail, language) };
  return {
    ...{ id, kind, stream: uid, streamName, startTime: startMs, endTime: endMs, detail, note, isReviewed },
    isOngoing: openKey !== null,
  };
}

/** As `failureReason` of a stream is shown; null in entries that a version without reasons wrote. */
function reasonIn({ code, reason = null }: Partial<JournalDetail>, language: MessageLanguage): string | null {
  if (reason === null || language === 'en') return reason;
  return knownReason(reason, language) ?? (isErrorCode(code) ? messageOf(code, language) : null);
}
