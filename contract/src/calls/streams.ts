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

/** Members that `getStream` answers and no save changes. */
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
 * made in between. Members that can't be changed are accepted as `getStream` answers them, and refused with any
 * other value.
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

const rightsToSet = {
  view: z.boolean().default(false),
  archive: z.boolean().default(false),
  share: z.boolean().default(false),
  edit: z.boolean().default(false),
};

export const streamCalls = {
  listStreams: {
    summary: 'Streams that the caller may view, a page at a time',
    who: 'user',
    query: z.strictObject({
      ...pageQuery,
      groupType: z.enum(['none', 'tag']).default('none'),
      sortType: z
        .enum(['name', '-name', 'createdAt', '-createdAt', 'status', '-status', 'location', '-location'])
        .default('name'),
      onlyAvailable: z.boolean().default(false).describe('Only those pending or running'),
      isOnlyAvailable: z.boolean().default(false).describe('The same, as the refresh of statuses names it'),
      onlyPublic: z
        .boolean()
        .default(false)
        .describe('Only those with a public link that the caller may share'),
      searchingValues: z
        .array(z.string().max(limits.nameMaxLength))
        .max(limits.searchValuesMax)
        .default([])
        .describe('All must be found in name, source, tags or location name, whatever the case'),
    }),
    reply: pageOf(ListedStream).extend({
      groups: z.array(z.object({ name: z.string().nullable().meta(like('Gate')), total: z.int() })),
    }),
    errors: ['AuthorizationRequired'],
  },
  listStreamStatuses: {
    summary: 'Statuses that changed since a revision; all of them without one',
    who: 'user',
    query: z.strictObject({
      since: z.int().min(0).default(0),
      onlyAvailable: z.boolean().default(false),
      isOnlyAvailable: z.boolean().default(false),
    }),
    reply: z.object({
      items: z.array(StreamState),
      revision: z.int().describe('Give it as `since` next time').meta(like(3)),
      listChanged: z
        .boolean()
        .describe('Streams came, went or were saved since then: ask for the list again'),
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
    summary: 'One stream; keeps an on-demand source up when asked to',
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
    summary: 'Deletes a stream; with purge its archive too',
    who: 'user',
    stream: 'edit',
    params: uid,
    query: z.strictObject({ purge: z.boolean().default(false) }),
    reply: Done,
    errors: streamErrors,
  },
  pauseStream: {
    summary: 'Stops receiving and recording until resumed',
    who: 'user',
    body: z.strictObject({ uid: Uid }),
    reply: z.object({ status: StreamStatus }),
    errors: streamErrors,
  },
  resumeStream: {
    summary: 'Receives and records again',
    who: 'user',
    body: z.strictObject({ uid: Uid }),
    reply: z.object({ status: StreamStatus }),
    errors: streamErrors,
  },
  probeStream: {
    summary: 'What a source address delivers',
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
    errors: [...streamErrors, 'SERVER_NOT_RESPONSE_ERR'],
  },
  getStreamShare: {
    summary:
      'The public link of a stream, made at the first asking, though not by following a link to this call',
    who: 'user',
    stream: 'share',
    params: uid,
    query: z.strictObject({
      create: z.boolean().default(true).describe('false: NotFound where there is no link yet'),
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
      'Replaces the list of who may do what with a stream; any right includes viewing; takes a password entered lately',
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
    summary: 'What happened to a stream lately, oldest first',
    who: 'user',
    stream: 'edit',
    params: uid,
    query: z.strictObject({ after: z.int().min(0).default(0).describe('Only lines with a greater id') }),
    reply: z.object({ items: z.array(LogLine) }),
    errors: streamErrors,
  },
  getStreamStats: {
    summary: 'Figures of a running stream',
    who: 'user',
    stream: 'view',
    params: uid,
    reply: z.object({
      status: StreamStatus,
      statusSince: TimeMs,
      attempts: z.int(),
      bytes: z.int().meta(like(1_843_200_000)),
      videoFrames: z.int().meta(like(90_000)),
      keyFrames: z.int().meta(like(3_600)),
      damagedFrames: z.int().meta(like(0)),
      lostPackets: z
        .int()
        .describe('Never came, by the gaps in their numbers; 0 for transports that do not number them')
        .meta(like(0)),
      viewers: z.int().meta(like(2)),
      reconnects: z
        .int()
        .describe('How often frames arrived again after an interruption, since the server started')
        .meta(like(2)),
      outages: z
        .array(
          z.object({
            startTime: TimeMs.meta(like(exampleMs - hourMs)),
            endTime: TimeMs.nullable().describe('Null while it lasts'),
            status: StreamStatus.describe('What the stream was last until it came back, or is'),
            reason: z.string().nullable().describe('Why, in words, where it failed'),
          }),
        )
        .describe('Times without frames, oldest first: the most recent ones since the server started'),
      histories: z.array(History).describe('The last half hour'),
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
    summary: 'Live picture over a WebSocket: JSON text, then fragmented MP4',
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
          'As H.264, for a browser that can’t decode what the camera sends; `end` with a code when that is refused',
        ),
    }),
    reply: { contentType: 'websocket' },
    errors: streamErrors,
  },
  getLiveFile: {
    summary: 'Low-latency HLS for players outside the page: index.m3u8 and what it names',
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
