import { z } from 'zod';
import type { Call } from '../call.ts';
import { limits } from '../constants.ts';
import {
  History,
  ListedStream,
  LogLine,
  Login,
  Name,
  SourceText,
  Stream,
  StreamPermission,
  StreamState,
  StreamStatus,
  TimeMs,
  Uid,
  settingsToSave,
} from '../entities.ts';
import { Done, pageOf, pageQuery } from '../page.ts';
import { exampleMs, hourMs, like } from '../example.ts';

const uid = z.strictObject({ uid: Uid });

/** Creates a stream. Absent members get their defaults: recorded, motion detected, always on, no tags. */
export const StreamToAdd = z.strictObject({
  name: Name.meta(like('Gate')),
  streamSource: SourceText,
  ...settingsToSave,
});

/** Members of the response of `getStream` that a save can't change. */
const fixedOfStream = {
  uid: true,
  id: true,
  createdBy: true,
  createdAt: true,
  canEdit: true,
  canArchive: true,
  canShare: true,
  isPublic: true,
  node: true,
  status: true,
  failureReason: true,
} as const;

/**
 * Changes a stream; absent members keep their values. With `revision` the save is refused if another save was
 * made in between. Members that can't be changed are accepted with the values from `getStream`, and refused
 * with any others.
 */
export const StreamToSave = z.strictObject({
  ...Stream.pick(fixedOfStream).partial().shape,
  name: Name.optional().meta(like('Gate')),
  streamSource: SourceText.optional(),
  ...settingsToSave,
  revision: z.int().optional().meta(like(3)),
});

/**
 * `stream_id` adds the stored credentials of a stream that the caller may edit to an address entered without
 * them.
 */
const probeQuery = z.strictObject({
  url: SourceText.meta(like('rtsp://192.0.2.30:554/stream1')),
  stream_id: Uid.optional(),
});

const probeErrors = [
  'EHOSTUNREACH',
  'HTTP_NOT_FOUND',
  'HTTP_UNAUTHORIZED',
  'ProbeError',
  'STREAM_SOURCE_ERR',
  'Forbidden',
  'NotFound',
] as const;
const streamErrors = ['AuthorizationRequired', 'Forbidden', 'NotFound'] as const;
const fieldErrors = ['STREAM_SOURCE_ERR', 'STREAM_NAME_ERR', 'CREDENTIALS_ERR', 'ARCHIVE_DEPTH_ERR'] as const;

/** The orders of a list of streams. */
export const streamSorts = [
  'name',
  'createdAt',
  'status',
  'location',
  'share',
  'oldest',
  'bitrate',
  'viewers',
  'depth',
  'tags',
] as const;

const rightsToSet = {
  view: z.boolean().default(false),
  archive: z.boolean().default(false),
  share: z.boolean().default(false),
  edit: z.boolean().default(false),
};

