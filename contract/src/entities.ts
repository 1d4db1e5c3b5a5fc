import { z } from 'zod';
import { gapCauses, languages, limits, loginPattern, playbackSpeeds, themes } from './constants.ts';
import { RecordedShares } from './recorded-shares.ts';
import { exampleMs, hourMs, like } from './example.ts';

/**
 * Schemas of requests and responses. Times are milliseconds since the epoch unless a name says otherwise.
 * A member without a value is null in a response, never missing.
 */
export const Language = z.enum(languages);
export const TimeMs = z
  .int()
  .min(0)
  .max(253_402_300_799_999)
  .describe('Milliseconds since the epoch')
  .meta(like(exampleMs));
export const Login = z.string().min(1).max(limits.loginMaxLength).regex(loginPattern).meta(like('maria'));
export const Email = z.email().max(limits.emailMaxLength).meta(like('maria@example.org'));

/**
 * Excludes control characters, lone surrogates, and invisible characters that change the direction of the text
 * or make two different texts look the same: marks, overrides and isolates of direction (UAX #9), spaces
 * without width.
 */
const visibleLine =
  /^[^\p{Cc}\p{Zl}\p{Zp}\ud800-\udfff\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]*$/u;
/** A visible line of text with at least one letter, digit or sign. */
export const Name = z
  .string()
  .trim()
  .min(1)
  .max(limits.nameMaxLength)
  .regex(visibleLine)
  .regex(/[\p{L}\p{N}\p{P}\p{S}]/u);
/** The same; may be empty. */
export const OptionalLine = z.string().trim().max(limits.nameMaxLength).regex(visibleLine);
const Tag = Name.max(limits.tagMaxLength);
const Tags = z.array(Tag).max(limits.tagsMax);
/** A password as entered; a weak one is PasswordIsNotComplexEnough, not a schema error. */
export const PasswordText = z.string().max(1_024).meta(like('a new long sentence of mine'));
/** Multi-line text. */
export const Note = z
  .string()
  .max(limits.noteMaxLength)
  .regex(/^[^\0]*$/);
export const Uid = z
  .string()
  .regex(/^[a-z0-9]{1,32}$/)
  .meta(like('k3m9x2q7w5ab'));
export const Id = z.int().min(1);

export const StreamStatus = z
  .enum(['pending', 'running', 'failed', 'paused', 'disabled'])
  .meta(like('running'));

/** Retention in hours; -1 keeps all footage. */
export const DepthHours = z.int().min(-1).max(876_000).meta(like(168));
const FarAfterHours = DepthHours.describe(
  'Hours until footage is moved to the S3 storage; 0: immediately; -1: never',
).meta(like(72));
const Latitude = z.number().min(-90).max(90).meta(like(55.751));
const Longitude = z.number().min(-180).max(180).meta(like(37.618));
const zonePattern = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+){0,2}$/;
/** The IANA name of a zone. */
export const TimeZoneName = z.string().max(64).regex(zonePattern).meta(like('Europe/Moscow'));

export const SourceText = z
  .string()
  .trim()
  .min(1)
  .max(limits.sourceMaxLength)
  .meta(like('rtsp://user:password@192.0.2.30:554/stream1'));

/**
 * The settings of a stream that users make, besides its addresses, as returned in responses. A new setting is
 * added here and in `settingsToSave`.
 */
const settings = {
  name: z.string().meta(like('Gate')),
  tags: z.array(z.string()).meta(like(['Yard'])),
  location: z.object({
    name: z.string().meta(like('Main building')),
    latitude: z.number().nullable().meta(like(55.751)),
    longitude: z.number().nullable().meta(like(37.618)),
    timeZone: z
      .string()
      .nullable()
      .describe('IANA name of the camera’s time zone')
      .meta(like('Europe/Moscow')),
  }),
  meta: z.object({
    marker: z
      .string()
      .nullable()
      .describe('Colour or icon that the owner chose for the stream')
      .meta(like(null)),
  }),
  live: z.object({ onDemand: z.boolean() }),
  archive: z.object({ isEnable: z.boolean(), depthHours: DepthHours, farAfterHours: FarAfterHours }),
  motion: z
    .object({ isEnable: z.boolean() })
    .describe('Whether motion is detected and marked on the timeline'),
};

