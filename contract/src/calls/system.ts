import { z } from 'zod';
import type { Call } from '../call.ts';
import { failedStreamsMax, limits } from '../constants.ts';
import {
  AuditEntry,
  ClusterNode,
  Email,
  History,
  Language,
  License,
  LogLevel,
  LogLine,
  Login,
  Name,
  PasswordText,
  Settings,
  TimeMs,
  Uid,
} from '../entities.ts';
import { Health } from '../health.ts';
import { ClusterInvitation } from '../invitation.ts';
import { yieldOrder } from '../overload.ts';
import { RecordedShares } from '../recorded-shares.ts';
import { Done, pageOf } from '../page.ts';
import { TunnelStatus } from '../tunnel.ts';
import { SignedIn } from './account.ts';
import { exampleMs, hourMs, like } from '../example.ts';

const adminErrors = ['AuthorizationRequired', 'Forbidden'] as const;
const clusterErrors = [...adminErrors, 'NotFound', 'EnterpriseOnly', 'FeatureNotFound'] as const;
const node = z.strictObject({ id: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/) });
const tunnelErrors = [...adminErrors, 'LicenseExpired', 'FeatureNotFound', 'ActionNotAcceptable'] as const;

const FarArchive = z.object({
  name: z.string().describe('The bucket and its endpoint').meta(like('footage at s3.example.org')),
  bytes: z.int().meta(like(1_843_200_000)),
  segments: z.int().meta(like(60)),
  waitingBytes: z.int().describe('Footage that is due to be uploaded and still on the disk'),
  waitingSegments: z.int(),
  lastMovedAt: TimeMs.nullable(),
  problem: z
    .object({
      code: z.string().describe('A code of the error catalogue').meta(like('FarArchiveUnavailable')),
      reason: z.string().describe('The error message of the storage, in English'),
      since: TimeMs,
    })
    .nullable(),
});

const Engine = z.object({
  index: z.int().describe('From 0'),
  isResponding: z.boolean().describe('False while it restarts; then the metrics below are 0'),
  streams: z.int().describe('Streams assigned to it').meta(like(10)),
  cpuPercent: z.number().describe('Percent of one core').meta(like(5.2)),
  memoryBytes: z.int().meta(like(90_000_000)),
  eventLoopDelayMs: z.number().describe('The longest delay in the last seconds').meta(like(2)),
  restarts: z.int().describe('How often it was lost since the front started').meta(like(0)),
});

const ServerStats = z.object({
  uptimeSeconds: z.number().meta(like(86_400)),
  cpuPercent: z
    .number()
    .describe('Percent of one core over the last ten seconds, as for the metrics below')
    .meta(like(12.5)),
  eventLoopDelayMs: z.number().describe('The longest delay'),
  receivedBitsPerSecond: z.number().meta(like(82_000_000)),
  sentBitsPerSecond: z.number().describe('Sent to live viewers').meta(like(12_000_000)),
  damagedFramesPerSecond: z.number().meta(like(0)),
  lostPacketsPerSecond: z.number().describe('For sources whose transport numbers its packets').meta(like(0)),
  writeLatencyMs: z
    .number()
    .describe('For the slowest stream: from a complete GOP to its row in the catalog')
    .meta(like(8)),
  memoryBytes: z.int().meta(like(250_000_000)),
  cores: z.int().describe('Of the machine, or of the container').meta(like(4)),
  memoryLimitBytes: z
    .int()
    .describe('What the processes of the server may use: of the machine, or of the container')
    .meta(like(8_000_000_000)),
  streams: z.int().meta(like(20)),
  streamsRunning: z.int().meta(like(19)),
  streamsRecorded: z.int().describe('That should be recorded now').meta(like(18)),
  streamsFailed: z.int().meta(like(1)),
  failed: z
    .array(
      z.object({
        uid: Uid,
        since: TimeMs.nullable()
          .describe('null: since before the server started')
          .meta(like(exampleMs - hourMs)),
      }),
    )
    .describe(`At most ${failedStreamsMax} of the failed streams, the longest first`),
  viewers: z.int().meta(like(2)),
  archiveBytes: z.int(),
  recorded: RecordedShares.describe('For all streams that should be recorded'),
  diskFreeBytes: z.int().nullable().meta(like(750_000_000_000)),
  diskTotalBytes: z.int().nullable().meta(like(1_000_000_000_000)),
  engines: z
    .array(Engine)
    .describe(
      'The processes that receive and record, with `engine.processes`; their metrics are not in those above',
    ),
  overload: z
    .object({
      level: z.int().describe('0: nothing waits').meta(like(0)),
      waiting: z.array(z.enum(yieldOrder)).describe('What waits so that recording continues').meta(like([])),
    })
    .describe('Sub-streams and live video are reduced to key frames when they are listed'),
  far: FarArchive.nullable().describe('State of the S3 storage for old footage; null: there is none'),
});

