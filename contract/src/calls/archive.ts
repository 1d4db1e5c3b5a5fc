import { z } from 'zod';
import type { Call } from '../call.ts';
import { changeSearch } from '../archive-changes.ts';
import { archiveDefaults, limits } from '../constants.ts';
import {
  Annotation,
  ArchiveExtent,
  ArchiveGap,
  ArchiveLoss,
  ArchivePeriod,
  ArchiveRange,
  ArchiveStats,
  Bookmark,
  FootageHold,
  DepthHours,
  Id,
  Note,
  TimeMs,
  TimeZoneName,
  Uid,
} from '../entities.ts';
import { Done, pageOf, pageQuery } from '../page.ts';
import { exampleMs, hourMs, like } from '../example.ts';

const uid = z.strictObject({ uid: Uid });
const span = { start_time: TimeMs.meta(like(exampleMs - hourMs)), end_time: TimeMs };

/** The end of a span must not precede its start. */
function inOrder<Query extends z.ZodObject<typeof span>>(query: Query): Query {
  return query.refine(({ start_time: start, end_time: end }) => start <= end, { path: ['end_time'] });
}

/** Shares are rounded. */
const shareTolerance = 1e-6;
/** A share of the frame's width or height. */
const share = z.number().min(0).max(1);
const regionSize = share.min(changeSearch.regionLeast).default(1);

/** Minutes to add to UTC to get the reader's local time, for example 180 for Moscow. */
const timezoneOffset = z.int().min(-840).max(840).default(0);
const archiveErrors = ['AuthorizationRequired', 'Forbidden', 'NotFound', 'LicenseExpired'] as const;
const mediaErrors = [...archiveErrors, 'FarArchiveUnavailable'] as const;
const holdErrors = ['AuthorizationRequired', 'Forbidden', 'NotFound'] as const;
const spanErrors = [...archiveErrors, 'TimeRangeIsTooLong'] as const;

