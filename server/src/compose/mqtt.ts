import { createHash } from 'node:crypto';
import { failureReasonOf } from '../streams/stream-view.ts';
import type { StreamService } from '../streams/stream-service.ts';
import { BrokerConnection } from '../mqtt/broker-connection.ts';
import { MqttPublisher } from '../mqtt/mqtt-publisher.ts';
import { RecordingCommands } from '../mqtt/recording-commands.ts';
import type { PublishedStream } from '../mqtt/stream-publisher.ts';
import type { StreamRecord } from '../store/stream-row.ts';
import { withoutLastSlash } from '../config/public-url.ts';
import type { Cancel } from '../base/clock.ts';
import type { Closer } from '../base/opened.ts';
import type { ClusterArea } from './cluster.ts';
import type { Foundation } from './foundation.ts';
import type { Media } from './media.ts';
import type { Storage } from './storage.ts';

interface MqttParts {
  readonly foundation: Foundation;
  readonly storage: Storage;
  readonly cluster: ClusterArea;
  readonly media: Media;
}

/** Width of the stills, pixels. */
const stillWidth = 640;
/** States and names that change within this time are published together. */
const gatherMs = 100;

/** The connection to the MQTT broker, if one is configured, and what is published there and taken from it. */
export function openMqtt(
  parts: MqttParts,
  streamService: StreamService,
  closers: Closer[],
): BrokerConnection {
  const { foundation, storage, cluster, media } = parts;
  const { config, configStore, clock, log, version } = foundation;
  const { streamManager, systemWatch, insight } = media;
  const isOwn = (uid: string) => streamManager.find(uid) !== undefined && cluster.membership.owns(uid);
  const commands = new RecordingCommands({
    isOwn,
    setRecorded: async (uid, isRecorded) => {
      storage.license.requireValid();
      return streamService.setRecorded(uid, isRecorded);
    },
    audit: (event) => storage.audit.add(event),
    onDone: (uid) => publisher.republishState(uid),
    broker: () => config.mqtt.url ?? '',
    log,
  });
  const connection: BrokerConnection = new BrokerConnection({
    ...{ clock, log },
    onSession: (session) => publisher.begin(session),
    onMessage: (message) => publisher.take(message),
    onLost: () => publisher.end(),
  });
  const publisher: MqttPublisher = new MqttPublisher({
    ...{ config, connection, commands, version, clock, log },
    instance: createHash('sha256').update('mqtt ').update(storage.store.secret).digest('hex').slice(0, 12),
    node: config.database === null ? undefined : config.node.id,
    publicUrl: () => (config.publicUrl === null ? undefined : withoutLastSlash(config.publicUrl)),
    streams: publishedStreams(parts, isOwn),
    isKnown: (uid) => streamManager.find(uid) !== undefined,
    stills: {
      running: () => ownStreams(parts, isOwn, (status) => status === 'running'),
      render: async (uid) => (await insight.snapshot(uid, stillWidth)).jpeg,
    },
    problems: () => systemWatch.problems,
    follow: () => followStreams(parts, publisher),
  });
  const { observers } = media;
  observers.add({
    isMeant: isOwn,
    onMotion: (uid, { isOpen }) => publisher.noteMotion(uid, isOpen),
    // An event of a stream that no longer delivers has no end.
    onState: (uid, { status }) => {
      if (status !== 'running') publisher.noteMotion(uid, false);
    },
  });
  systemWatch.onChanged(() => publisher.noteProblems());
  closers.push(() => commands.close());
  closers.push(() => connection.close());
  configStore.onApplied(() => void publisher.applyConfig());
  void publisher.applyConfig();
  return connection;
}

/** Reports changes of states, names and settings, which this node compares in memory. */
function followStreams({ foundation, media }: MqttParts, publisher: MqttPublisher): Cancel {
  const { changes } = media.streamManager;
  let { revision } = changes;
  return foundation.clock.every(gatherMs, () => {
    if (changes.revision === revision) return;
    const uids = changes.since(revision);
    ({ revision } = changes);
    if (!uids) publisher.noteAllStreams();
    else for (const uid of uids) publisher.noteStream(uid);
  });
}

function* ownStreams(
  { media }: MqttParts,
  isOwn: (uid: string) => boolean,
  isMeant: (status: string) => boolean,
): Generator<string> {
  for (const { settings, state } of media.streamManager.streams()) {
    if (isMeant(state.status) && isOwn(settings.uid)) yield settings.uid;
  }
}

function publishedStreams(parts: MqttParts, isOwn: (uid: string) => boolean) {
  const { foundation, storage, media } = parts;
  const published = (record: StreamRecord): PublishedStream | 'elsewhere' => {
    const { uid, name, location, archive, motion } = record;
    if (!isOwn(uid)) return 'elsewhere';
    const state = media.streamManager.state(uid);
    return {
      ...{ uid, name, area: location.name, status: state.status },
      reason: failureReasonOf(state, foundation.config.app.language ?? 'en'),
      isRecorded: archive.isEnable,
      findsMotion: motion.isEnable,
    };
  };
  return {
    own: () => ownStreams(parts, isOwn, () => true),
    read: async (uids: readonly string[]) => {
      const records = await storage.store.streams.byUids(uids);
      return new Map(records.map((record) => [record.uid, published(record)]));
    },
  };
}