/** Addresses and settings as calls accept them: absent members keep their values, or get their defaults. */
export const settingsToSave = {
  subStreamSource: SourceText.nullable().optional().meta(like(null)),
  tags: Tags.optional().meta(like(['Yard'])),
  location: z
    .strictObject({
      name: OptionalLine.optional().meta(like('Main building')),
      latitude: Latitude.nullable().optional(),
      longitude: Longitude.nullable().optional(),
      timeZone: TimeZoneName.nullable().optional(),
    })
    .optional(),
  meta: z
    .strictObject({ marker: OptionalLine.max(limits.tagMaxLength).nullable().optional().meta(like(null)) })
    .optional(),
  live: z.strictObject({ onDemand: z.boolean().optional() }).optional(),
  archive: z
    .strictObject({
      isEnable: z.boolean().optional(),
      depthHours: DepthHours.optional(),
      farAfterHours: FarAfterHours.optional(),
    })
    .optional(),
  motion: z.strictObject({ isEnable: z.boolean().optional() }).optional(),
};

/** The settings that are groups of members. */
export const settingGroups = ['location', 'meta', 'live', 'archive', 'motion'] as const;

export const Stream = z.object({
  uid: Uid,
  id: Id,
  ...settings,
  streamSource: z
    .string()
    .describe('Without login and password for users who may not edit the stream')
    .meta(like('rtsp://user:password@192.0.2.30:554/stream1')),
  subStreamSource: z
    .string()
    .nullable()
    .describe('A sub-stream of the same camera in lower resolution, for tiles')
    .meta(like(null)),
  status: StreamStatus,
  failureReason: z.string().nullable().describe('The reason for the failure, in words').meta(like(null)),
  node: z.object({ id: z.string().meta(like('main')), available: z.boolean() }),
  createdBy: z
    .string()
    .nullable()
    .describe('Login of the user who added it; null if that user has been deleted')
    .meta(like('maria')),
  createdAt: TimeMs,
  revision: z.int().describe('Increases by one with every save').meta(like(3)),
  canEdit: z.boolean(),
  canArchive: z.boolean(),
  canShare: z.boolean(),
  isPublic: z
    .boolean()
    .nullable()
    .describe('Whether it has a public link; null for users who may not share it'),
});

/** A stream in a list: with `groupType=tag` it is listed once under each of its tags. */
export const ListedStream = Stream.extend({ group: z.string().nullable().meta(like('Yard')) });

export const StreamState = z.object({
  uid: Uid,
  status: StreamStatus,
  failureReason: z.string().nullable().meta(like(null)),
  nodeAvailable: z.boolean(),
});

export const User = z.object({
  name: z.string().describe('The login').meta(like('maria')),
  email: z.string().meta(like('maria@example.org')),
  fullName: z.string().meta(like('Maria Petrova')),
  language: Language,
  isAdmin: z.boolean(),
  permissionType: z.enum(['admin', 'user']).meta(like('user')),
  maxStreamCreation: z.int().describe('0: read-only; -1: no limit').meta(like(10)),
  canConvert: z.boolean().describe('Whether video that a browser can’t play may be transcoded for this user'),
  isManaged: z.boolean(),
  mustChangePassword: z.boolean(),
  isBlocked: z.boolean(),
  createdAt: TimeMs,
  lastSeenTime: TimeMs.nullable(),
});

/** `viewer`, `server`, `stream`, or the IANA name of a zone, as in `Europe/Berlin`. */
const TimeZoneChoice = z
  .string()
  .max(64)
  .regex(zonePattern)
  .describe(
    'viewer: the time zone of the browser; server: that of the server; stream: that of each stream, or of the browser if a stream has none; or an IANA name, as in Europe/Berlin',
  )
  .meta(like('Europe/Moscow'));

/** A user's preferences, stored on the server and therefore the same in every browser. */
export const Preferences = z.object({
  theme: z.enum(themes).default('auto'),
  timeZone: TimeZoneChoice.default('viewer').meta(like('Europe/Moscow')),
  playerSound: z.boolean().default(false).describe('Whether a stream starts with audio on'),
  archiveSpeed: z.literal(playbackSpeeds).default(1).describe('The initial playback speed of the archive'),
});