export const archiveCalls = {
  getArchiveRanges: {
    summary: 'Recorded ranges and gaps between two moments',
    who: 'user',
    needsLicense: true,
    stream: 'archive',
    params: uid,
    query: inOrder(
      z.strictObject({
        ...span,
        resolution_seconds: z
          .int()
          .min(1)
          .max(86_400)
          .optional()
          .describe(
            'Coarse ranges: gaps of this length or less are part of the ranges around them, and so are causes within a gap. The request may cover `rangesMaxSeconds` times this number, at most 31 days, instead of `rangesMaxSeconds`',
          ),
      }),
    ),
    reply: z.object({
      period: ArchivePeriod.nullable(),
      ranges: z.array(ArchiveRange),
      gaps: z
        .array(ArchiveGap)
        .describe('The gaps between the ranges, clipped to the requested span, oldest first'),
      begunAt: TimeMs.nullable().describe(
        'Within the requested span, recording had not begun before this time, which is no gap; null: it had begun before the span',
      ),
    }),
    errors: spanErrors,
  },
  getArchiveStats: {
    summary: 'How much is recorded',
    who: 'user',
    needsLicense: true,
    stream: 'archive',
    params: uid,
    reply: ArchiveStats,
    errors: archiveErrors,
  },
  getArchiveDays: {
    summary: 'Days with recordings, as YYYY-MM-DD in the reader’s time zone, and the recorded share of each',
    who: 'user',
    needsLicense: true,
    stream: 'archive',
    params: uid,
    query: inOrder(
      z.strictObject({
        ...span,
        timezone_offset: timezoneOffset,
        time_zone: TimeZoneName.optional().describe(
          'IANA name of the reader’s time zone, instead of the offset; takes days of 23 and 25 hours into account',
        ),
      }),
    ),
    reply: z.object({
      days: z.array(z.string()).meta(like(['2026-11-21'])),
      shares: z
        .array(z.number())
        .describe('For each of the days, the recorded share of its part in the requested span, 0 to 1')
        .meta(like([0.998])),
    }),
    errors: spanErrors,
  },
  getArchiveLoss: {
    summary: 'How much an archive depth deletes; without one, the pending lowered depth',
    who: 'user',
    stream: 'edit',
    params: uid,
    query: z.strictObject({ depth_hours: DepthHours.optional() }),
    reply: ArchiveLoss,
    errors: ['AuthorizationRequired', 'Forbidden', 'NotFound'],
  },
  getArchiveExtent: {
    summary: 'How much is recorded between two moments, before it is downloaded or exported',
    who: 'user',
    needsLicense: true,
    stream: 'archive',
    params: uid,
    query: inOrder(z.strictObject(span)),
    reply: ArchiveExtent,
    errors: spanErrors,
  },
  downloadArchive: {
    summary: 'The recordings between two moments as one MP4',
    who: 'user',
    needsLicense: true,
    audited: true,
    stream: 'archive',
    params: uid,
    query: inOrder(z.strictObject({ ...span, timezone_offset: timezoneOffset })),
    reply: { contentType: 'video/mp4' },
    errors: [...spanErrors, 'FarArchiveUnavailable'],
  },
  getArchivePlaylist: {
    summary: 'HLS playlist of the recordings between two moments',
    who: 'user',
    needsLicense: true,
    stream: 'archive',
    params: uid,
    query: inOrder(
      z.strictObject({
        ...span,
        entry_seconds: z
          .int()
          .min(0)
          .max(60)
          .default(archiveDefaults.playlistEntrySeconds)
          .describe('Minimum duration of an entry; 0: one entry per key frame'),
      }),
    ),
    reply: { contentType: 'application/vnd.apple.mpegurl' },
    errors: spanErrors,
  },
  getArchiveSegment: {
    summary: 'One recorded file; supports byte ranges',
    who: 'user',
    needsLicense: true,
    stream: 'archive',
    params: uid.extend({ file: z.string().regex(/^[A-Za-z0-9_-]{1,64}\.mp4$/) }),
    reply: { contentType: 'video/mp4', isRanged: true },
    errors: mediaErrors,
  },
  getArchivePicture: {
    summary: 'The recorded key frame at or before a moment',
    who: 'user',
    needsLicense: true,
    stream: 'archive',
    params: uid,
    query: z.strictObject({
      time: TimeMs.meta(like(exampleMs - hourMs)),
      width: z.int().min(16).max(3840).default(320),
    }),
    reply: { contentType: 'image/jpeg' },
    errors: [...mediaErrors, 'SERVER_NOT_RESPONSE_ERR', 'ServerOverloaded'],
  },
  searchArchiveChanges: {
    summary:
      'When a part of the frame changed: key frames of a span are compared, coarse to fine. One JSON object a line, as the search proceeds (`ChangeLine`); it ends when the caller disconnects. Another search of the same user replaces it',
    who: 'user',
    needsLicense: true,
    audited: true,
    stream: 'archive',
    params: uid,
    query: inOrder(
      z.strictObject({
        ...span,
        left: share.default(0).describe('The part of the frame, as shares of its width and height'),
        top: share.default(0),
        width: regionSize,
        height: regionSize,
      }),
    )
      .refine(({ left, width }) => left + width <= 1 + shareTolerance, { path: ['width'] })
      .refine(({ top, height }) => top + height <= 1 + shareTolerance, { path: ['height'] }),
    reply: { contentType: 'application/x-ndjson' },
    errors: [...spanErrors, 'FarArchiveUnavailable', 'ServerOverloaded'],
  },
  getArchiveConverted: {
    summary:
      'The recorded video from the key frame at or before a moment to the next one, as H.264, with its audio: a separate fMP4',
    who: 'user',
    needsLicense: true,
    stream: 'archive',
    params: uid,
    query: z.strictObject({ time: TimeMs.meta(like(exampleMs - hourMs)) }),
    reply: { contentType: 'video/mp4' },
    errors: [
      ...mediaErrors,
      'SERVER_NOT_RESPONSE_ERR',
      'ActionNotAcceptable',
      'QuotaReached',
      'ProbeError',
      'ServerOverloaded',
    ],
  },
  listAnnotations: {
    summary: 'Annotations on a stream between two moments',
    who: 'user',
    needsLicense: true,
    query: z.strictObject({ streamId: Uid, from: TimeMs.meta(like(exampleMs - hourMs)), to: TimeMs }),
    reply: z.object({ items: z.array(Annotation) }),
    errors: spanErrors,
  },
  addAnnotation: {
    summary: 'Adds an annotation of a detector',
    who: 'user',
    body: z.strictObject({
      streamId: Uid,
      type: z.enum(['event']).default('event'),
      kind: z
        .string()
        .min(1)
        .max(limits.tagMaxLength)
        .regex(/^[A-Za-z0-9._-]+$/)
        .default('event')
        .meta(like('motion')),
      time: TimeMs.meta(like(exampleMs - hourMs)),
      timeEnd: TimeMs.nullable()
        .default(null)
        .meta(like(exampleMs - hourMs + 5_000)),
      note: Note.default('').meta(like('A red car at the gate')),
    }),
    reply: Annotation,
    errors: ['AuthorizationRequired', 'Forbidden', 'NotFound'],
  },
  listBookmarks: {
    summary: 'Bookmarks on streams whose archive the caller may watch, newest first',
    who: 'user',
    query: z.strictObject({
      ...pageQuery,
      stream: Uid.optional(),
      searchingValues: z.array(z.string().max(limits.nameMaxLength)).max(limits.searchValuesMax).default([]),
    }),
    reply: pageOf(Bookmark),
    errors: ['AuthorizationRequired'],
  },
  addBookmark: {
    summary: 'Bookmarks a moment or a span of a stream',
    who: 'user',
    body: z.strictObject({
      stream: Uid,
      startTime: TimeMs.meta(like(exampleMs - hourMs)),
      endTime: TimeMs.nullable().default(null),
      note: Note.default('').meta(like('A red car at the gate')),
    }),
    reply: Bookmark,
    errors: ['AuthorizationRequired', 'Forbidden', 'NotFound'],
  },
  saveBookmark: {
    summary: 'Changes a bookmark of the caller',
    who: 'user',
    params: z.strictObject({ id: Id }),
    body: z.strictObject({
      ...Bookmark.pick({
        id: true,
        stream: true,
        streamName: true,
        createdBy: true,
        createdAt: true,
      }).partial().shape,
      startTime: TimeMs.optional().meta(like(exampleMs - hourMs)),
      endTime: TimeMs.nullable().optional(),
      note: Note.optional().meta(like('A red car at the gate')),
    }),
    reply: Bookmark,
    errors: ['AuthorizationRequired', 'Forbidden', 'NotFound'],
  },
  deleteBookmark: {
    summary: 'Deletes a bookmark of the caller',
    who: 'user',
    params: z.strictObject({ id: Id }),
    reply: Done,
    errors: ['AuthorizationRequired', 'Forbidden', 'NotFound'],
  },
  listHolds: {
    summary: 'The footage of a stream that rules keep from being deleted, newest first',
    who: 'user',
    needsLicense: true,
    stream: 'archive',
    params: uid,
    reply: z.object({ items: z.array(FootageHold) }),
    errors: archiveErrors,
  },
  releaseHold: {
    summary: 'Ends a hold: its footage may be deleted again. Requires the rights to the archive and to edit',
    who: 'user',
    stream: 'edit',
    params: uid.extend({ id: Id }),
    reply: Done,
    errors: holdErrors,
  },
  releaseHolds: {
    summary: 'Ends all holds of a stream. Requires the rights to the archive and to edit',
    who: 'user',
    stream: 'edit',
    params: uid,
    reply: z.object({ released: z.int().meta(like(3)) }),
    errors: holdErrors,
  },
  getShared: {
    summary: 'The data of the public page of a shared stream',
    who: 'anyone',
    params: z.strictObject({
      key: z
        .string()
        .regex(/^[A-Za-z0-9_-]{20,64}$/)
        .meta(like('q2w8xZk1nVt5bYc7mHs3dLf9gPj6rRu4aEoTiXyBzKw')),
    }),
    reply: z.object({
      name: z.string().meta(like('Gate')),
      status: z.string().meta(like('running')),
      viewers: z.int().meta(like(2)),
    }),
    errors: ['NotFound'],
  },
  watchShared: {
    summary: 'Live video of a shared stream over a WebSocket',
    who: 'anyone',
    params: z.strictObject({
      key: z
        .string()
        .regex(/^[A-Za-z0-9_-]{20,64}$/)
        .meta(like('q2w8xZk1nVt5bYc7mHs3dLf9gPj6rRu4aEoTiXyBzKw')),
    }),
    query: z.strictObject({ audio: z.boolean().default(true), keyframes: z.boolean().default(false) }),
    reply: { contentType: 'websocket' },
    errors: ['NotFound'],
  },
} as const satisfies Record<string, Call>;
