import type { Readable } from 'node:stream';
import { Snapshots } from '../engine/snapshots.ts';
import { StreamManager } from '../engine/stream-manager.ts';
import { StreamObservers } from '../engine/stream-observers.ts';
import { Turns } from '../base/turns.ts';
import type { Stream } from '../hub/stream.ts';
import { Live } from '../live/live.ts';
import { MotionJournal } from '../motion/motion-journal.ts';
import { FeedReceiver } from '../feed/feed-receiver.ts';
import type { NodeRpc } from '../rpc/node-rpc.ts';
import { LocalListFigures } from '../statistics/list-figures.ts';
import { Statistics } from '../statistics/statistics.ts';
import { ClusterInsight, LocalInsight, type LocalInsightOptions } from '../streams/stream-insight.ts';
import { SortFigures } from '../streams/sort-figures.ts';
import { SourceProbe } from '../streams/source-probe.ts';
import { EventLoopWatch } from '../system/event-loop-watch.ts';
import { HealthMonitor } from '../system/health.ts';
import { LoadShedding } from '../system/load-shedding.ts';
import { StatusWriter } from '../system/status-writer.ts';
import { Transcoding } from '../transcoding/transcoding.ts';
import type { ClusterArea } from './cluster.ts';
import type { Engines } from './engines.ts';
import { motionStore, openJournal, watchForJournal, type JournalArea } from './journal.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import type { Foundation } from './foundation.ts';
import { opened, type Closer, type Opened } from '../base/opened.ts';
import type { Storage } from './storage.ts';

const hourMs = 3_600_000;

/** The streams of this node, and their readers and metrics. */
export type Media = Opened<Awaited<ReturnType<typeof openMedia>>>;

/** What the media area is made of. */
export interface MediaParts {
  readonly foundation: Foundation;
  readonly engines: Engines;
  readonly storage: Storage;
  readonly ffmpeg: Ffmpeg;
  readonly cluster: ClusterArea;
}

/** Streams start when `StreamManager.apply` receives them. */
export function composeMedia(parts: MediaParts): Promise<Media> {
  return opened((closers) => openMedia(parts, closers));
}

async function openMedia(parts: MediaParts, closers: Closer[]) {
  const { foundation, storage, ffmpeg, cluster } = parts;
  const { config, clock, log, load, archiveDir } = foundation;
  const { store, archive, license, reserve } = storage;
  const { pool, prober } = ffmpeg;
  const { membership, rpc } = cluster;
  const observers = new StreamObservers();
  const streamManager = openStreams(parts, observers);
  const statuses = new StatusWriter({ streams: store.streams, clock, log });
  const journal = openJournal(parts, closers);
  const motion = openMotion(parts, streamManager, journal);
  // Both accept what the streams report until the last stream has ended.
  closers.push(() => statuses.settle());
  closers.push(() => motion.close());
  closers.push(() => streamManager.close());
  archive.retention.configure({ depthOf: (uid) => streamManager.find(uid)?.settings.depthHours });
  archive.objectStorage?.uploader.configure({
    remoteAfterOf: (uid) => streamManager.find(uid)?.settings.farAfterHours,
  });
  const live = new Live({ clock, log, load, audienceElsewhere: parts.engines.audienceOf });
  const transcoding = new Transcoding({ pool, clock, load, rules: () => config.conversion });
  closers.push(() => transcoding.close());
  const isDataDiskFull = () => !reserve.isWhole;
  const health = new HealthMonitor({
    ...{ clock, license, archiveDir, config, node: membership, isDataDiskFull, load },
  });
  const statistics = new Statistics({
    ...{ clock, streamManager, live, archive, health, load },
    engines: () => parts.engines.processes?.engines ?? [],
  });
  closers.push(() => statistics.close());
  const shedding = config.overload.yields ? openLoadShedding(parts) : undefined;
  closers.push(() => shedding?.close());
  // A stream that another node runs is reported by that node.
  const own = { isMeant: (uid: string) => membership.owns(uid) };
  observers.add({ ...own, onState: (uid, state) => statuses.note(uid, state) });
  observers.add({ ...own, onState: (uid, state) => statistics.noteState(uid, state) });
  observers.add({ ...own, onMotion: (uid, event) => motion.note(uid, event) });
  const systemWatch = watchForJournal(parts, { ...journal, streamManager, observers, health }, closers);
  membership.attach({ activeStreams: () => streamManager.active, review: () => streamManager.review() });
  const timeoutMs = () => config.source.probeSeconds * 1000;
  const sourceProbe = new SourceProbe({ prober, rpc, timeoutMs });
  return {
    ...{ streamManager, observers },
    statuses,
    live,
    transcoding,
    health,
    statistics,
    ...openInsight(parts, { streamManager, statistics, live }),
    sourceProbe,
    systemWatch,
    ...journal,
  };
}

/** What this node, and what all nodes know of running streams. */
function openInsight(
  { foundation, storage, ffmpeg, cluster }: MediaParts,
  running: Pick<LocalInsightOptions, 'streamManager' | 'statistics' | 'live'>,
) {
  const { clock, load } = foundation;
  const { membership, rpc, peers } = cluster;
  const snapshots = new Snapshots({ render: ffmpeg.renderLate, clock, load });
  const localInsight = new LocalInsight({ ...running, snapshots, clock });
  const nodeOf = (uid: string) => membership.nodeElsewhere(uid);
  const owns = (uid: string) => membership.owns(uid);
  const localFigures = new LocalListFigures({ ...running, owns, archive: storage.archive });
  return {
    localInsight,
    insight: new ClusterInsight({ local: localInsight, rpc, nodeOf }),
    localFigures,
    sortFigures: new SortFigures({ clock, local: localFigures, rpc, peers }),
  };
}

