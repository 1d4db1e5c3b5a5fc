import { Snapshots } from '../engine/snapshots.ts';
import { StreamManager } from '../engine/stream-manager.ts';
import { StreamObservers } from '../engine/stream-observers.ts';
import type { Stream } from '../hub/stream.ts';
import { Live } from '../live/live.ts';
import { MotionJournal } from '../motion/motion-journal.ts';
import { PeerLiveFeed } from '../rpc/peer-live-feed.ts';
import { Statistics } from '../statistics/statistics.ts';
import { ClusterInsight, LocalInsight } from '../streams/stream-insight.ts';
import { SourceProbe } from '../streams/source-probe.ts';
import { HealthMonitor } from '../system/health.ts';
import { StatusWriter } from '../system/status-writer.ts';
import { Transcoding } from '../transcoding/transcoding.ts';
import type { ClusterArea } from './cluster.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import type { Foundation } from './foundation.ts';
import { opened, type Closer, type Opened } from '../base/opened.ts';
import type { Storage } from './storage.ts';

const hourMs = 3_600_000;

/** The streams of this node, and their readers and metrics. */
export type Media = Opened<Awaited<ReturnType<typeof openMedia>>>;

/** Streams start when `StreamManager.apply` receives them. */
export function composeMedia(
  foundation: Foundation,
  storage: Storage,
  ffmpeg: Ffmpeg,
  cluster: ClusterArea,
): Promise<Media> {
  return opened((closers) => openMedia(foundation, storage, ffmpeg, cluster, closers));
}

async function openMedia(
  foundation: Foundation,
  storage: Storage,
  ffmpeg: Ffmpeg,
  cluster: ClusterArea,
  closers: Closer[],
) {
  const { config, clock, log, archiveDir } = foundation;
  const { store, archive, license, reserve } = storage;
  const { pool, prober } = ffmpeg;
  const { membership, rpc } = cluster;
  const nodeOf = (uid: string) => membership.nodeElsewhere(uid);
  const observers = new StreamObservers();
  const streamManager = openStreams(foundation, storage, ffmpeg, cluster, observers);
  const statuses = new StatusWriter({ streams: store.streams, clock, log });
  const motion = openMotion(foundation, storage, cluster, streamManager);
  // Both accept what the streams report until the last stream has ended.
  closers.push(() => statuses.settle());
  closers.push(() => motion.close());
  closers.push(() => streamManager.close());
  archive.retention.configure({ depthOf: (uid) => streamManager.find(uid)?.settings.depthHours });
  archive.objectStorage?.uploader.configure({
    remoteAfterOf: (uid) => streamManager.find(uid)?.settings.farAfterHours,
  });
  const live = new Live({ clock, log });
  const transcoding = new Transcoding({ pool, clock, rules: () => config.conversion });
  closers.push(() => transcoding.close());
  const isDataDiskFull = () => !reserve.isWhole;
  const health = new HealthMonitor({ clock, license, archiveDir, config, node: membership, isDataDiskFull });
  const statistics = new Statistics({ clock, streamManager, live, archive, health });
  closers.push(() => statistics.close());
  // A stream that another node runs is reported by that node.
  const own = { isMeant: (uid: string) => membership.owns(uid) };
  observers.add({ ...own, onState: (uid, state) => statuses.note(uid, state) });
  observers.add({ ...own, onState: (uid, state) => statistics.noteState(uid, state) });
  observers.add({ ...own, onMotion: (uid, event) => motion.note(uid, event) });
  membership.attach({
    activeStreams: () => streamManager.active,
    review: () => streamManager.review(),
  });
  const snapshots = new Snapshots({ render: ffmpeg.renderLate, clock });
  const localInsight = new LocalInsight({ streamManager, statistics, snapshots, live, clock });
  const insight = new ClusterInsight({ local: localInsight, rpc, nodeOf });
  const timeoutMs = () => config.source.probeSeconds * 1000;
  const sourceProbe = new SourceProbe({ prober, rpc, timeoutMs });
  return {
    streamManager,
    statuses,
    live,
    transcoding,
    health,
    statistics,
    localInsight,
    insight,
    sourceProbe,
  };
}

function openStreams(
  { config, clock, log }: Foundation,
  { archive }: Storage,
  { engines }: Ffmpeg,
  { membership, rpc }: ClusterArea,
  observers: StreamObservers,
): StreamManager {
  const nodeOf = (uid: string) => membership.nodeElsewhere(uid);
  return new StreamManager({
    clock,
    log,
    recorders: archive.recorders,
    engines,
    noFramesMs: config.source.noFramesSeconds * 1000,
    peerFeed: (stream: Stream, variant) => new PeerLiveFeed({ stream, variant, rpc, nodeOf, clock, log }),
    acquire: (uid) => membership.acquire(uid),
    permits: (uid, epoch) => membership.permits(uid, epoch),
    reportElsewhere: (uid) => membership.reportElsewhere(uid),
    onState: (uid, state) => observers.noteState(uid, state),
    onMotion: (uid, event) => observers.noteMotion(uid, event),
  });
}

/** Events of the streams of this node, kept as long as their footage. */
function openMotion(
  { clock, log }: Foundation,
  { store, archive }: Storage,
  { membership, archiveReader }: ClusterArea,
  streamManager: StreamManager,
): MotionJournal {
  // For all nodes together: an offline node counts with the time for which it was assigned.
  const keptSince = async (uid: string) => {
    const hours = streamManager.find(uid)?.settings.depthHours ?? -1;
    const byDepth = hours < 0 ? undefined : archive.retention.cautiousNowMs - hours * hourMs;
    const byFootage = (await archiveReader.period(uid))?.startTime;
    return byDepth === undefined ? byFootage : Math.max(byDepth, byFootage ?? byDepth);
  };
  const uids = () =>
    Array.from(streamManager.streams(), ({ settings }) => settings.uid).filter((uid) => membership.owns(uid));
  return new MotionJournal({ store: store.annotations, clock, log, keptSince, uids });
}
