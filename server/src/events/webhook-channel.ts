import { randomUUID } from 'node:crypto';
import type { WebhookNotification } from '@vidette/contract/notifications';
import type { Clock } from '../base/clock.ts';
import { createDial } from '../dial/dial.ts';
import type { DeliveryTarget } from '../store/notification-targets.ts';
import { failed, type Channel, type DeliveryResult, type Message, type Recipient } from './channel.ts';
import { testBody, webhookBody } from './notification-view.ts';
import { postWebhook } from './webhook-request.ts';

export interface WebhookChannelOptions {
  readonly clock: Clock;
  /** Of the product. */
  readonly version: string;
  /** Base address of the page; undefined if it is not configured. */
  readonly publicUrl: () => string | undefined;
}

/** Sends each notification as a signed request (design/notifications.md). */
export class WebhookChannel implements Channel {
  readonly batchMax = 1;
  readonly pauseMs = 0;
  readonly #options: WebhookChannelOptions;

  constructor(options: WebhookChannelOptions) {
    this.#options = options;
  }

  async send(
    target: DeliveryTarget,
    recipient: Recipient,
    messages: readonly Message[],
  ): Promise<DeliveryResult> {
    const [message] = messages;
    if (!message) return { isAccepted: true };
    return this.#post(target, recipient, webhookBody(message, this.#options.publicUrl()));
  }

  test(target: DeliveryTarget, recipient: Recipient): Promise<DeliveryResult> {
    const { clock, publicUrl } = this.#options;
    return this.#post(target, recipient, testBody(randomUUID(), clock.wallMs(), publicUrl()));
  }

  async #post(
    { settings, secret }: DeliveryTarget,
    { isAdmin }: Recipient,
    body: WebhookNotification,
  ): Promise<DeliveryResult> {
    const { clock, version } = this.#options;
    if (settings.type !== 'webhook') return failed('not-configured');
    if (secret === undefined) return failed('secret-lost');
    const sent = { url: settings.url, secret, id: body.id, body: JSON.stringify(body) };
    const dial = createDial({ allowLoopback: isAdmin, clock });
    return postWebhook(sent, { dial, clock, userAgent: `Vidette/${version}` });
  }
}
