import { createHash } from 'node:crypto';
import type { MessageLanguage } from '@vidette/contract/errors';
import type { Cancel, Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config/schema.ts';
import type { BrokerConnection } from './broker-connection.ts';
import type { BrokerMessage, BrokerSession, BrokerSettings } from './broker-session.ts';
import { serverDiscovery, type DiscoveryContext } from './discovery.ts';
import type { RecordingCommands } from './recording-commands.ts';
import { RetainedTopics } from './retained-topics.ts';
import { StillPublisher, type StillPublisherOptions } from './still-publisher.ts';
import { StreamPublisher, type PublishedStreams } from './stream-publisher.ts';
import {
  commandFilter,
  discoveryFilter,
  homeAssistantTopic,
  problemsTopic,
  serverDiscoveryTopic,
  stateFilter,
  statusTopic,
  streamOf,
  streamTopics,
  type TopicTree,
} from './topics.ts';

type MqttConfig = Config['mqtt'];

export interface MqttPublisherOptions {
  readonly config: Pick<Config, 'mqtt' | 'app'>;
  readonly connection: Pick<BrokerConnection, 'apply'>;
  /** Names this server or cluster: hex. */
  readonly instance: string;
  /** `node.id` in a cluster. */
  readonly node: string | undefined;
  readonly version: string;
  readonly publicUrl: () => string | undefined;
  readonly streams: PublishedStreams;
  /** Whether there is a stream, on any node. */
  readonly isKnown: (uid: string) => boolean;
  readonly stills: Pick<StillPublisherOptions, 'running' | 'render'>;
  /** Codes of this server's problems. */
  readonly problems: () => readonly string[];
  readonly commands: Pick<RecordingCommands, 'take'>;
  /** Notes changes of streams until it is cancelled. */
  readonly follow: () => Cancel;
  readonly clock: Clock;
  readonly log: Log;
}

/** What lives as long as one session with the broker. */
interface Publishing {
  readonly session: BrokerSession;
  readonly tree: TopicTree;
  readonly retained: RetainedTopics;
  readonly streams: StreamPublisher;
  readonly stills: StillPublisher | undefined;
  readonly stopFollowing: Cancel;
}

/** Longest time for which a change of the topics waits until the old ones are cleared. */
const farewellMs = 10_000;
const secondMs = 1_000;

/**
 * Publishes the states of this node's streams, and of the node itself, to the configured broker, and takes commands
 * from it (design/notifications.md).
 */
export class MqttPublisher {
  readonly #options: MqttPublisherOptions;
  readonly #moving = new Set<string>();
  /** The settings of the session, as `mqtt` had them. */
  #applied: MqttConfig | undefined;
  #publishing: Publishing | undefined;

  constructor(options: MqttPublisherOptions) {
    this.#options = options;
  }

  /** To be called at the start, and whenever the configuration may have changed; never rejects. */
  async applyConfig(): Promise<void> {
    const { config, connection } = this.#options;
    const next = structuredClone(config.mqtt);
    const before = this.#applied;
    if (JSON.stringify(next) === JSON.stringify(before)) {
      // The title, the language and the public address are part of what is announced.
      if (this.#publishing) this.#republish(this.#publishing);
      return;
    }
    this.#applied = next;
    await connection.apply(this.#brokerSettings(next), async () => {
      const isElsewhere =
        before === undefined ||
        !isOn(next) ||
        next.url !== before.url ||
        next.topic !== before.topic ||
        next.discoveryPrefix !== before.discoveryPrefix;
      if (isElsewhere) await this.#clear();
    });
  }

  /** To be called for each session with the broker. */
  begin(session: BrokerSession): void {
    const mqtt = this.#applied ?? this.#options.config.mqtt;
    const tree = this.#tree(mqtt);
    const { clock, log, streams, stills, follow } = this.#options;
    const retained = new RetainedTopics(session);
    const hasStills = mqtt.stillSeconds > 0;
    const discovery = () => this.#discovery();
    const tools = { retained, tree, clock, log };
    const isMoving = (uid: string) => this.#moving.has(uid);
    this.#publishing = {
      ...{ session, tree, retained },
      streams: new StreamPublisher({ ...tools, streams, discovery, hasStills, isMoving }),
      stills: hasStills
        ? new StillPublisher({ ...tools, ...stills, ageMs: mqtt.stillSeconds * secondMs })
        : undefined,
      stopFollowing: follow(),
    };
    this.#introduce(this.#publishing, mqtt).catch((error: unknown) =>
      log.warn({ err: error }, 'The MQTT broker does not accept all messages'),
    );
  }

  /** To be called when the session has ended. */
  end(): void {
    this.#publishing?.stopFollowing();
    this.#publishing?.streams.close();
    this.#publishing?.stills?.close();
    this.#publishing = undefined;
  }

  take({ topic, payload, isRetained }: BrokerMessage): void {
    const publishing = this.#publishing;
    if (!publishing) return;
    const { tree } = publishing;
    if (topic === homeAssistantTopic(tree)) {
      if (Buffer.from(payload.subarray(0, 8)).toString('latin1') === 'online') this.#publishAgain(publishing);
      return;
    }
    const uid = streamOf(tree, topic);
    if (uid === undefined) return;
    if (topic.endsWith('/set')) {
      // A retained command would be carried out again at every start.
      if (!isRetained && this.#applied?.allowCommands === true) this.#options.commands.take(uid, payload);
    } else if (isRetained && payload.length > 0 && !this.#options.isKnown(uid)) {
      // It was removed while this server was not connected.
      publishing.streams.note(uid);
    }
  }

  /** The state or the settings of a stream may have changed. */
  noteStream(uid: string): void {
    this.#publishing?.streams.note(uid);
  }

  /** Its state is published again, although it may be the same: a switch waits for it. */
  republishState(uid: string): void {
    const publishing = this.#publishing;
    if (!publishing) return;
    publishing.retained.forget(streamTopics(publishing.tree, uid).state);
    publishing.streams.note(uid);
  }

  /** Any stream may have changed. */
  noteAllStreams(): void {
    this.#publishing?.streams.noteAll();
  }

  noteMotion(uid: string, isMoving: boolean): void {
    if (isMoving === this.#moving.has(uid)) return;
    if (isMoving) this.#moving.add(uid);
    else this.#moving.delete(uid);
    this.noteStream(uid);
    if (isMoving) this.#publishing?.stills?.wantSoon(uid);
  }

  noteProblems(): void {
    if (this.#publishing) void this.#publishProblems(this.#publishing);
  }

  /** What others on the broker know is subscribed to first, so that nothing of it is missed. */
  async #introduce(publishing: Publishing, mqtt: MqttConfig): Promise<void> {
    const { session, tree, retained } = publishing;
    await retained.put(statusTopic(tree), 'online');
    if (mqtt.allowCommands) await session.subscribe(commandFilter(tree), false);
    await session.subscribe(homeAssistantTopic(tree), false);
    await session.subscribe(stateFilter(tree), true);
    await session.subscribe(discoveryFilter(tree), true);
    await this.#announce(publishing);
  }

  /** The server itself; the streams announce themselves. */
  async #announce(publishing: Publishing): Promise<void> {
    const { retained, tree } = publishing;
    const discovery = this.#discovery();
    const name = tree.node === undefined ? this.#options.config.app.title : tree.node;
    const announced = discovery ? JSON.stringify(serverDiscovery(discovery, name)) : '';
    await retained.put(serverDiscoveryTopic(tree), announced);
    await this.#publishProblems(publishing);
  }

  /** Home Assistant has started. The messages are retained: this is for brokers that keep none. */
  #publishAgain(publishing: Publishing): void {
    publishing.retained.forgetAll();
    this.#republish(publishing);
  }

  #republish(publishing: Publishing): void {
    publishing.streams.noteAll();
    this.#announce(publishing).catch((error: unknown) =>
      this.#options.log.debug({ err: error }, 'The states could not be published again'),
    );
  }

  /** Never rejects. */
  async #publishProblems({ retained, tree }: Publishing): Promise<void> {
    const codes = this.#options.problems();
    try {
      await retained.put(problemsTopic(tree), JSON.stringify({ count: codes.length, codes }));
    } catch (error) {
      this.#options.log.debug({ err: error }, 'The problems could not be published');
    }
  }

  /** Deletes what the broker keeps of this server, as far as that succeeds in time; never rejects. */
  async #clear(): Promise<void> {
    const publishing = this.#publishing;
    if (!publishing) return;
    const { clock, log } = this.#options;
    this.end();
    let cancel: Cancel = () => {};
    const tooLate = new Promise<void>((resolve) => {
      cancel = clock.after(farewellMs, resolve);
    });
    const cleared = publishing.retained
      .clearAll()
      .catch((error: unknown) => log.warn({ err: error }, 'Some MQTT topics could not be cleared'));
    await Promise.race([cleared, tooLate]);
    cancel();
  }

  #tree({ topic, discoveryPrefix }: MqttConfig): TopicTree {
    const { instance, node } = this.#options;
    return { base: topic, discoveryPrefix, instance, node };
  }

  /** By the configuration of now; undefined: off. */
  #discovery(): DiscoveryContext | undefined {
    const { config, version, publicUrl } = this.#options;
    const { mqtt } = config;
    if (!mqtt.discovery) return undefined;
    const language: MessageLanguage = config.app.language ?? 'en';
    return {
      ...{ language, version, publicUrl: publicUrl(), tree: this.#tree(mqtt) },
      hasStills: mqtt.stillSeconds > 0,
      allowsCommands: mqtt.allowCommands,
    };
  }

  #brokerSettings(mqtt: MqttConfig): BrokerSettings | undefined {
    const { url, user, password, ca, verify } = mqtt;
    if (!isOn(mqtt) || url === null) return undefined;
    const { instance, node = '' } = this.#options;
    const digest = createHash('sha256').update(`${instance} ${node}`).digest('hex');
    // 23 letters and digits, which every broker must accept (MQTT 5.0, 3.1.3.1).
    const clientId = `vidette${digest.slice(0, 16)}`;
    return { url, user, password, ca, verify, clientId, statusTopic: statusTopic(this.#tree(mqtt)) };
  }
}

function isOn({ enabled, url }: MqttConfig): boolean {
  return enabled && url !== null;
}