export const streamCalls = {
  listStreams: {
    summary: 'Streams that the caller may view, page by page',
    who: 'user',
    query: z.strictObject({
      ...pageQuery,
      groupType: z.enum(['none', 'tag']).default('none'),
      sortType: z
        .enum(streamSorts.flatMap((sort) => [sort, `-${sort}`] as const))
        .default('name')
        .describe(
          'Descending after a hyphen. `share` is the recorded share of the last 24 hours, `oldest` the time of the oldest footage, ' +
            '`depth` how long footage is kept. Streams without the value come last',
        ),
      onlyAvailable: z.boolean().default(false).describe('Only pending and running streams'),
      isOnlyAvailable: z
        .boolean()
        .default(false)
        .describe('The same as `onlyAvailable`, under its name in the call for statuses'),
      onlyPublic: z
        .boolean()
        .default(false)
        .describe('Only streams with a public link that the caller may share'),
      searchingValues: z
        .array(z.string().max(limits.nameMaxLength))
        .max(limits.searchValuesMax)
        .default([])
        .describe('All words must be found in the name, source, tags or location name, regardless of case'),
    }),
    reply: pageOf(ListedStream).extend({
      groups: z.array(z.object({ name: z.string().nullable().meta(like('Gate')), total: z.int() })),
    }),
    errors: ['AuthorizationRequired'],
  },
  listStreamStatuses: {
    summary: 'Statuses that changed since a revision; without one, all statuses',
    who: 'user',
    query: z.strictObject({
      since: z.int().min(0).default(0),
      onlyAvailable: z.boolean().default(false),
      isOnlyAvailable: z.boolean().default(false),
    }),
    reply: z.object({
      items: z.array(StreamState),
      revision: z.int().describe('To be sent as `since` in the next call').meta(like(3)),
      listChanged: z
        .boolean()
        .describe('Streams were added, deleted or saved since then: request the list again'),
    }),
    errors: ['AuthorizationRequired'],
  },
  listStreamTags: {
    summary: 'Tags in use on streams that the caller may view',
    who: 'user',
    reply: z.object({ items: z.array(z.object({ name: z.string().meta(like('Gate')), total: z.int() })) }),
    errors: ['AuthorizationRequired'],
  },
  addStream: {
    summary: 'Adds a stream and starts it',
    who: 'creator',
    body: StreamToAdd,
    reply: z.object({ uid: Uid }),
    errors: [
      'AuthorizationRequired',
      'Forbidden',
      'QuotaReached',
      'LicenseExpired',
      'CLUSTER_NODE_ERR',
      ...fieldErrors,
    ],
  },
  getStream: {
    summary: 'One stream; on request, keeps its on-demand source connected',
    who: 'user',
    stream: 'view',
    params: uid,
    query: z.strictObject({ extend_lease: z.boolean().default(false) }),
    reply: Stream,
    errors: streamErrors,
  },
  saveStream: {
    summary: 'Changes a stream',
    who: 'user',
    stream: 'edit',
    params: uid,
    body: StreamToSave,
    reply: Stream,
    errors: [...streamErrors, 'ActionNotAcceptable', ...fieldErrors],
  },
  deleteStream: {
    summary:
      'Deletes a stream; with `purge`, its archive too, but no recordings of other programs. Not while rules hold footage of it',
    who: 'user',
    stream: 'edit',
    params: uid,
    query: z.strictObject({ purge: z.boolean().default(false) }),
    reply: Done,
    errors: [...streamErrors, 'FootageHeld'],
  },
  pauseStream: {
    summary: 'Stops receiving and recording until resumed',
    who: 'user',
    body: z.strictObject({ uid: Uid }),
    reply: z.object({ status: StreamStatus }),
    errors: streamErrors,
  },
  resumeStream: {
    summary: 'Resumes receiving and recording',
    who: 'user',
    body: z.strictObject({ uid: Uid }),
    reply: z.object({ status: StreamStatus }),
    errors: streamErrors,
  },
  probeStream: {
    summary: 'Probes a source address and returns its tracks',
    who: 'user',
    query: probeQuery,
    reply: z.object({
      transport: z.string().meta(like('rtsp')),
      tracks: z.array(
        z.object({
          kind: z.enum(['video', 'audio']),
          codec: z.string().meta(like('h264')),
          codecString: z.string().meta(like('avc1.64001f')),
          width: z.int().nullable().meta(like(1920)),
          height: z.int().nullable().meta(like(1080)),
          sampleRate: z.int().nullable().meta(like(null)),
          channels: z.int().nullable().meta(like(null)),
        }),
      ),
    }),
    errors: ['AuthorizationRequired', ...probeErrors],
  },
  previewStream: {
    summary: 'A snapshot from a source address',
    who: 'user',
    query: probeQuery,
    reply: { contentType: 'image/jpeg' },
    errors: ['AuthorizationRequired', 'SERVER_NOT_RESPONSE_ERR', ...probeErrors],
  },
  getStreamPicture: {
    summary: 'A snapshot of the newest key frame of a running stream',
    who: 'user',
    stream: 'view',
    params: uid,
    query: z.strictObject({ width: z.int().min(16).max(3840).default(640) }),
    reply: { contentType: 'image/jpeg' },
    errors: [...streamErrors, 'SERVER_NOT_RESPONSE_ERR', 'ServerOverloaded'],
  },
  getStreamShare: {
    summary:
      'The public link of a stream; created by the first request, but not by following a link to this call',
    who: 'user',
    stream: 'share',
    params: uid,
    query: z.strictObject({
      create: z.boolean().default(true).describe('false: NotFound if there is no link yet'),
    }),
    reply: z.object({
      url: z.string().meta(like('rtsp://192.0.2.30:554/stream1')),
      isEmbeddable: z.boolean(),
    }),
    errors: streamErrors,
  },
  saveStreamShare: {
    summary: 'Whether pages of other sites may show the public link in a frame',
    who: 'user',
    stream: 'share',
    params: uid,
    body: z.strictObject({ isEmbeddable: z.boolean() }),
    reply: z.object({
      url: z.string().meta(like('rtsp://192.0.2.30:554/stream1')),
      isEmbeddable: z.boolean(),
    }),
    errors: streamErrors,
  },
  revokeStreamShare: {
    summary: 'Revokes the public link and disconnects its viewers',
    who: 'user',
    stream: 'share',
    params: uid,
    reply: Done,
    errors: streamErrors,
  },
  getStreamPermissions: {
    summary: 'Who may do what with a stream',
    who: 'user',
    stream: 'edit',
    params: uid,
    reply: pageOf(StreamPermission),
    errors: streamErrors,
  },
  saveStreamPermissions: {
    summary:
      'Replaces the list of who may do what with a stream; any right includes viewing; requires a recently entered password',
    who: 'user',
    proof: 'rights',
    stream: 'edit',
    params: uid,
    takesLongLists: true,
    body: z.strictObject({
      items: z.array(z.strictObject({ user: Login, ...rightsToSet })).max(limits.permissionRowsMax),
    }),
    reply: pageOf(StreamPermission),
    errors: [...streamErrors, 'PasswordRequired'],
  },
  getStreamLogs: {
    summary: 'Recent log lines of a stream, oldest first',
    who: 'user',
    stream: 'edit',
    params: uid,
    query: z.strictObject({
      after: z.int().min(0).default(0).describe('Only lines with an id greater than this'),
    }),
    reply: z.object({ items: z.array(LogLine) }),
    errors: streamErrors,
  },
  getStreamStats: {
    summary: 'Metrics of a running stream',
    who: 'user',
    stream: 'view',
    params: uid,
    reply: z.object({
      status: StreamStatus,
      statusSince: TimeMs,
      attempts: z.int(),
      nextAttempt: TimeMs.nullable()
        .describe('When the source is tried again at the latest; null unless it waits for that')
        .meta(like(null)),
      bytes: z.int().meta(like(1_843_200_000)),
      videoFrames: z.int().meta(like(90_000)),
      keyFrames: z.int().meta(like(3_600)),
      damagedFrames: z.int().meta(like(0)),
      lostPackets: z
        .int()
        .describe(
          'Lost packets, counted from gaps in their sequence numbers; 0 for transports without sequence numbers',
        )
        .meta(like(0)),
      viewers: z.int().meta(like(2)),
      reconnects: z
        .int()
        .describe('Number of times that frames arrived again after an interruption, since the server started')
        .meta(like(2)),
      outages: z
        .array(
          z.object({
            startTime: TimeMs.meta(like(exampleMs - hourMs)),
            endTime: TimeMs.nullable().describe('null while it lasts'),
            status: StreamStatus.describe(
              'The last status of the stream before it recovered, or its current one',
            ),
            reason: z.string().nullable().describe('The reason in words, if it failed'),
          }),
        )
        .describe('The most recent periods without frames since the server started, oldest first'),
      histories: z.array(History).describe('Values of the last half hour'),
      tracks: z.array(
        z.object({
          kind: z.string().meta(like('video')),
          codecString: z.string().meta(like('avc1.64001f')),
          description: z.string().meta(like('1920x1080')),
        }),
      ),
    }),
    errors: streamErrors,
  },
  watchStream: {
    summary: 'Live video over a WebSocket: JSON text, then fragmented MP4',
    who: 'user',
    stream: 'view',
    params: uid,
    query: z.strictObject({
      audio: z.boolean().default(true),
      keyframes: z.boolean().default(false),
      convert: z
        .boolean()
        .default(false)
        .describe(
          'Transcoded to H.264, for a browser that can’t decode the original; `end` with a code if that is refused',
        ),
    }),
    reply: { contentType: 'websocket' },
    errors: streamErrors,
  },
  getLiveFile: {
    summary: 'Low-latency HLS for external players: index.m3u8 and the files it refers to',
    who: 'user',
    stream: 'view',
    params: uid.extend({
      file: z
        .string()
        .max(100)
        .regex(/^[A-Za-z0-9._-]+$/)
        .meta(like('index.m3u8')),
    }),
    query: z.looseObject({}),
    reply: { contentType: 'application/vnd.apple.mpegurl', otherTypes: ['video/mp4'] },
    errors: streamErrors,
  },
} as const satisfies Record<string, Call>;
