import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import packageFile from '../../package.json' with { type: 'json' };
import { refusalOfArchive } from './access/archive-refusal.ts';
import { AccessFeed } from './access/access-feed.ts';
import { Authenticator } from './access/authenticator.ts';
import { Identities } from './access/identities.ts';
import { KnownDevices } from './access/known-devices.ts';
import { SignInLimits } from './access/sign-in-limits.ts';
import { PasswordHasher } from './access/password-hash.ts';
import { PasswordProof } from './access/password-proof.ts';
import { Archive } from './archive/archive.ts';
import { objectStorageOptionsOf } from './s3/s3-options.ts';
import type { RetentionRules } from './archive/retention.ts';
import { catalogPath } from './archive/layout.ts';
import { systemClock } from './base/clock.ts';
import { DiskReserve } from './base/disk-reserve.ts';
import { Cluster } from './cluster/cluster.ts';
import { Fault } from './base/fault.ts';
import { Membership } from './cluster/membership.ts';
import { ConfigStore } from './config/config-store.ts';
import type { Config } from './config/schema.ts';
import { Exports } from './export/exports.ts';
import { SigningKey } from './export/signing-key.ts';
import { createHttp } from './http/http.ts';
import { Statistics } from './http/statistics.ts';
import { ClusterInsight, LocalInsight } from './http/stream-insight.ts';
import { SourceProbe } from './http/source-probe.ts';
import { managedSettingsOf } from './http/stream-record.ts';
import { shownSource } from './ingest/address.ts';
import { confinementWords, findConfinement } from './ingest/av/confinement.ts';
import { AvPool } from './ingest/av/pool.ts';
import { SourceEngines } from './ingest/source-engines.ts';
import { SourceProber } from './ingest/source-prober.ts';
import { Transcoding } from './transcoding/transcoding.ts';
import { anyReachesDatabase, noneReachesDatabase } from './rpc/database-probe.ts';
import { NodeAuthenticator } from './rpc/node-authenticator.ts';
import { FederatedArchive } from './rpc/federated-archive.ts';
import { NodeRpc } from './rpc/node-rpc.ts';
import { nodeAddress } from './rpc/node-address.ts';
import { loadNodeKey, passingNodeKey } from './rpc/node-key.ts';
import { Peers } from './rpc/peers.ts';
import { PeerLiveFeed } from './rpc/peer-live-feed.ts';
import { PeerArchive } from './rpc/peer-archive.ts';
import { peerPackage } from './rpc/peer-package.ts';
import { Live } from './live/live.ts';
import type { MotionEvent } from './motion/motion-detector.ts';
import { MotionJournal } from './motion/motion-journal.ts';
import { Snapshots, type Render } from './engine/snapshots.ts';
import { StreamManager, type OnStreamState } from './engine/stream-manager.ts';
import { databasePlace, openClusterTables } from './store/open-database.ts';
import type { ClusterTables } from './store/cluster-tables.ts';
import type { Stream } from './hub/stream.ts';
import { Store } from './store/store.ts';
import { AccountEmails } from './system/account-emails.ts';
import { AuditLog } from './system/audit-log.ts';
import { HealthMonitor } from './system/health.ts';
import { LicenseService } from './system/license.ts';
import { Lock } from './system/lock.ts';
import { LogRing } from './system/log-ring.ts';
import { Mailer } from './system/mailer.ts';
import { PasswordReset } from './system/password-reset.ts';
import { SetupCode } from './system/setup-code.ts';
import { SetupConsent } from './system/setup-consent.ts';
import { StatusWriter } from './system/status-writer.ts';
import { Tunnel } from './tunnel/tunnel.ts';
import { WatchLog } from './system/watch-log.ts';
import { VersionCheck } from './system/version-check.ts';

const pageDir = fileURLToPath(new URL('../../ui/dist', import.meta.url));
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

type Closer = () => unknown;

interface Assembled {
  readonly url: string;
  readonly reload: () => void;
}

/**
 * The whole application, wired. This is the only place that knows every module. What was opened is closed in
 * reverse order: the server stops accepting connections, sources and recorders end, then archive and database
 * (design/closures.md).
 */
export class App {
  /** Address of the page, as in `http://localhost:8080/ui/`. */
  readonly url: string;
  readonly #closers: readonly Closer[];
  readonly #reload: () => void;
  #closed: Promise<void> | undefined;

  private constructor({ url, reload }: Assembled, closers: readonly Closer[]) {
    this.url = url;
    this.#reload = reload;
    this.#closers = closers;
  }