export const systemCalls = {
  getHealth: {
    summary: 'Version and warnings',
    who: 'user',
    reply: Health,
    errors: ['AuthorizationRequired'],
  },
  getSettings: {
    summary: 'The settings of the page; fewer for callers who are not signed in',
    who: 'anyone',
    whileLocked: true,
    whilePasswordDue: true,
    reply: Settings,
    errors: [],
  },
  search: {
    summary: 'Searches streams, mosaics, bookmarks and users',
    who: 'user',
    query: z.strictObject({
      query: z.string().trim().min(1).max(limits.nameMaxLength).meta(like('gate')),
      limit: z.int().min(1).max(50).default(20),
    }),
    reply: z.object({
      items: z.array(
        z.object({
          kind: z.enum(['stream', 'mosaic', 'bookmark', 'user']),
          id: z.string(),
          name: z.string().meta(like('Gate')),
          note: z.string().meta(like('A red car at the gate')),
        }),
      ),
    }),
    errors: ['AuthorizationRequired'],
  },
  unlock: {
    summary: 'Creates the first administrator with the set-up code from the server’s console, and signs in',
    who: 'anyone',
    whileLocked: true,
    body: z.strictObject({
      code: z.string().max(64).default('').meta(like('7KQW-M3XP')),
      name: Login,
      password: PasswordText,
      email: Email.or(z.literal('')).default(''),
      language: Language.default('en'),
    }),
    reply: SignedIn,
    errors: ['UnknownLifetimeCode', 'PasswordIsNotComplexEnough', 'ActionNotAcceptable', 'SetupNotAllowed'],
  },
  useArchiveDisk: {
    summary:
      'Records to the empty disk in the archive folder from now on; footage on the old disk disappears from the timeline',
    who: 'admin',
    reply: z.object({}),
    errors: ['AuthorizationRequired', 'Forbidden', 'ActionNotAcceptable'],
  },
  getSystemLogs: {
    summary: 'Recent lines of the server’s log, oldest first',
    who: 'admin',
    query: z.strictObject({
      level: LogLevel.default('info').describe('Minimum level'),
      search: z.string().max(limits.nameMaxLength).default(''),
      after: z.int().min(0).default(0).describe('Only lines with an id greater than this'),
      limit: z.int().min(1).max(1_000).default(500),
    }),
    reply: z.object({
      items: z.array(LogLine.extend({ fields: z.record(z.string(), z.unknown()) })),
    }),
    errors: adminErrors,
  },
  getSystemStats: {
    summary: 'Current metrics of the server',
    who: 'admin',
    reply: ServerStats,
    errors: adminErrors,
  },
  getLicense: {
    summary: 'The license',
    who: 'admin',
    reply: License,
    errors: adminErrors,
  },
  saveLicense: {
    summary: 'Replaces the license',
    who: 'admin',
    body: z.strictObject({ text: z.string().min(1).max(10_000) }),
    reply: License,
    errors: [...adminErrors, 'IncorrectLicense', 'LicenseExpired'],
  },
  checkVersion: {
    summary: 'Whether a newer version is available, according to the configured address',
    who: 'admin',
    reply: z.object({
      current: z.string().meta(like('0.1.0')),
      latest: z.string().nullable().meta(like('0.2.0')),
      url: z.string().nullable().meta(like('https://www.example.org/vidette/0.2.0')),
    }),
    errors: adminErrors,
  },

  listClusterNodes: {
    summary: 'Nodes of the cluster',
    who: 'admin',
    needsEnterprise: 'cluster',
    reply: pageOf(ClusterNode),
    errors: clusterErrors,
  },
  listNodeChoices: {
    summary: 'Nodes to which a stream can be assigned',
    who: 'user',
    reply: z.object({
      items: z.array(
        z.object({ id: z.string(), name: z.string().meta(like('Gate')), available: z.boolean() }),
      ),
    }),
    errors: ['AuthorizationRequired'],
  },
  getClusterNode: {
    summary: 'One node',
    who: 'admin',
    needsEnterprise: 'cluster',
    params: node,
    reply: ClusterNode,
    errors: clusterErrors,
  },
  saveClusterNode: {
    summary: 'Renames a node',
    who: 'admin',
    needsEnterprise: 'cluster',
    params: node,
    body: z.strictObject({ name: Name.meta(like('Gate')) }),
    reply: ClusterNode,
    errors: clusterErrors,
  },
  deleteClusterNode: {
    summary: 'Removes a node that no longer exists',
    who: 'admin',
    needsEnterprise: 'cluster',
    params: node,
    reply: Done,
    errors: [...clusterErrors, 'ActionNotAcceptable'],
  },
  drainClusterNode: {
    summary:
      'Drains a node: moves its streams to the others, or stops them if there are none, until the node is returned to service',
    who: 'admin',
    needsEnterprise: 'cluster',
    params: node,
    reply: ClusterNode,
    errors: clusterErrors,
  },
  returnClusterNode: {
    summary: 'Returns a drained node to service',
    who: 'admin',
    params: node,
    reply: ClusterNode,
    errors: clusterErrors,
  },
  listClusterInvitations: {
    summary: 'Unused codes with which a server can join',
    who: 'admin',
    needsEnterprise: 'cluster',
    reply: pageOf(ClusterInvitation).extend({
      address: z
        .string()
        .nullable()
        .describe(
          'The address that a server needs together with its code to join; null: there is no shared database',
        ),
    }),
    errors: clusterErrors,
  },
  addClusterInvitation: {
    summary: 'Creates a code with which one server can join the cluster, once, within a quarter of an hour',
    who: 'admin',
    needsEnterprise: 'cluster',
    proof: 'password',
    reply: ClusterInvitation.extend({
      code: z
        .string()
        .describe('Returned only this once; only a hash of it can be looked up')
        .meta(like('7KQW-M3XP')),
      address: z.string(),
    }),
    errors: [...clusterErrors, 'PasswordRequired', 'ActionNotAcceptable'],
  },
  deleteClusterInvitation: {
    summary: 'Revokes a code',
    who: 'admin',
    needsEnterprise: 'cluster',
    params: z.strictObject({ id: z.string().min(1).max(128) }),
    reply: Done,
    errors: clusterErrors,
  },

  getAdminStats: {
    summary: 'Metrics of the server with their recent history',
    who: 'admin',
    reply: z.object({ now: ServerStats, histories: z.array(History) }),
    errors: adminErrors,
  },
  getConfiguration: {
    summary: 'The configuration, its schema, and the keys that need a restart; secrets are masked',
    who: 'admin',
    audited: true,
    reply: z.object({
      values: z.record(z.string(), z.unknown()).meta(like({ 'archive.quotaBytes': 500_000_000_000 })),
      schema: z.record(z.string(), z.unknown()),
      restartKeys: z
        .array(z.string())
        .describe('Keys that take effect at the next start; all others take effect immediately')
        .meta(like(['port'])),
      environmentKeys: z
        .array(z.string())
        .describe('Keys set by the environment, which cannot be changed here')
        .meta(like(['host'])),
      pendingRestart: z.boolean(),
    }),
    errors: adminErrors,
  },
  saveConfiguration: {
    summary: 'Changes the given keys; a masked secret that is sent back stays unchanged',
    who: 'admin',
    proof: 'password',
    body: z.strictObject({
      values: z.record(z.string(), z.unknown()).meta(like({ 'archive.quotaBytes': 500_000_000_000 })),
    }),
    reply: z.object({ pendingRestart: z.boolean() }),
    errors: [...adminErrors, 'PasswordRequired'],
  },
  listAuditLogs: {
    summary: 'Who did what, newest first',
    who: 'admin',
    query: z.strictObject({
      before: z
        .int()
        .min(1)
        .optional()
        .describe('The last entry of the previous page: only entries that follow it are returned'),
      pageSize: z.int().min(1).max(limits.pageSizeMax).default(limits.pageSizeDefault),
      user: z.string().max(limits.loginMaxLength).optional(),
      action: z.string().max(limits.tagMaxLength).optional(),
      target: z
        .string()
        .max(limits.nameMaxLength)
        .optional()
        .describe('The object itself, as by its uid, or what it was called then'),
      onlyPeople: z
        .boolean()
        .default(false)
        .describe('Only what people did: no calls by API token, no still images, no commands over MQTT'),
      from: TimeMs.optional(),
      to: TimeMs.optional(),
    }),
    reply: z.object({ items: z.array(AuditEntry), hasMore: z.boolean() }),
    errors: [...adminErrors, 'AuditLogsDisabled'],
  },

  startTunnel: {
    summary:
      'Opens the tunnel and keeps it open, even across restarts; uses the default location if none is given',
    who: 'admin',
    needsFeature: 'tunnel',
    body: z.strictObject({ location: z.string().max(16).optional().meta(like('RU')) }).optional(),
    targetMember: 'location',
    reply: TunnelStatus,
    errors: [...tunnelErrors, 'NotFound'],
  },
  stopTunnel: {
    summary: 'Closes the tunnel; needs no license',
    who: 'admin',
    reply: TunnelStatus,
    errors: adminErrors,
  },
  getTunnelStatus: {
    summary: 'The state of the tunnel, and the relays it may use',
    who: 'admin',
    needsFeature: 'tunnel',
    reply: TunnelStatus,
    errors: [...adminErrors, 'LicenseExpired', 'FeatureNotFound'],
  },
  getOpenApi: {
    summary: 'The API as an OpenAPI 3.1 document',
    who: 'admin',
    reply: z.record(z.string(), z.unknown()),
    errors: adminErrors,
  },
} as const satisfies Record<string, Call>;
