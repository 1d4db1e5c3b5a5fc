import { GapWatch } from '../events/gap-watch.ts';
import { JournalFeed } from '../events/journal-feed.ts';
import { JournalRetention } from '../events/journal-retention.ts';
import { JournalWriter } from '../events/journal-writer.ts';
import { MomentTally } from '../events/moment-tally.ts';
import { RuleEngine } from '../events/rule-engine.ts';
import { StreamOutages } from '../events/stream-outages.ts';
import { SystemWatch } from '../events/system-watch.ts';
import type { StreamManager } from '../engine/stream-manager.ts';
import type { StreamObservers } from '../engine/stream-observers.ts';
import type { Closer } from '../base/opened.ts';
import type { EventStore } from '../motion/motion-journal.ts';
import { archiveWarnings, objectStorageWarnings } from '../statistics/archive-warnings.ts';
import type { HealthMonitor } from '../system/health.ts';
import type { ClusterArea } from './cluster.ts';
import type { Foundation } from './foundation.ts';
import type { Storage } from './storage.ts';

const minuteMs = 60_000;

/** The journal as everything that records in it knows it. */
export interface JournalArea {
  readonly journalWriter: JournalWriter;
  readonly journalFeed: JournalFeed;
  readonly failedSignIns: MomentTally;
  readonly openedLinks: MomentTally;
  readonly ruleEngine: RuleEngine;
}

export interface JournalParts {
  readonly foundation: Foundation;
  readonly storage: Storage;
  readonly cluster: ClusterArea;
}

/** Closed after everything that records in it. */
export function openJournal({ foundation, storage }: JournalParts, closers: Closer[]): JournalArea {
  const { config, clock, log } = foundation;
  const { store, archive } = storage;
  const { journal } = store;
  const ruleEngine = new RuleEngine({ store, clock, log, writes: store.watchWrites() });
  journal.onWritten((db, entries) => ruleEngine.onWritten(db, entries));
  ruleEngine.start();
  closers.push(() => ruleEngine.close());
  const feed = new JournalFeed({ journal, clock, log, isShared: config.database !== null });
  closers.push(() => feed.close());
  const writer = new JournalWriter({ journal, feed, clock, log });
  closers.push(() => writer.close());
  const retention = new JournalRetention({
    ...{ journal, config, clock, log },
    nowMs: () => archive.retention.cautiousNowMs,
  });
  closers.push(() => retention.close());
  const tally = { writer, clock };
  return {
    journalWriter: writer,
    journalFeed: feed,
    ruleEngine,
    failedSignIns: new MomentTally({ ...tally, kind: 'sign-in-failed', windowMs: 10 * minuteMs }),
    openedLinks: new MomentTally({ ...tally, kind: 'share-opened', windowMs: 60 * minuteMs }),
  };
}

/** Motion is an annotation of its stream and an entry of the journal: both are written in one transaction. */
export function motionStore({ store }: Storage, { journalWriter }: JournalArea): EventStore {
  const { annotations } = store;
  return {
    saveEvents: (events) =>
      journalWriter.write(async (db) => {
        await annotations.saveEventsIn(db, events);
        return events.map(({ uid, startMs, endMs, score }) => ({
          ...{ type: 'put', kind: 'motion', uid, key: `${uid} ${startMs}` },
          ...{ startMs, endMs, detail: { figures: { score } } },
        }));
      }),
    removeEndedBefore: (kind, bounds) => annotations.removeEndedBefore(kind, bounds),
  };
}

/** What records the states of streams and of the server. */
export function watchForJournal(
  { foundation, storage, cluster: area }: JournalParts,
  media: {
    readonly streamManager: StreamManager;
    readonly observers: StreamObservers;
    readonly health: HealthMonitor;
    readonly journalWriter: JournalWriter;
  },
  closers: Closer[],
): SystemWatch {
  const { config, clock, log } = foundation;
  const { archive, limits, store } = storage;
  const { membership, archiveReader, cluster } = area;
  const { streamManager, observers, health, journalWriter: writer } = media;
  const tools = { writer, journal: store.journal, clock, log };
  const gaps = new GapWatch({ ...tools, archive: archiveReader, rangesMaxMs: limits.rangesMaxMs });
  closers.push(() => gaps.close());
  const isOwn = (uid: string) => membership.owns(uid);
  const streams = () => Array.from(streamManager.streams()).filter(({ settings }) => isOwn(settings.uid));
  const streamOutages = new StreamOutages({ ...tools, gaps, streams });
  closers.push(() => streamOutages.close());
  observers.add({
    isMeant: isOwn,
    onState: (uid, state) => streamOutages.noteState(uid, state, clock.wallMs()),
    onPastState: (uid, state, atMs) => streamOutages.noteState(uid, state, atMs),
  });
  const systemWatch = new SystemWatch({
    ...tools,
    warnings: async () => [
      ...(await health.warnings([], [], archive.health.retention.shares)),
      ...archiveWarnings(archive.health, clock),
      ...objectStorageWarnings(archive.health.objectStorage),
    ],
    awayNodes: () => cluster?.peers.flatMap(({ id, isThere }) => (isThere ? [] : [id])) ?? [],
    nodeId: config.node.id,
  });
  closers.push(() => systemWatch.close());
  return systemWatch;
}
