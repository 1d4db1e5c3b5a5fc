import { resolve } from 'node:path';
import { refusalOfArchive } from '../access/archive-refusal.ts';
import { Fault } from '../base/fault.ts';
import { RuleExporter } from '../events/rule-exports.ts';
import { Exports } from '../export/exports.ts';
import { SigningKey } from '../export/signing-key.ts';
import { FootageHolds } from '../recordings/footage-holds.ts';
import { ChangeSearches } from '../recordings/change-searches.ts';
import { peerPackage } from '../rpc/peer-package.ts';
import { LiveSessions } from '../streams/live-sessions.ts';
import { SharedViewers } from '../streams/shared-viewers.ts';
import { StreamService } from '../streams/stream-service.ts';
import { VersionCheck } from '../system/version-check.ts';
import type { Access } from './access.ts';
import type { ClusterArea } from './cluster.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import type { Engines } from './engines.ts';
import { openEvents } from './events.ts';
import type { Foundation } from './foundation.ts';
import type { Media } from './media.ts';
import { openMqtt } from './mqtt.ts';
import { openDeliveries } from './notifications.ts';
import { opened, type Closer, type Opened } from '../base/opened.ts';
import type { Storage } from './storage.ts';

const hourMs = 3_600_000;

/** The areas that calls of the API act on. */
export interface Areas {
  readonly foundation: Foundation;
  readonly engines: Engines;
  readonly storage: Storage;
  readonly ffmpeg: Ffmpeg;
  readonly cluster: ClusterArea;
  readonly media: Media;
  readonly access: Access;
}

/** What the API calls do. */
export type AppServices = Opened<Awaited<ReturnType<typeof openServices>>>;

export function composeServices(areas: Areas): Promise<AppServices> {
  return opened((closers) => openServices(areas, closers));
}

async function openServices(areas: Areas, closers: Closer[]) {
  const { foundation, storage, cluster, media, access } = areas;
  const { config, clock, log, version } = foundation;
  const { store } = storage;
  const exports = openExports(areas);
  closers.push(() => exports.close());
  openRuleExports(areas, exports, closers);
  const footageHolds = openHolds(areas, closers);
  const versionCheck = new VersionCheck({ config, current: version, clock, log });
  closers.push(() => versionCheck.close());
  const { authenticator } = access;
  const liveSessions = new LiveSessions({ store, authenticator, transcoding: media.transcoding, clock, log });
  const changeSearches = new ChangeSearches({
    ...{ config, clock, log, liveSessions },
    load: foundation.load,
    watchLog: storage.watchLog,
    pool: areas.ffmpeg.pool,
    archiveReader: cluster.archiveReader,
  });
  const streamService = new StreamService({
    config,
    clock,
    store,
    streamManager: media.streamManager,
    statuses: media.statuses,
    license: storage.license,
    liveSessions,
    membership: cluster.membership,
  });
  const eventStreams = openEvents(areas, streamService, closers);
  const broker = openMqtt(areas, streamService, closers);
  const notifications = openDeliveries(areas, broker, closers);
  const sharedViewers = new SharedViewers({ streams: store.streams, log });
  return {
    exports,
    footageHolds,
    changeSearches,
    versionCheck,
    liveSessions,
    streamService,
    sharedViewers,
    eventStreams,
    ...notifications,
    broker,
  };
}

/** Starts the exports that rules want, as their owners could now. */
function openRuleExports({ foundation, storage }: Areas, exports: Exports, closers: Closer[]): void {
  const { clock, log } = foundation;
  const { store, license } = storage;
  const exporter = new RuleExporter({
    store,
    clock,
    log,
    start: async ({ userId, uid, streamName, ...span }) => {
      license.requireValid();
      const refusal = await refusalOfArchive(store, userId, uid);
      if (refusal) throw new Fault(refusal, 'The owner of the rule may not watch this archive.');
      await exports.add({ userId, streams: [{ uid, name: streamName }], ...span });
    },
  });
  exporter.start();
  closers.push(() => exporter.close());
}

/** Each node keeps what rules hold of the footage that it has. */
function openHolds({ foundation, storage, media }: Areas, closers: Closer[]): FootageHolds {
  const { clock, log } = foundation;
  const { store, archive } = storage;
  const { journalWriter } = media;
  const nowMs = () => archive.retention.cautiousNowMs;
  const holds = new FootageHolds({ store, journalWriter, clock, log, nowMs });
  archive.retention.configure({ holds });
  holds.start();
  closers.push(() => holds.close());
  return holds;
}

function openExports({ foundation, storage, cluster, media, ffmpeg }: Areas): Exports {
  const { config, clock, log, load, version } = foundation;
  const { store, archive } = storage;
  const { archiveReader, rpc } = cluster;
  const loginOf = async (userId: number) => (await store.users.byId(userId))?.login ?? '';
  return new Exports({
    archive: archiveReader,
    records: store.exports,
    clock,
    load,
    log,
    key: new SigningKey(store.secret),
    version,
    node: config.node.id,
    pool: ffmpeg.pool,
    hasFfmpeg: ffmpeg.hasFfmpeg,
    folder: resolve(config.dataDir, config.export.folder ?? 'exports'),
    limits: () => ({
      keepMs: config.export.keepHours * hourMs,
      quotaBytes: config.export.quotaBytes,
      minFreeBytes: config.export.minFreeBytes,
    }),
    elsewhere: (node, id) => peerPackage(rpc, clock, node, id),
    refusal: (userId, uid) => refusalOfArchive(store, userId, uid),
    nowMs: () => archive.retention.cautiousNowMs,
    loginOf,
    onReady: async ({ id, userId, name, streams }, bytes) => {
      const [only, ...others] = streams;
      const detail = { subject: name, user: await loginOf(userId), figures: { export: id, bytes } };
      const startMs = clock.wallMs();
      const uid = others.length === 0 && only ? only.uid : null;
      await media.journalWriter.write([
        { type: 'put', kind: 'export-made', uid, key: String(id), startMs, endMs: null, userId, detail },
      ]);
    },
  });
}