/** The signed-in user as they see themselves. */
export const Profile = User.extend({ preferences: Preferences });

export const Token = z.object({
  id: Id,
  name: z.string().meta(like('Gate')),
  expireTime: TimeMs.nullable().meta(like(exampleMs + 720 * hourMs)),
  createdAt: TimeMs,
  lastUsedTime: TimeMs.nullable(),
});

export const Session = z.object({
  id: z.string(),
  lastSeenTime: TimeMs,
  isCurrent: z.boolean(),
  createdAt: TimeMs,
  ip: z.string().meta(like('192.0.2.17')),
  userAgent: z.string().meta(like('Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0')),
});

const rights = { view: z.boolean(), archive: z.boolean(), share: z.boolean(), edit: z.boolean() };

/** What one user may do with the requested stream. */
export const StreamPermission = z.object({
  user: z.string().describe('Login').meta(like('maria')),
  ...rights,
});
/** What the requested user may do with one stream. */
export const UserPermission = z.object({ stream: Uid, streamName: z.string().meta(like('Gate')), ...rights });

export const MosaicCell = z.strictObject({
  x: z.int().min(0).max(31).meta(like(0)),
  y: z.int().min(0).max(31).meta(like(0)),
  width: z.int().min(1).max(32),
  height: z.int().min(1).max(32),
  stream: Uid.nullable(),
  /** Pages are shown in turn, all on the same grid. */
  page: z
    .int()
    .min(0)
    .max(limits.mosaicPagesMax - 1)
    .default(0)
    .meta(like(1)),
});
export const MosaicLayout = z.strictObject({
  columns: z.int().min(1).max(32),
  rows: z.int().min(1).max(32),
  cells: z.array(MosaicCell).max(limits.mosaicCellsMax),
});
export const Mosaic = z.object({
  id: Id,
  name: z.string().meta(like('Gate')),
  meta: z.object({ canAdmin: z.boolean() }),
  layout: MosaicLayout,
  isShared: z.boolean(),
  rotationSeconds: z
    .int()
    .describe('How long each page is shown; 0: until the viewer changes it')
    .meta(like(20)),
  createdBy: z.string().nullable().meta(like('maria')),
});
const tileFields = {
  uid: true,
  name: true,
  status: true,
  failureReason: true,
  live: true,
  node: true,
} as const;
/** A mosaic with its streams that the viewer may watch: their names, and why one has no video. */
export const WatchedMosaic = Mosaic.extend({
  streams: z.array(Stream.pick({ ...tileFields, canArchive: true })),
});

export const License = z.object({
  text: z.string().describe('Empty when there is none'),
  isExpired: z.boolean(),
  expiresAt: TimeMs.nullable().meta(like(exampleMs + 720 * hourMs)),
  owner: z.string().meta(like('Example Ltd')),
  productType: z.string().meta(like('community')),
  maxStreams: z.int().describe('-1: no limit').meta(like(100)),
  features: z.array(z.string()).meta(like(['tunnel'])),
});

