import { randomUUID } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../config/schema.ts';
import type { BrokerConnection } from '../mqtt/broker-connection.ts';
import { BrokerFailure } from '../mqtt/broker-failure.ts';
import { notificationTopic } from '../mqtt/topics.ts';
import type { DeliveryTarget } from '../store/notification-targets.ts';
import { failed, type Channel, type DeliveryResult, type Message, type Recipient } from './channel.ts';
import { testBody, webhookBody } from './notification-view.ts';

export interface MqttChannelOptions {
  readonly broker: Pick<BrokerConnection, 'publish' | 'isConfigured'>;
  /** Read for every message, so that changes take effect immediately. */
  readonly config: Pick<Config, 'mqtt'>;
  readonly clock: Clock;
  /** Base address of the page; undefined if it is not configured. */
  readonly publicUrl: () => string | undefined;
}

/** Publishes each notification on the configured broker, with QoS 1: the same JSON that a webhook receives. */
export class MqttChannel implements Channel {
  readonly batchMax = 50;
  readonly pauseMs = 0;
  readonly #options: MqttChannelOptions;

  constructor(options: MqttChannelOptions) {
    this.#options = options;
  }

  send(target: DeliveryTarget, _: Recipient, messages: readonly Message[]): Promise<DeliveryResult> {
    const url = this.#options.publicUrl();
    return this.#publish(
      target,
      messages.map((message) => webhookBody(message, url)),
    );
  }

  test(target: DeliveryTarget): Promise<DeliveryResult> {
    const { clock, publicUrl } = this.#options;
    return this.#publish(target, [testBody(randomUUID(), clock.wallMs(), publicUrl())]);
  }

  /** The broker's acknowledgement accepts: of one that is missing, all are sent again. */
  async #publish({ settings }: DeliveryTarget, bodies: readonly object[]): Promise<DeliveryResult> {
    const { broker, config } = this.#options;
    if (settings.type !== 'mqtt' || !broker.isConfigured) return failed('not-configured');
    const topic = notificationTopic(config.mqtt.topic, settings.topic);
    try {
      await Promise.all(bodies.map((body) => broker.publish(topic, JSON.stringify(body))));
      return { isAccepted: true };
    } catch (error) {
      if (error instanceof BrokerFailure) return failed(error.problem);
      throw error;
    }
  }
}