  /**
   * Opens everything, listens, and starts the streams. `env` is what the configuration was read with; `print`
   * shows a line to the operator at the console. When a later step fails, what is already open is closed again.
   * `fail` is called when the server must stop.
   */
  static async start(
    config: Config,
    env: Readonly<Record<string, string | undefined>>,
    print: (line: string) => void,
    fail: (reason: string) => void,
  ): Promise<App> {
    const closers: Closer[] = [];
    try {
      return new App(await assemble(new ConfigStore(config, env), print, fail, closers), closers);
    } catch (error) {
      await closeAll(closers);
      throw error;
    }
  }

  /** Reloads what is kept in files: the configuration and the certificate. Errors in them are logged. */
  reload(): void {
    this.#reload();
  }

  /** Graceful stop: every open GOP is on the disk when it resolves. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= closeAll(this.#closers);
    return this.#closed;
  }
}

async function assemble(
  configStore: ConfigStore,
  print: (line: string) => void,
  fail: (reason: string) => void,
  closers: Closer[],
): Promise<Assembled> {
  const { config } = configStore;
  const clock = systemClock;
  const logRing = new LogRing(clock);
  // Lines for the operator go to standard output, structured logs to standard error.
  const lines = pino({ level: config.log.level, base: null }, pino.destination({ dest: 2, sync: false }));
  const log = logRing.tee(lines);
  const archiveDir = resolve(config.dataDir, config.archive.folder ?? 'archive');

  const store = await Store.open({ ...databasePlace(config), redact: shownSource, log });
  closers.push(() => store.close());
  await store.renewSearch();
  const reserve = await DiskReserve.keep(config.dataDir, clock, log);
  closers.push(() => reserve.close());
  const license = await LicenseService.open({
    settings: store.settings,
    clock,
    vendorKey: config.license.vendorKey,
  });
  const audit = new AuditLog({
    audit: store.audit,
    clock,
    log,
    isEnabled: config.audit.enabled,
    keepDays: config.audit.days,
    // The archive, which opens next, keeps a lower bound of the current time.
    nowMs: () => archive.retention.cautiousNowMs,
  });
  closers.push(() => audit.close());
  const watchLog = new WatchLog(audit, clock);
  closers.push(() => watchLog.close());

  const limits = {
    rangesMaxMs: config.archive.rangesMaxSeconds * 1000,
    playlistMaxMs: config.archive.playlistMaxSeconds * 1000,
    downloadMaxMs: config.archive.downloadMaxSeconds * 1000,
  };
  const archive = await Archive.open({
    dir: archiveDir,
    catalog: catalogPath(join(config.dataDir, 'archive')),
    clock,
    log,
    limits,
    retention: retentionRules(config),
    ...objectStorageOptionsOf(config, clock),
  });
  closers.push(() => archive.close());

  const confinement = findConfinement();
  log[confinement.level === 'none' ? 'warn' : 'info'](
    { confinement: confinement.level },
    confinementWords[confinement.level],
  );
  const av = new AvPool({ clock, log, confinement });
  closers.push(() => av.dispose('the server stops'));
  const engines = new SourceEngines({ clock, av });
  const noFramesMs = config.source.noFramesSeconds * 1000;
  const statuses = new StatusWriter({ streams: store.streams, clock, log });
  closers.push(() => statuses.settle());
  // Of all nodes together: one that is away counts with the time that it was to record.
  const keptSince = async (uid: string) => {
    const hours = streamManager.find(uid)?.settings.depthHours ?? -1;
    const byDepth = hours < 0 ? undefined : archive.retention.cautiousNowMs - hours * hourMs;
    const byFootage = (await archiveReader.period(uid))?.startTime;
    return byDepth === undefined ? byFootage : Math.max(byDepth, byFootage ?? byDepth);
  };
  // Each stream's events belong to the node that has it.
  const uids = () =>
    Array.from(streamManager.streams(), ({ settings }) => settings.uid).filter((uid) => membership.owns(uid));
  const motion = new MotionJournal({ store: store.annotations, clock, log, keptSince, uids });
  closers.push(() => motion.close());
  const onMotion = (uid: string, event: MotionEvent) => {
    if (membership.owns(uid)) motion.note(uid, event);
  };
  const onState: OnStreamState = (uid, state) => {
    // What another node runs, that node reports.
    if (!membership.owns(uid)) return;
    statuses.note(uid, state);
    statistics.noteState(uid, state);
  };
  const self = {
    id: config.node.id,
    capacity: config.node.capacity,
    version: packageFile.version,
    activeStreams: () => streamManager.active,
  };
  const key = config.database === null ? passingNodeKey() : await loadNodeKey(config.dataDir);
  const tables = config.database === null ? undefined : openCluster(config.database, closers);
  const cluster =
    tables === undefined
      ? undefined
      : await Cluster.open({
          ...self,
          publicKey: key.publicBytes.toString('base64url'),
          report: () => ({ activeStreams: streamManager.active, cannotRecord: !archive.canRecord }),
          tables,
          clock,
          log,
          isReady: (uid) => streamManager.find(uid)?.isTakenUp ?? false,
          peerReaches: (ids) => anyReachesDatabase(rpc, ids),
          onChange: async (change) => {
            await license.reload();
            await http.learn(change);
          },
          onExpelled: fail,
        });
  const membership = await Membership.open({
    ...self,
    nodes: store.nodes,
    clock,
    log,
    onChange: () => streamManager.review(),
    cluster,
  });
  closers.push(() => membership.close());
  const peers = new Peers({ self: config.node.id, clock, read: () => cluster?.peers ?? [] });
  const between = { self: config.node.id, key, peers, clock, allowPlainHttp: config.cluster.allowPlainHttp };
  const nodeAuthenticator = new NodeAuthenticator(between);
  closers.push(() => nodeAuthenticator.close());
  const rpc = new NodeRpc({ ...between, ...(cluster && { isThere: (node) => cluster.isThere(node) }) });
  closers.push(() => rpc.close());
  const nodeOf = (uid: string) => membership.nodeElsewhere(uid);
  const peerFeed = (stream: Stream, variant: 'main' | 'sub') =>
    new PeerLiveFeed({ stream, variant, rpc, nodeOf, clock, log });
  const streamManager = new StreamManager({
    clock,
    log,
    archive,
    engines,
    noFramesMs,
    peerFeed,
    acquire: (uid) => membership.acquire(uid),
    permits: (uid, epoch) => membership.permits(uid, epoch),
    reportElsewhere: (uid) => membership.reportElsewhere(uid),
    onState,
    onMotion,
  });
  closers.push(() => streamManager.close());
  const live = new Live({ clock, log });
  const transcoding = new Transcoding({ pool: av, clock, rules: () => config.conversion });
  closers.push(() => transcoding.close());
  const health = new HealthMonitor({
    clock,
    license,
    archiveDir,
    config,
    node: membership,
    isDataDiskFull: () => !reserve.isWhole,
  });
  const statistics = new Statistics({ clock, streamManager, live, archive, health });
  closers.push(() => statistics.close());
  archive.retention.configure({ depthOf: (uid) => streamManager.find(uid)?.settings.depthHours });
  archive.remote?.uploader.configure({
    remoteAfterOf: (uid) => streamManager.find(uid)?.settings.farAfterHours,
  });

  const archiveReader = new FederatedArchive({
    self: config.node.id,
    local: archive,
    clock,
    assignmentsOf: (uid) => store.nodes.assignmentsOf(uid),
    peer: (node) => new PeerArchive(rpc, node, clock),
    limits,
  });
  const exports = new Exports({
    archive: archiveReader,
    records: store.exports,
    clock,
    log,
    key: new SigningKey(store.secret),
    version: packageFile.version,
    node: config.node.id,
    folder: resolve(config.dataDir, config.export.folder ?? 'exports'),
    limits: () => ({
      keepMs: config.export.keepHours * hourMs,
      quotaBytes: config.export.quotaBytes,
      minFreeBytes: config.export.minFreeBytes,
    }),
    elsewhere: (node, id) => peerPackage(rpc, clock, node, id),
    refusal: (userId, uid) => refusalOfArchive(store, userId, uid),
    nowMs: () => archive.retention.cautiousNowMs,
    loginOf: async (userId) => (await store.users.byId(userId))?.login ?? '',
  });
  closers.push(() => exports.close());

  configStore.onApplied(() => {
    lines.level = config.log.level;
    archive.retention.configure(retentionRules(config));
  });

  const renderSnapshot: Render = (track, keySample, maxWidth) => av.snapshot(track, keySample, { maxWidth });
  // Under load a snapshot is late; `Snapshots` serves the last good one meanwhile.
  const renderLate: Render = (track, keySample, maxWidth) =>
    av.snapshot(track, keySample, { maxWidth, deadlineMs: 60_000 });
  const consent = new SetupConsent(config.dataDir);
  const isLocked = (await store.users.countActiveAdmins()) === 0;
  if (!isLocked) await consent.end();
  const lock = new Lock({
    isLocked,
    setupCode: new SetupCode({ clock, print }),
    consent: isLocked && (await archive.wasUsed()) ? consent : undefined,
    clock,
    print,
  });
  closers.push(() => lock.close());
  const authenticator = new Authenticator({
    users: store.users,
    sessions: store.sessions,
    tokens: store.tokens,
    clock,
    log,
    sessionMs: config.session.days * dayMs,
  });
  const passwords = new PasswordHasher();
  const mailer = new Mailer(config);
  const proof = new PasswordProof({
    sessions: store.sessions,
    failures: store.failedAttempts,
    authenticator,
    passwords,
    clock,
  });
  const emails = new AccountEmails({ config, mailer, log });
  closers.push(() => emails.settle());
  const passwordReset = new PasswordReset({
    config,
    store,
    authenticator,
    passwords,
    mailer,
    emails,
    clock,
    log,
  });
  closers.push(() => passwordReset.settle());
  const versionCheck = new VersionCheck({ config, current: packageFile.version, clock, log });
  closers.push(() => versionCheck.close());
  const tunnel = await Tunnel.open({
    config,
    memory: store.settings,
    isAllowed: () => license.allows('tunnel'),
    admit: (connection) => http.admit(connection),
    clock,
    log,
  });
  configStore.onApplied(() => tunnel.reconsider());
  const snapshots = new Snapshots({ render: renderLate, clock });
  const localInsight = new LocalInsight({ streamManager, statistics, snapshots, live, clock });
  const http = await createHttp({
    config,
    configStore,
    version: packageFile.version,
    revision: packageFile.version,
    pageDir,
    clock,
    log,
    logRing,
    store,
    authenticator,
    passwords,
    proof,
    identities: new Identities(store.users),
    knownDevices: new KnownDevices(store.secret),
    signInLimits: new SignInLimits({ failures: store.failedAttempts, clock, log }),
    emails,
    passwordReset,
    lock,
    license,
    health,
    statistics,
    confinement: confinement.level,
    versionCheck,
    audit,
    watchLog,
    membership,
    streamManager,
    statuses,
    archive,
    archiveReader,
    nodeAuthenticator,
    insight: new ClusterInsight({ local: localInsight, rpc, nodeOf }),
    localInsight,
    exports,
    tunnel,
    live,
    transcoding,
    sourceProbe: new SourceProbe({
      prober: new SourceProber({ clock, av, engines }),
      rpc,
      timeoutMs: () => config.source.probeSeconds * 1000,
    }),
    renderSnapshot,
  });
  closers.push(() => http.close());
  const { writes } = store;
  const accessFeed = await AccessFeed.open({
    changes: (tables ?? store).accessChanges,
    clock,
    log,
    onChange: (note) => http.review(note),
    onLost: () => http.endViewers(),
    isFrozen: cluster && (() => noneReachesDatabase(rpc, cluster.peersThere)),
    isQuiet: writes && (() => writes.isQuiet()),
  });
  closers.push(() => accessFeed.close());
  if (config.trustProxy === true) {
    log.warn(
      {},
      'trustProxy: true believes one proxy on any private address: name the addresses of your proxies instead, as in [10.0.0.5]',
    );
  }
  const url = await http.listen();
  if (config.database !== null) {
    const address = nodeAddress(config.cluster.address, config.host, url);
    if (!(await store.nodes.introduce(config.node.id, address, key.publicBytes.toString('base64url')))) {
      throw new Fault(
        'ActionNotAcceptable',
        `The cluster knows a node ${config.node.id} with another key: give this one another node.id, or have that one forgotten.`,
      );
    }
  }
  closers.push(() => tunnel.close());
  tunnel.resume();
  print(`Vidette listens on ${url}`);
  for (const record of await store.streams.all()) {
    // Until now the database holds the states in which the last run ended.
    const { state } = streamManager.apply(managedSettingsOf(record));
    if (membership.owns(record.uid)) statuses.note(record.uid, state);
  }
  await archive.retention.noteDepths();
  cluster?.start();
  // Streams may have been removed while this node was away, or a removal was interrupted.
  http.learn({ saved: [], removed: [], moved: [] }).catch((error: unknown) => {
    log.warn({ err: error }, 'Footage of removed streams is still here: it goes with the next change');
  });
  exports.resume();
  const reload = () => {
    configStore.reload().catch((error: unknown) => {
      log.error({ err: error }, 'The configuration was not read again: what is in force stays');
    });
    http.reload().catch((error: unknown) => log.error({ err: error }, 'The certificate was not read again'));
  };
  return { url, reload };
}

/** On its own connections: leases are renewed however busy the database is. */
function openCluster(url: string, closers: Closer[]): ClusterTables {
  const tables = openClusterTables(url);
  closers.push(() => tables.close());
  return tables;
}

/**
 * The absolute quota in bytes as configured, the one in percent as the space that must stay free on the
 * archive's disk.
 */
function retentionRules(config: Config): RetentionRules {
  const { quotaBytes, quotaPercent } = config.archive;
  return { quotaBytes, remoteQuotaBytes: config.s3.quotaBytes, minFreeShare: 1 - quotaPercent / 100 };
}

/**
 * Closes all in reverse order; one failure doesn't keep the others open, and the first is thrown afterwards.
 */
async function closeAll(closers: readonly Closer[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.toReversed()) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
