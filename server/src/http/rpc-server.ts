import { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { limits } from '@vidette/contract/constants';
import { Attempts } from '../access/attempts.ts';
import type {
  CatalogSlice,
  RecordedDay,
  RecordingStats,
  SegmentBytes,
  SliceSpan,
  TimeZone,
  WantedBytes,
} from '../archive/read/read.ts';
import { isUid } from '../archive/segments/segments.ts';
import { Fault } from '../base/fault.ts';
import type { AuthResult, NodeAuthenticator } from '../rpc/node-authenticator.ts';
import { parseSourceAddress } from '../dial/address.ts';
import { Invitations, joinPath } from '../rpc/invitation.ts';
import { databaseProbePath, type DatabaseProbe } from '../rpc/database-probe.ts';
import { channelOf } from '../rpc/node-rpc.ts';
import { type FootageArea, readSpans } from '../rpc/peer-archive.ts';
import { LiveFeed } from '../feed/live-feed.ts';
import { claimHeader, rpcPath, proofHeader } from '../rpc/signature.ts';
import { faultOf, logFault, sendFault } from './failure.ts';
import { readJson } from './json-body.ts';
import type { Config } from '../config/schema.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Store } from '../store/store.ts';
import type { LicenseService } from '../system/license.ts';
import type { Membership } from '../cluster/membership.ts';
import type { StreamManager } from '../engine/stream-manager.ts';
import type { Archive } from '../archive/archive.ts';
import type { Exports } from '../export/exports.ts';
import type { LocalListFigures } from '../statistics/list-figures.ts';
import type { LocalInsight } from '../streams/stream-insight.ts';
import { sourceSnapshotPath, sourceReportPath, type SourceProbe } from '../streams/source-probe.ts';

/** The dependencies of the calls that other nodes may make. */
export interface NodeLinkServices {
  readonly config: Pick<Config, 'database' | 'cluster' | 'node'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Pick<Store, 'nodes' | 'secret' | 'settings'>;
  readonly license: LicenseService;
  readonly membership: Membership;
  readonly streamManager: StreamManager;
  /** Of this node. */
  readonly archive: Pick<Archive, 'reader' | 'imported'>;
  readonly exports: Exports;
  /** Of streams that this node runs. */
  readonly localInsight: LocalInsight;
  readonly localFigures: LocalListFigures;
  readonly nodeAuthenticator: NodeAuthenticator;
  readonly sourceProbe: SourceProbe;
}

/**
 * The calls that other nodes of the cluster may make to this one: only to show and to read. The node that the
 * user is connected to has already authorised the request (design/cluster.md, "RPC between nodes").
 */
export async function serveNodeLink(server: FastifyInstance, services: NodeLinkServices): Promise<void> {
  await server.register(
    async (scope) => {
      requireNodes(scope, services);
      serveLive(scope, services);
      serveArchive(scope, services);
      serveExports(scope, services);
      serveInsight(scope, services);
      serveSources(scope, services);
      scope.get(databaseProbePath, (): DatabaseProbe => ({
        reachesDatabase: services.membership.reachesDatabase,
      }));
    },
    { prefix: rpcPath },
  );
  await server.register(async (scope) => serveJoining(scope, services), { prefix: rpcPath });
}

function requireNodes(scope: FastifyInstance, { nodeAuthenticator, log }: NodeLinkServices): void {
  const authResults = new WeakMap<FastifyRequest, AuthResult>();
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body));
  scope.addHook('preHandler', async (request) => {
    // A client that comes through the tunnel is not a node.
    if (!(request.raw.socket instanceof Socket))
      throw new Fault('NotFound', 'There is nothing at this address.');
    const authResult = await nodeAuthenticator.admit(request.headers[claimHeader], {
      method: request.method,
      path: request.url,
      body: request.body instanceof Uint8Array ? request.body : new Uint8Array(),
      channel: channelOf(request.raw.socket),
    });
    authResults.set(request, authResult);
    if (authResult.refusal) throw authResult.refusal;
  });
  scope.addHook('onSend', (request, reply, payload, done) => {
    const authResult = authResults.get(request);
    if (authResult) {
      const channel = channelOf(request.raw.socket);
      void reply.header(proofHeader, nodeAuthenticator.proofFor(authResult.claim, reply.statusCode, channel));
    }
    void reply.header('cache-control', 'no-store');
    done(null, payload);
  });
  scope.setErrorHandler((error, request, reply) => {
    const fault = faultOf(error);
    logFault(log, fault, { method: request.method, url: request.url });
    return sendFault(reply, fault, 'en');
  });
}

/**
 * The only call for a server that is not a node yet: it has a code, with which the whole exchange is sealed.
 */
