import { z } from 'zod';
import type { Call } from '../call.ts';
import { journalKinds, limits } from '../constants.ts';
import { Id, TimeMs, Uid } from '../entities.ts';
import { exampleMs, hourMs, like } from '../example.ts';
import { JournalEntry, JournalKind } from '../journal.ts';
import { Done } from '../page.ts';

/** Which entries are meant; all conditions must hold. */
const filter = {
  from: TimeMs.optional()
    .describe('Only entries that begin at this time or later')
    .meta(like(exampleMs - hourMs)),
  to: TimeMs.optional().describe('Only entries that begin before this time'),
  endFrom: TimeMs.optional().describe(
    'Only entries that end at this time or later, or are still going on; a moment ends when it begins',
  ),
  streams: z
    .array(Uid)
    .max(limits.journalStreamsMax)
    .default([])
    .describe('Only these streams; none: all streams, and the server')
    .meta(like([])),
  kinds: z
    .array(JournalKind)
    .max(journalKinds.length)
    .default([])
    .describe('Only these kinds; none: all')
    .meta(like([])),
  tag: z
    .string()
    .max(limits.tagMaxLength)
    .optional()
    .describe('Only streams with this tag')
    .meta(like('Yard')),
  reviewed: z.boolean().optional().describe('Only entries that were marked as reviewed, or were not'),
  recorded: z
    .boolean()
    .default(false)
    .describe('Only entries of streams that are to be recorded and whose archive the caller may watch'),
};

export const eventCalls = {
  watchEvents: {
    summary:
      'What changes, as Server-Sent Events: `reload`, `statuses`, `streams`, `journal`, `health`, `exports`, `mosaics`, `account`, `nodes`. Each has only what the caller may see, and no more than the page needs to know what to fetch. `Last-Event-ID` continues where a connection broke, or `reload` says that too much has happened since',
    who: 'user',
    reply: { contentType: 'text/event-stream' },
    errors: ['AuthorizationRequired'],
  },
  listJournal: {
    summary:
      'What happened, newest first: on streams that the caller may view, motion, annotations and gaps where they may watch the archive, and the server for administrators',
    who: 'user',
    query: z.strictObject({
      ...filter,
      text: z
        .array(z.string().max(limits.nameMaxLength))
        .max(limits.searchValuesMax)
        .default([])
        .describe('Words that the note, the detail or the name of the stream contains')
        .meta(like([])),
      cursor: z
        .string()
        .regex(/^\d{1,15}\.\d{1,15}$/)
        .optional()
        .describe('`next` of the page before')
        .meta(like(`${exampleMs}.4711`)),
      limit: z.int().min(1).max(limits.pageSizeMax).default(limits.pageSizeDefault),
    }),
    reply: z.object({
      items: z.array(JournalEntry),
      next: z
        .string()
        .nullable()
        .describe(
          'Cursor of the next page; null: there is none. A call examines a limited number of entries, so that a page may have few items, or none, and yet a next one',
        )
        .meta(like(`${exampleMs - hourMs}.4650`)),
    }),
    errors: ['AuthorizationRequired'],
  },
  getJournalSummary: {
    summary: 'Number of entries that no user has reviewed, for a badge',
    who: 'user',
    reply: z.object({
      unreviewed: z.int().meta(like(12)),
      isMore: z.boolean().describe('There are more; counting stopped').meta(like(false)),
    }),
    errors: ['AuthorizationRequired'],
  },
  reviewJournal: {
    summary: 'Marks entries as reviewed, for all users, or as not reviewed',
    who: 'user',
    body: z.strictObject({
      ids: z
        .array(Id)
        .max(limits.journalReviewMax)
        .optional()
        .describe('These entries; those that the caller may not see are left out')
        .meta(like([4711])),
      until: TimeMs.optional().describe(
        'Instead of `ids`, all entries that began at this time or earlier and that the caller may see',
      ),
      isReviewed: z.boolean().default(true),
    }),
    reply: Done,
    errors: ['AuthorizationRequired'],
  },
} as const satisfies Record<string, Call>;