/** The settings that the page needs before sign-in, and those that it gets afterwards (null before). */
export const Settings = z.object({
  isEnterprise: z.boolean(),
  isLocked: z.boolean().describe('True until the first administrator exists'),
  isSetupAllowed: z
    .boolean()
    .describe(
      'False while the setup waits for `allow-setup` on the console, because the database is new but the archive is not',
    ),
  prober: z.boolean().describe('Sources can be probed before they are added'),
  hasFfmpeg: z.boolean().describe('Whether FFmpeg is installed, which converts video and makes digests'),
  revision: z.string(),
  version: z.string().meta(like('0.1.0')),
  command: z
    .string()
    .describe(
      'How the operator runs a command of this server, without its name; empty for users who need none: those of a server that is set up who are not administrators',
    )
    .meta(like('vidette')),
  appTitle: z.string().meta(like('Vidette')),
  appLogo: z.string().nullable().meta(like(null)),
  defaultLanguage: Language.nullable().describe('null: the browser’s language'),
  timeZone: z
    .string()
    .nullable()
    .describe('IANA name of the zone of the server’s clock')
    .meta(like('Europe/Moscow')),
  archiveDownloadMaxSeconds: z.int().meta(like(3_600)),
  playlistMaxSeconds: z.int().meta(like(604_800)),
  rangesMaxSeconds: z.int().meta(like(10_800)),
  isLicenseExpired: z.boolean(),
  archiveMaxDepthHours: z.int().meta(like(-1)),
  farArchive: z.boolean().describe('Whether an S3 storage for old footage is configured'),
  smtpServerEnabled: z.boolean(),
  smtpServerHost: z.string().nullable().meta(like('mail.example.org')),
  smtpServerPort: z.int().nullable().meta(like(587)),
  smtpServerProtected: z.boolean().nullable(),
  documentation: z.string().nullable().meta(like('https://docs.example.org/vidette')),
  site: z.string().nullable().meta(like(null)),
  securityContact: z
    .string()
    .nullable()
    .describe('Where to report vulnerabilities: an address with https or mailto')
    .meta(like('mailto:security@example.org')),
  features: z.array(z.string()).meta(like(['tunnel'])),
  passwordResetAllowed: z.boolean(),
  tunnelLocations: z.array(z.string()).meta(like(['RU'])),
  productType: z.string().meta(like('community')),
  clusterEnabled: z.boolean(),
  nodeID: z.string().nullable().meta(like('main')),
  kioskPrefillUser: z.string().nullable().meta(like(null)),
  kioskPrefillPassword: z.string().nullable().meta(like(null)),
});

/** A time series, oldest first; `values` and `times` have the same length. */
export const History = z.object({
  name: z.string().meta(like('received')),
  unit: z.string().meta(like('bit/s')),
  times: z.array(TimeMs).meta(like([exampleMs - 10_000])),
  values: z.array(z.number()).meta(like([4_096_000])),
});

export const ArchiveRange = z.object({
  date: TimeMs.describe('Start; the range lasts until the date of the next one'),
  status: z.enum(['fragment', 'gap', 'live']),
});
export const GapCause = z.enum(gapCauses);
export const ArchiveGap = z.object({
  startTime: TimeMs.meta(like(exampleMs - hourMs)),
  endTime: TimeMs,
  cause: GapCause.describe(
    'Why there is no footage; a gap with several causes is returned as several adjacent gaps',
  ).meta(like('unreachable')),
});
export const ArchivePeriod = z.object({ startTime: TimeMs.meta(like(exampleMs - hourMs)), endTime: TimeMs });
export const ArchiveStats = z.object({
  startTime: TimeMs.nullable().meta(like(exampleMs - hourMs)),
  endTime: TimeMs.nullable(),
  durationMs: z.number().meta(like(3_600_000)),
  bytes: z.int().meta(like(1_843_200_000)),
  farBytes: z.int().describe('The part of `bytes` that is in the S3 storage'),
  importedBytes: z
    .int()
    .optional()
    .describe(
      'The part of `bytes` in files of other programs, which are never deleted; omitted if there are none',
    ),
  segments: z.int().meta(like(60)),
  bitrate: z.number().describe('Bits per second, averaged over all footage').meta(like(4_096_000)),
  recorded: RecordedShares.nullable().describe('null: the stream is not recorded'),
  withoutNodes: z
    .array(z.string())
    .optional()
    .describe('Ids of the nodes that do not answer: their recordings are not included'),
});

export const ArchiveExtent = z.object({
  startTime: TimeMs.nullable()
    .describe('Start of the first footage in the span; null: there is none')
    .meta(like(exampleMs - hourMs)),
  endTime: TimeMs.nullable(),
  durationMs: z.number().describe('Recorded time, without gaps').meta(like(3_600_000)),
  bytes: z.int().describe('Approximate size; the ends of the span are estimated').meta(like(1_843_200_000)),
  gaps: z.array(ArchiveGap),
});