function serveJoining(scope: FastifyInstance, services: NodeLinkServices): void {
  const { store, license, config, clock, log } = services;
  const invitations = new Invitations({ settings: store.settings, secret: store.secret, clock });
  const attempts = new Attempts(clock, { max: 10, windowMs: 60_000 });
  scope.post(joinPath, { bodyLimit: limits.openBodyMaxBytes }, async (request, reply) => {
    try {
      const { database } = config;
      if (database === null) throw new Fault('NotFound', 'This server is not in a cluster.');
      attempts.check(request.ip);
      attempts.add(request.ip);
      license.requireEnterprise('cluster');
      const { applicant, answer } = await invitations.take(parsed(Question, request));
      const { node, publicKey } = Application.parse(applicant);
      if (!(await store.nodes.welcome(node, publicKey, clock.wallMs()))) {
        throw new Fault('AlreadyUsed', 'A node with this name already exists.');
      }
      log.info({ node }, 'A node has joined the cluster');
      return { sealed: answer({ database, secret: Buffer.from(store.secret).toString('base64url') }) };
    } catch (error) {
      const isNonsense = error instanceof z.ZodError;
      return sendFault(
        reply,
        isNonsense ? new Fault('BadRequest', 'This is not a valid join request.') : faultOf(error),
        'en',
      );
    }
  });
}

const Question = z.strictObject({
  invitation: z.string().regex(/^[0-9a-f]{64}$/),
  sealed: z.string().max(4_096),
});
const Application = z.object({
  node: z.string().regex(/^[A-Za-z0-9._-]{1,64}$/),
  publicKey: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
});

function serveLive(scope: FastifyInstance, { streamManager, membership, clock }: NodeLinkServices): void {
  scope.get('live/:uid', (request, reply) => {
    const uid = uidOf(request);
    const running = streamManager.get(uid);
    // Never forwarded to a third node: the caller looks up again where the stream is.
    if (membership.acquire(uid) === undefined)
      throw new Fault('Unavailable', 'This node does not run the stream.');
    const { stream, demand } = (queryOf(request)['picture'] === 'sub' ? running.sub : undefined) ?? running;
    const feed = new LiveFeed(stream, clock);
    const release = demand.addViewer();
    feed.once('close', release);
    return reply.type('application/octet-stream').send(feed);
  });
}

function serveArchive(scope: FastifyInstance, { archive: { reader, imported } }: NodeLinkServices): void {
  serveFootage(scope, 'footage', {
    piece: (uid, span) => reader.anySlice(uid, span),
    stats: (uid) => reader.stats(uid),
    days: (...asked) => reader.recordedDays(...asked),
    openSegment: (uid, ticks, wanted) => reader.openSegment(uid, ticks, wanted),
  });

  scope.get('footage/:uid/recorded', (request) =>
    reader.recorded(uidOf(request), readSpans(queryOf(request)['spans'] ?? '')),
  );

  scope.get('footage/:uid/loss', (request) => {
    const { hours } = queryOf(request);
    return reader.loss(uidOf(request), hours === undefined ? undefined : number(hours));
  });

  scope.get('imported', () => ({ streams: imported.uids() }));

  serveFootage(scope, 'imported', {
    piece: (uid, span) => imported.piece(uid, span),
    stats: (uid) => imported.stats(uid),
    days: (...asked) => imported.days(...asked),
    openSegment: (uid, ticks) => imported.openSegment(uid, number(ticks)),
  });
}

/** Recordings that are on this node. */
interface FootageHere {
  /** A part of the catalog, from the beginning of the span. */
  readonly piece: (uid: string, span: SliceSpan) => Promise<CatalogSlice>;
  readonly stats: (uid: string) => RecordingStats | Promise<RecordingStats>;
  readonly days: (uid: string, startMs: number, endMs: number, zone: TimeZone) => Promise<RecordedDay[]>;
  readonly openSegment: (uid: string, ticks: string, wanted?: WantedBytes) => Promise<SegmentBytes>;
}

