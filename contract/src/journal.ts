import { z } from 'zod';
import { journalKinds } from './constants.ts';
import { Id, TimeMs, Uid } from './entities.ts';
import { exampleMs, hourMs, like } from './example.ts';

export const JournalKind = z.enum(journalKinds).meta(like('stream-down'));

/** Facts of an entry in fixed members; the words come from the reader's catalogue, by kind and code. */
export const JournalDetail = z.object({
  code: z
    .string()
    .nullable()
    .describe(
      'The reason: of a stream or a recording, a code of the error catalogue; of a gap, its cause; of the system, the code of the health warning; of an annotation, its kind',
    )
    .meta(like('EHOSTUNREACH')),
  reason: z
    .string()
    .nullable()
    .describe(
      'Why a stream went dark, in words, as `failureReason` of the stream was then; null if not known',
    )
    .meta(like('192.0.2.7 did not answer on port 554 within 10 s.')),
  subject: z
    .string()
    .nullable()
    .describe('Id of the node, name of the export, or what the health warning names')
    .meta(like(null)),
  user: z.string().nullable().describe('The login that was used').meta(like(null)),
  address: z.string().nullable().describe('The network address of the caller').meta(like(null)),
  figures: z
    .record(z.string(), z.number())
    .describe(
      'How often it happened (`count`) and when it last began (`lastStartTime`), if entries were merged; how many times larger than usual the frames of the motion were (`score`); and the numbers of the health warning',
    )
    .meta(like({ count: 1 })),
});

/** Something that happened. Each occurrence has one entry, which is updated until it ends. */
export const JournalEntry = z.object({
  id: Id.describe('Grows in the order in which entries were written'),
  kind: JournalKind,
  stream: Uid.nullable().describe('null: it concerns the server'),
  streamName: z.string().nullable().meta(like('Gate')),
  startTime: TimeMs.meta(like(exampleMs - hourMs)),
  endTime: TimeMs.nullable().describe('null: a moment, or still going on'),
  isOngoing: z.boolean().describe('It has not ended yet').meta(like(false)),
  detail: JournalDetail,
  note: z.string().describe('The text of an annotation').meta(like('')),
  isReviewed: z.boolean().describe('A user has marked it as reviewed, for all users').meta(like(false)),
});

export type JournalKind = z.infer<typeof JournalKind>;
export type JournalDetail = z.infer<typeof JournalDetail>;
export type JournalEntry = z.infer<typeof JournalEntry>;
