import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectTcp } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectAsync, type MqttClient } from 'mqtt';
import { selfSigned } from '../server/src/system/smtp-fixture.ts';
import { until } from './api.ts';
import { freePort } from './sshd.ts';

export const brokerUser = 'vidette';
export const brokerPassword = 'correct horse';

/** Mosquitto on loopback with TLS and a password, which keeps nothing on the disk. */
export class TestMosquitto {
  readonly url: string;
  /** Path of the certificate that signs its own. */
  readonly ca: string;
  readonly #certificate: string;
  readonly #dir: string;
  readonly #port: number;
  #process: ChildProcess | undefined;

  private constructor(dir: string, port: number, certificate: string) {
    this.url = `mqtts://127.0.0.1:${port}`;
    this.ca = join(dir, 'certificate.pem');
    this.#certificate = certificate;
    this.#dir = dir;
    this.#port = port;
  }

  /** @throws Error that names the missing package */
  static async start(): Promise<TestMosquitto> {
    const dir = await mkdtemp(join(tmpdir(), 'vidette-mosquitto-'));
    const passwords = join(dir, 'passwords');
    const made = spawnSync('mosquitto_passwd', ['-b', '-c', passwords, brokerUser, brokerPassword]);
    if (made.error) throw new Error('mosquitto_passwd is missing: apt-get install mosquitto');
    const { key, certificate } = selfSigned();
    const port = await freePort();
    const broker = new TestMosquitto(dir, port, certificate);
    await writeFile(broker.ca, certificate);
    await writeFile(join(dir, 'key.pem'), key);
    const config = [
      `listener ${port} 127.0.0.1`,
      `certfile ${broker.ca}`,
      `keyfile ${join(dir, 'key.pem')}`,
      `password_file ${passwords}`,
      'allow_anonymous false',
      'persistence false',
      // As root it would give up the right to read its own folder.
      'user root',
    ];
    await writeFile(join(dir, 'mosquitto.conf'), `${config.join('\n')}\n`);
    await broker.listen();
    return broker;
  }

  /** Starts it, with the topics of an empty broker; resolves when it accepts connections. */
  async listen(): Promise<void> {
    this.#process = spawn('/usr/sbin/mosquitto', ['-c', join(this.#dir, 'mosquitto.conf')], {
      stdio: 'ignore',
    });
    await until(
      () => answers(this.#port),
      (isUp) => isUp,
    );
  }

  /** Kills it like a power cut. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#dir, { recursive: true, force: true });
  }

  /** Connects as another client of the broker. */
  async observe(): Promise<BrokerObserver> {
    const client = await connectAsync(this.url, {
      ...{ username: brokerUser, password: brokerPassword, ca: this.#certificate },
      ...{ protocolVersion: 5, reconnectPeriod: 0 },
    });
    const observer = new BrokerObserver(client);
    await client.subscribeAsync('#', { qos: 1 });
    return observer;
  }
}

/** What the broker has delivered to a client that subscribes to everything. */
export class BrokerObserver {
  /** The newest message of each topic; none for a topic that was cleared. */
  readonly topics = new Map<string, Buffer>();
  /** All messages that are not states, as text, by topic. */
  readonly notifications = new Map<string, string[]>();
  readonly #client: MqttClient;

  constructor(client: MqttClient) {
    this.#client = client;
    client.on('error', () => {});
    client.on('message', (topic, payload) => {
      if (payload.length === 0) this.topics.delete(topic);
      else this.topics.set(topic, payload);
      if (topic.includes('/notifications/')) {
        this.notifications.set(topic, [...(this.notifications.get(topic) ?? []), payload.toString()]);
      }
    });
  }

  /** Waits until a topic's JSON, or text, is as it should be. */
  async waitFor(topic: string, isMeant: (value: unknown) => boolean): Promise<unknown> {
    return until(
      () => parsed(this.topics.get(topic)),
      (value) => value !== undefined && isMeant(value),
    );
  }

  async waitUntilCleared(topic: string): Promise<void> {
    await until(
      () => this.topics.has(topic),
      (isThere) => !isThere,
    );
  }

  async publish(topic: string, payload: string): Promise<void> {
    await this.#client.publishAsync(topic, payload, { qos: 1 });
  }

  async close(): Promise<void> {
    await this.#client.endAsync(true);
  }
}

function parsed(payload: Buffer | undefined): unknown {
  if (!payload) return undefined;
  const text = payload.toString();
  return text.startsWith('{') ? JSON.parse(text) : text;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTcp(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