/** Measures what records, wherever that is, and decides what waits. */
function openLoadShedding({
  foundation,
  engines: { processes, reported },
  storage: { archive },
}: MediaParts) {
  const { clock, log, load } = foundation;
  const eventLoop = new EventLoopWatch(clock);
  const shedding = new LoadShedding({
    ...{ clock, log, load },
    figures: () => {
      const recorders = reported?.running ?? archive.recorders.running;
      const waiting = Array.from(recorders.values(), ({ status }) => status.waiting);
      const own = eventLoop.takeLongestMs();
      const vitals = processes?.engines.map((engine) => engine.vitals);
      const delays = vitals?.map((now) => now?.eventLoopDelayMs ?? 0) ?? [own];
      const backlogs = vitals?.map((now) => now?.backlogShare ?? 0) ?? [archive.recorders.backlogShare];
      return {
        eventLoopDelayMs: Math.max(0, ...delays),
        writeDelayMs: waiting.reduce((most, now) => Math.max(most, now?.ms ?? 0), 0),
        waitingBytes: waiting.reduce((most, now) => Math.max(most, now?.bytes ?? 0), 0),
        backlogPercent: 100 * Math.max(0, ...backlogs),
      };
    },
  });
  return {
    close() {
      shedding.close();
      eventLoop.close();
    },
  };
}

function openStreams(parts: MediaParts, observers: StreamObservers): StreamManager {
  const { foundation, engines, storage, ffmpeg, cluster } = parts;
  const { config, clock, log, load } = foundation;
  const { membership, rpc } = cluster;
  const { processes } = engines;
  const nodeOf = (uid: string) => membership.nodeElsewhere(uid);
  const connection = (uid: string, variant: 'main' | 'sub') => (signal: AbortSignal) =>
    processes?.live(uid, variant, signal) ?? peerConnection(rpc, nodeOf(uid), { uid, variant, signal });
  const turns = new Turns();
  const streamManager = new StreamManager({
    clock,
    log,
    load,
    nextTurn: processes ? undefined : () => turns.next(),
    recorders: storage.archive.recorders,
    engines: ffmpeg.engines,
    host: processes,
    noFramesMs: config.source.noFramesSeconds * 1000,
    peerFeed: (stream: Stream, variant) =>
      new FeedReceiver({ stream, connect: connection(stream.uid, variant), clock, log }),
    acquire: (uid) => (processes ? undefined : membership.acquire(uid)),
    permits: (uid, epoch) => membership.permits(uid, epoch),
    reportElsewhere: (uid) => membership.reportElsewhere(uid) ?? processes?.reportedState(uid),
    onState: (uid, state) => observers.noteState(uid, state),
    onMotion: (uid, event) => observers.noteMotion(uid, event),
  });
  beginEngines(parts, streamManager, observers);
  return streamManager;
}

/** Streams that are assigned from here on run in engine processes, if there are any. */
function beginEngines(
  { foundation, engines, ffmpeg: { confinement }, cluster: { membership } }: MediaParts,
  streamManager: StreamManager,
  observers: StreamObservers,
): void {
  const { config, archiveDir, catalog, logRing } = foundation;
  const { processes, reported } = engines;
  const noFramesMs = config.source.noFramesSeconds * 1000;
  processes?.begin(
    {
      ...{ archiveDir, catalog, noFramesMs, logLevel: config.log.level },
      ...{ isLeased: config.database !== null, confinement },
    },
    {
      acquire: (uid) => membership.acquire(uid),
      causeOf: (uid) => (membership.reportElsewhere(uid) ? 'moved' : 'drained'),
      onState: (uid) => streamManager.find(uid)?.review(),
      onPastState: (uid, state, atMs) => observers.notePastState(uid, state, atMs),
      onMotion: (uid, event) => observers.noteMotion(uid, event),
      onReport: (uid, report) => reported.note(uid, report?.recorder),
      onLine: (level, message, fields) => logRing.note(level, { ...fields }, message),
    },
  );
}

/** Connects to the node that runs a stream; undefined while none does. */
function peerConnection(
  rpc: Pick<NodeRpc, 'ask'>,
  node: string | undefined,
  { uid, variant, signal }: { uid: string; variant: 'main' | 'sub'; signal: AbortSignal },
): Promise<Readable> | undefined {
  if (node === undefined) return undefined;
  return rpc.ask(node, { path: `live/${uid}?picture=${variant}`, signal });
}

/** Events of the streams of this node, kept as long as their footage. */
function openMotion(
  { foundation, storage, cluster }: MediaParts,
  streamManager: StreamManager,
  journal: JournalArea,
): MotionJournal {
  const { clock, log } = foundation;
  const { archive } = storage;
  const { membership, archiveReader } = cluster;
  // For all nodes together: an offline node counts with the time for which it was assigned.
  const keptSince = async (uid: string) => {
    const hours = streamManager.find(uid)?.settings.depthHours ?? -1;
    const byDepth = hours < 0 ? undefined : archive.retention.cautiousNowMs - hours * hourMs;
    const byFootage = (await archiveReader.period(uid))?.startTime;
    return byDepth === undefined ? byFootage : Math.max(byDepth, byFootage ?? byDepth);
  };
  const uids = () =>
    Array.from(streamManager.streams(), ({ settings }) => settings.uid).filter((uid) => membership.owns(uid));
  return new MotionJournal({ store: motionStore(storage, journal), clock, log, keptSince, uids });
}