export const ArchiveLoss = z.object({
  depthHours: z
    .int()
    .nullable()
    .describe('The requested depth, or the pending lowered one; null: none is pending')
    .meta(like(168)),
  fromTime: TimeMs.nullable().describe(
    'Start of the oldest recording that this depth deletes; null: it deletes none',
  ),
  untilTime: TimeMs.nullable().describe('Recordings that begin before this time are deleted'),
  durationMs: z.number().describe('Recorded time, without gaps').meta(like(3_600_000)),
  bytes: z.int().meta(like(1_843_200_000)),
  beginsAt: TimeMs.nullable().describe(
    'The earliest time of the first deletion, if the depth were lowered now, or for the pending lowered depth',
  ),
  withoutNodes: z
    .array(z.string())
    .optional()
    .describe('Ids of the nodes that do not answer: their recordings are not included'),
});

const ExportStatus = z.enum(['queued', 'running', 'ready', 'failed']);
export const ExportFailure = z
  .enum(['disk-full', 'forbidden', 'nothing-recorded', 'no-ffmpeg', 'broken'])
  .describe(
    'forbidden: a right was revoked meanwhile; no-ffmpeg: a digest needs FFmpeg, which is not installed; broken: the reason is in the server’s log',
  );
const ExportStream = z.object({
  uid: Uid,
  name: z.string().meta(like('Gate')),
  files: z.int().describe('Number of finished files; of a digest, of its clips'),
  bytes: z.int().meta(like(1_843_200_000)),
  durationMs: z.number().describe('Delivered so far').meta(like(3_600_000)),
  gapMs: z.number().describe('Requested but not recorded'),
});
export const Export = z.object({
  id: Id,
  kind: z.enum(['package', 'digest']).describe('A signed ZIP, or one MP4').meta(like('package')),
  name: z.string().meta(like('Gate')),
  status: ExportStatus.meta(like('running')),
  failure: ExportFailure.nullable(),
  isHeld: z
    .boolean()
    .describe('It waits because the server is overloaded, and continues by itself')
    .meta(like(false)),
  startTime: TimeMs.meta(like(exampleMs - hourMs)),
  endTime: TimeMs,
  streams: z.array(ExportStream),
  bytes: z
    .int()
    .describe('Bytes written so far; for a finished package, its length')
    .meta(like(1_843_200_000)),
  expectedBytes: z.int().describe('Estimated length'),
  share: z.number().describe('How much of the work is done, 0 to 1').meta(like(0.4)),
  createdAt: TimeMs,
  expiresAt: TimeMs.nullable()
    .describe('When its files are deleted; null until it is ready')
    .meta(like(exampleMs + 720 * hourMs)),
  fingerprint: z.string().describe('Fingerprint of the signing key, as the verification tools show it'),
});

export const Annotation = z.object({
  id: Id,
  streamId: Uid,
  type: z.enum(['event']),
  kind: z.string().describe('The kind of event, for example `motion`').meta(like('motion')),
  time: TimeMs.meta(like(exampleMs - hourMs)),
  timeEnd: TimeMs.nullable().meta(like(exampleMs - hourMs + 5_000)),
  note: z.string().meta(like('A red car at the gate')),
});

export const Bookmark = z.object({
  id: Id,
  stream: Uid,
  streamName: z.string().meta(like('Gate')),
  startTime: TimeMs.meta(like(exampleMs - hourMs)),
  endTime: TimeMs.nullable().describe('null: a point in time'),
  note: z.string().meta(like('A red car at the gate')),
  createdBy: z.string().nullable().meta(like('maria')),
  createdAt: TimeMs,
});

export const FootageHold = z.object({
  id: Id,
  stream: Uid,
  startTime: TimeMs.meta(like(exampleMs - hourMs)),
  endTime: TimeMs.describe('While the event goes on, the latest possible end').meta(like(exampleMs)),
  heldUntil: TimeMs.describe('Until then it is not deleted by age or for space').meta(
    like(exampleMs + 720 * hourMs),
  ),
  rule: z.string().describe('Name of the rule that holds it').meta(like('Gate at night')),
  createdBy: z.string().nullable().describe('Owner of the rule; null: deleted').meta(like('maria')),
  createdAt: TimeMs,
});

export const LogLevel = z.enum(['debug', 'info', 'warn', 'error']);
export const LogLine = z.object({
  id: z.int(),
  time: TimeMs.meta(like(exampleMs - hourMs)),
  level: LogLevel,
  message: z.string().meta(like('The source sends H264 1920x1080 and AAC 48000 Hz.')),
});

