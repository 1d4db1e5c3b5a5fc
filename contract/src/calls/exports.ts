import { z } from 'zod';
import type { Call } from '../call.ts';
import { limits } from '../constants.ts';
import { digestStreamsMax } from '../digest-plan.ts';
import { Export, Id, Language, OptionalLine, TimeMs, Uid } from '../entities.ts';
import { Done, pageOf, pageQuery } from '../page.ts';
import { exampleMs, hourMs, like } from '../example.ts';

const params = z.strictObject({ id: Id });
const exportErrors = ['AuthorizationRequired', 'Forbidden', 'NotFound', 'LicenseExpired'] as const;

export const exportCalls = {
  listExports: {
    summary: 'Exports of the caller, newest first',
    who: 'user',
    query: z.strictObject(pageQuery),
    reply: pageOf(Export),
    errors: ['AuthorizationRequired'],
  },
  addExport: {
    summary: 'Queues a signed package with the recordings of one or more streams',
    who: 'user',
    needsLicense: true,
    body: z
      .strictObject({
        streams: z.array(Uid).min(1).max(limits.exportStreamsMax),
        startTime: TimeMs.meta(like(exampleMs - hourMs)),
        endTime: TimeMs,
        name: OptionalLine.default('').meta(like('Gate')),
      })
      .refine(({ startTime, endTime }) => startTime < endTime, { path: ['endTime'] }),
    reply: Export,
    errors: [...exportErrors, 'TimeRangeIsTooLong', 'QuotaReached'],
  },
  addDigestExport: {
    summary:
      'Queues a digest as one MP4: the motion, annotations and gaps of a span one after the other, in two minutes, with the time in the picture',
    who: 'user',
    needsLicense: true,
    body: z
      .strictObject({
        streams: z
          .array(Uid)
          .max(digestStreamsMax)
          .default([])
          .describe('None: all whose archive the caller may watch'),
        tag: z.string().max(limits.tagMaxLength).optional().meta(like('outside')),
        startTime: TimeMs.meta(like(exampleMs - 8 * hourMs)),
        endTime: TimeMs,
        name: OptionalLine.default('').meta(like('Last night')),
        timeZone: z
          .string()
          .max(limits.nameMaxLength)
          .describe('IANA name of the zone of the clock in the picture')
          .meta(like('Europe/Moscow')),
        language: Language.describe('Of the words in the picture').meta(like('en')),
      })
      .refine(({ startTime, endTime }) => startTime < endTime, { path: ['endTime'] }),
    reply: Export,
    errors: [...exportErrors, 'TimeRangeIsTooLong', 'QuotaReached', 'Unavailable'],
  },
  getExport: {
    summary: 'The progress of an export',
    who: 'user',
    params,
    reply: Export,
    errors: exportErrors,
  },
  retryExport: {
    summary: 'Continues a failed export; finished files are kept',
    who: 'user',
    needsLicense: true,
    params,
    reply: Export,
    errors: [...exportErrors, 'ActionNotAcceptable'],
  },
  deleteExport: {
    summary: 'Cancels an export and removes its files',
    who: 'user',
    params,
    reply: Done,
    errors: exportErrors,
  },
  downloadExport: {
    summary: 'The package of an export as one ZIP, or its digest as one MP4; supports byte ranges',
    who: 'user',
    needsLicense: true,
    audited: true,
    params,
    reply: { contentType: 'application/zip', otherTypes: ['video/mp4'], isRanged: true },
    errors: [...exportErrors, 'ActionNotAcceptable'],
  },
} as const satisfies Record<string, Call>;
