import { readFile } from 'node:fs/promises';
import type { IClientOptions, IConnackPacket, MqttClient } from 'mqtt';
import type { Clock } from '../base/clock.ts';
import { Semaphore } from '../base/semaphore.ts';
import { BrokerFailure, connectFailureOf, failureOf } from './broker-failure.ts';

/** How to reach a broker (MQTT 5.0). */
export interface BrokerSettings {
  /** `mqtt://` or `mqtts://` with host and port. */
  readonly url: string;
  readonly user: string | null;
  readonly password: string | null;
  /** Path of a PEM file with the certificates that sign the broker's; null: those that the system trusts. */
  readonly ca: string | null;
  /** Whether the broker's certificate must be valid. */
  readonly verify: boolean;
  /** The same after every start: the broker ends an earlier connection of the same name, and publishes its will first. */
  readonly clientId: string;
  /** Where the broker publishes `offline`, retained, when the connection breaks. */
  readonly statusTopic: string;
}

export interface BrokerMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  /** It was sent before the subscription. */
  readonly isRetained: boolean;
}

export interface BrokerSessionEvents {
  readonly onMessage: (message: BrokerMessage) => void;
  /** Called once, when the connection has ended without `end`. */
  readonly onLost: (failure: BrokerFailure) => void;
}

/** For resolving, connecting, TLS, and the broker's CONNACK. */
const connectTimeoutMs = 10_000;
/** The broker notices a broken connection after one and a half of these, and so does the client. */
const keepAliveSeconds = 15;
/** A broker that acknowledges nothing for so long is gone, whatever TCP believes. */
const acknowledgeMs = 20_000;
/** Messages without an acknowledgement; less if the broker accepts fewer (MQTT 5.0, 3.2.2.3.3). */
const inFlightMax = 16;
/** Longest time that a graceful end waits for the broker. */
const endMs = 2_000;
/** A packet's header and properties around topic and payload, bytes. */
const packetOverhead = 32;

/** The will of a session, and what its end publishes. */
const offline = 'offline';

/**
 * One connection to a broker. Everything is published with QoS 1: a message counts as published when the broker has
 * acknowledged it. The library neither reconnects nor queues: both are `BrokerConnection`'s, which knows what is still true.
 */
export class BrokerSession {
  readonly #client: MqttClient;
  readonly #clock: Clock;
  readonly #statusTopic: string;
  readonly #slots: Semaphore;
  /** Bytes. */
  readonly #packetMax: number;
  #isEnded = false;

  private constructor(client: MqttClient, connack: IConnackPacket, clock: Clock, statusTopic: string) {
    const { receiveMaximum = inFlightMax, maximumPacketSize = Infinity } = connack.properties ?? {};
    this.#client = client;
    this.#clock = clock;
    this.#statusTopic = statusTopic;
    this.#slots = new Semaphore(Math.min(inFlightMax, receiveMaximum));
    this.#packetMax = maximumPacketSize;
  }

  /** Connects; the library is loaded with the first connection. @throws BrokerFailure */
  static async open(
    settings: BrokerSettings,
    events: BrokerSessionEvents,
    clock: Clock,
    signal: AbortSignal,
  ): Promise<BrokerSession> {
    const options = await optionsOf(settings);
    const { connect } = await import('mqtt');
    if (signal.aborted) throw new BrokerFailure('reset', 'The connection is no longer wanted.');
    const client = connect(settings.url, options);
    return new Promise((resolve, reject) => {
      let session: BrokerSession | undefined;
      let failure: BrokerFailure | undefined;
      client.on('error', (error) => {
        failure ??= connectFailureOf(error, settings.url);
      });
      const abort = () => {
        client.end(true);
        reject(new BrokerFailure('reset', 'The connection is no longer wanted.'));
      };
      signal.addEventListener('abort', abort, { once: true });
      client.on('connect', (connack) => {
        signal.removeEventListener('abort', abort);
        session = new BrokerSession(client, connack, clock, settings.statusTopic);
        resolve(session);
      });
      client.on('message', (topic, payload, { retain }) =>
        events.onMessage({ topic, payload, isRetained: retain }),
      );
      client.on('disconnect', ({ reasonCode }) => {
        failure ??= new BrokerFailure('broker-refused', `The broker disconnects: ${String(reasonCode)}`);
      });
      client.on('close', () => {
        // Ends what waits for acknowledgements.
        client.end(true);
        const cause = failure ?? new BrokerFailure(session ? 'reset' : 'timeout', 'The connection ended.');
        if (!session) reject(cause);
        else if (!session.#isEnded) {
          session.#isEnded = true;
          events.onLost(cause);
        }
      });
    });
  }

  /** Resolves when the broker has acknowledged it. @throws BrokerFailure */
  publish(topic: string, payload: string | Uint8Array, isRetained: boolean): Promise<void> {
    const bytes = Buffer.byteLength(payload) + Buffer.byteLength(topic) + packetOverhead;
    if (bytes > this.#packetMax) {
      throw new BrokerFailure('broker-refused', `The broker accepts packets of ${this.#packetMax} bytes.`);
    }
    const body = typeof payload === 'string' ? payload : Buffer.from(payload);
    return this.#slots.run(() =>
      this.#acknowledged(() => this.#client.publishAsync(topic, body, { qos: 1, retain: isRetained })),
    );
  }

  /**
   * Subscribes to what others publish. @throws BrokerFailure
   * @param withRetained whether retained messages are delivered too
   */
  async subscribe(filter: string, withRetained: boolean): Promise<void> {
    const options = { qos: 1, nl: true, rh: withRetained ? 0 : 2 } as const;
    await this.#acknowledged(() => this.#client.subscribeAsync(filter, options));
  }

  /** Publishes that the server is offline, and disconnects; never rejects. */
  async end(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    let cancel = () => {};
    const tooLate = new Promise<void>((resolve) => {
      cancel = this.#clock.after(endMs, resolve);
    });
    const goodbye = this.#client
      .publishAsync(this.#statusTopic, offline, { qos: 1, retain: true })
      .then(() => this.#client.endAsync())
      // The broker publishes the will instead.
      .catch(() => undefined);
    await Promise.race([goodbye, tooLate]);
    cancel();
    this.#client.end(true);
  }

  async #acknowledged(send: () => Promise<unknown>): Promise<void> {
    const cancel = this.#clock.after(acknowledgeMs, () => this.#client.stream.destroy());
    try {
      await send();
    } catch (error) {
      throw failureOf(error, this.#client.options.protocol ?? '');
    } finally {
      cancel();
    }
  }
}

async function optionsOf(settings: BrokerSettings): Promise<IClientOptions> {
  const { user, password, ca, verify, clientId, statusTopic } = settings;
  return {
    clientId,
    protocolVersion: 5,
    clean: true,
    keepalive: keepAliveSeconds,
    connectTimeout: connectTimeoutMs,
    reconnectPeriod: 0,
    resubscribe: false,
    queueQoSZero: false,
    timerVariant: 'native',
    will: { topic: statusTopic, payload: Buffer.from(offline), qos: 1, retain: true },
    rejectUnauthorized: verify,
    ...(user !== null && { username: user }),
    ...(password !== null && { password }),
    ...(ca !== null && { ca: await certificatesIn(ca) }),
  };
}

async function certificatesIn(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new BrokerFailure('tls', 'The file of mqtt.ca can’t be read.', { cause });
  }
}