export const ClusterNode = z.object({
  id: z.string(),
  name: z.string().meta(like('Gate')),
  available: z.boolean().describe('The node is up and can run streams, unless it is drained'),
  isDrained: z.boolean().describe('Whether a drain was requested; `state` shows its progress'),
  state: z.enum(['working', 'draining', 'drained', 'away']),
  isSelf: z.boolean().describe('Whether it is the node that answers this call'),
  streams: z.int().describe('Streams configured on it').meta(like(20)),
  activeStreams: z
    .int()
    .describe(
      'Number of them that are currently connected, recorded or being stopped, which a drain still has to move',
    )
    .meta(like(12)),
  capacity: z
    .int()
    .nullable()
    .describe('Maximum number of streams that it runs; null: no limit')
    .meta(like(200)),
  successors: z.int().describe('Nodes that can take over its streams; 0: draining it stops them'),
  version: z.string().meta(like('0.1.0')),
  startedTime: TimeMs.nullable().describe('When it started; null while it is down'),
  lastSeenTime: TimeMs.nullable(),
});

export const AuditEntry = z.object({
  id: Id,
  time: TimeMs.meta(like(exampleMs - hourMs)),
  user: z.string().nullable().meta(like('maria')),
  ip: z.string().meta(like('192.0.2.17')),
  action: z.string().describe('Name of the call, as in `addStream`').meta(like('addStream')),
  target: z.string().nullable().meta(like('k3m9x2q7w5ab')),
  targetName: z
    .string()
    .nullable()
    .describe('What the target was called then; null where it is not known, or the target is a name itself')
    .meta(like('Gate')),
  outcome: z.string().describe('`ok` or an error code').meta(like('ok')),
  details: z.record(z.string(), z.unknown()),
  isMachine: z.boolean().describe('A program did it, or the page by itself').meta(like(false)),
});

export type Language = z.infer<typeof Language>;
export type StreamStatus = z.infer<typeof StreamStatus>;
export type Stream = z.infer<typeof Stream>;
export type StreamSettings = Pick<Stream, keyof typeof settings>;
export type ListedStream = z.infer<typeof ListedStream>;
export type StreamState = z.infer<typeof StreamState>;
export type User = z.infer<typeof User>;
export type Preferences = z.infer<typeof Preferences>;
export type Profile = z.infer<typeof Profile>;
export type Token = z.infer<typeof Token>;
export type Session = z.infer<typeof Session>;
export type StreamPermission = z.infer<typeof StreamPermission>;
export type UserPermission = z.infer<typeof UserPermission>;
export type MosaicCell = z.infer<typeof MosaicCell>;
export type MosaicLayout = z.infer<typeof MosaicLayout>;
export type Mosaic = z.infer<typeof Mosaic>;
export type WatchedMosaic = z.infer<typeof WatchedMosaic>;
export type License = z.infer<typeof License>;
export type Settings = z.infer<typeof Settings>;
export type History = z.infer<typeof History>;
export type ArchiveRange = z.infer<typeof ArchiveRange>;
export type GapCause = z.infer<typeof GapCause>;
export type ArchiveGap = z.infer<typeof ArchiveGap>;
export type ArchivePeriod = z.infer<typeof ArchivePeriod>;
export type ArchiveStats = z.infer<typeof ArchiveStats>;
export type ArchiveExtent = z.infer<typeof ArchiveExtent>;
export type ArchiveLoss = z.infer<typeof ArchiveLoss>;
type ExportStatus = z.infer<typeof ExportStatus>;
export type ExportFailure = z.infer<typeof ExportFailure>;
export type Export = z.infer<typeof Export>;
export type Annotation = z.infer<typeof Annotation>;
export type Bookmark = z.infer<typeof Bookmark>;
export type FootageHold = z.infer<typeof FootageHold>;
export type LogLevel = z.infer<typeof LogLevel>;
export type LogLine = z.infer<typeof LogLine>;
export type ClusterNode = z.infer<typeof ClusterNode>;
export type AuditEntry = z.infer<typeof AuditEntry>;