function serveFootage(scope: FastifyInstance, area: FootageArea, here: FootageHere): void {
  scope.get(`${area}/:uid`, (request) => {
    const query = queryOf(request);
    return here.piece(uidOf(request), {
      fromTicks: number(query['from']),
      toTicks: number(query['to']),
      withFragments: query['fragments'] === '1',
      ...(query['join'] !== undefined && { joinTicks: number(query['join']) }),
    });
  });

  scope.get(`${area}/:uid/stats`, (request) => here.stats(uidOf(request)));

  scope.get(`${area}/:uid/days`, (request) => {
    const query = queryOf(request);
    const zone = query['zone'] ?? '0';
    const startMs = number(query['start']);
    const isOffset = /^-?\d+$/.test(zone);
    return here.days(uidOf(request), startMs, number(query['end']), isOffset ? Number(zone) : zone);
  });

  scope.get(`${area}/:uid/segment/:ticks/size`, async (request) => {
    const bytes = await here.openSegment(uidOf(request), paramsOf(request)['ticks'] ?? '');
    await bytes.close();
    return { size: bytes.size, isGrowing: bytes.isGrowing };
  });

  scope.get(`${area}/:uid/segment/:ticks`, async (request, reply) => {
    const query = queryOf(request);
    const [start, end] = [number(query['start']), number(query['end'])];
    const bytes = await here.openSegment(uidOf(request), paramsOf(request)['ticks'] ?? '', () => ({
      start,
      end,
    }));
    if (start > end || end >= bytes.size) {
      await bytes.close();
      throw new Fault('BadRequest', 'The range is beyond the end of the segment.');
    }
    void reply.header('content-length', String(end - start + 1));
    return reply.type('application/octet-stream').send(await bytes.stream(start, end));
  });
}

/** Packages that are stored here. */
function serveExports(scope: FastifyInstance, { exports }: NodeLinkServices): void {
  scope.get('export/:id/size', async (request) => {
    const { bytes } = await exports.packageHere(number(paramsOf(request)['id']));
    return { bytes };
  });

  scope.get('export/:id', async (request, reply) => {
    const query = queryOf(request);
    const [start, end] = [number(query['start']), number(query['end'])];
    const found = await exports.packageHere(number(paramsOf(request)['id']));
    if (start > end || end >= found.bytes) {
      throw new Fault('BadRequest', 'The range is beyond the end of the package.');
    }
    void reply.header('content-length', String(end - start + 1));
    return reply.type('application/octet-stream').send(await found.stream(start, end));
  });
}

function serveInsight(scope: FastifyInstance, { localInsight, localFigures }: NodeLinkServices): void {
  scope.get('figures', async () => ({
    streams: Array.from(await localFigures.all(), ([uid, figures]) => ({ uid, ...figures })),
  }));

  scope.get('stream/:uid/stats', (request) => {
    return localInsight.stats(uidOf(request), queryOf(request)['language'] === 'ru' ? 'ru' : 'en');
  });

  scope.get('stream/:uid/logs', (request) => {
    return localInsight.logs(uidOf(request), number(queryOf(request)['after']));
  });

  scope.get('stream/:uid/picture', async (request, reply) => {
    const snapshot = await localInsight.snapshot(uidOf(request), number(queryOf(request)['width']));
    void reply.header('x-picture-time', String(snapshot.timeMs));
    return reply.type('image/jpeg').send(Buffer.from(snapshot.jpeg));
  });
}

/** The address comes from a node that has checked whether its user may probe it. */
function serveSources(scope: FastifyInstance, { sourceProbe }: NodeLinkServices): void {
  const lookOf = (request: FastifyRequest, reply: FastifyReply) => {
    const { address, allowLoopback } = parsed(Source, request);
    return { address: parseSourceAddress(address), allowLoopback, signal: goneSignal(reply) };
  };
  scope.post(sourceReportPath, (request, reply) => sourceProbe.reportHere(lookOf(request, reply)));
  scope.post(sourceSnapshotPath, async (request, reply) => {
    const jpeg = await sourceProbe.snapshotHere(lookOf(request, reply));
    return reply.type('image/jpeg').send(Buffer.from(jpeg));
  });
}

const Source = z.object({ address: z.string().max(4_096), allowLoopback: z.boolean() });

/** @throws Fault BadRequest */
function parsed<T>(schema: z.ZodType<T>, request: FastifyRequest): T {
  try {
    return schema.parse(readJson(request.body as Uint8Array));
  } catch (cause) {
    throw new Fault('BadRequest', 'The request is not valid.', { cause });
  }
}

/** Aborted when the calling node stops waiting. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort());
  return controller.signal;
}

function uidOf(request: FastifyRequest): string {
  const uid = paramsOf(request)['uid'] ?? '';
  if (!isUid(uid)) throw new Fault('BadRequest', 'The uid is not valid.');
  return uid;
}

function paramsOf(request: FastifyRequest): Record<string, string> {
  return request.params as Record<string, string>;
}

function queryOf(request: FastifyRequest): Record<string, string | undefined> {
  return request.query as Record<string, string>;
}

function number(text: string | undefined): number {
  if (text === undefined || !/^\d{1,16}$/.test(text))
    throw new Fault('BadRequest', 'The number is not valid.');
  return Number(text);
}
