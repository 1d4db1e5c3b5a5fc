import { z } from 'zod';
import { like } from './example.ts';

const RecordedShare = z.object({
  expectedMs: z
    .number()
    .describe(
      'Time that should be recorded: without pauses, time before the stream existed, and footage deleted by age',
    )
    .meta(like(86_400_000)),
  recordedMs: z.number(),
  share: z.number().nullable().describe('0 to 1; null if nothing should have been recorded'),
});
export const RecordedShares = z.object({
  day: RecordedShare.describe('The last 24 hours'),
  month: RecordedShare.describe('The last 30 days'),
});

export type RecordedShares = z.infer<typeof RecordedShares>;
