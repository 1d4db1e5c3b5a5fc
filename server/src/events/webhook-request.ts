import { createHmac, randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { Dial } from '../dial/dial.ts';
import type { DeliveryResult } from './channel.ts';
import { post } from './http-post.ts';

/** Prefix of a signing key, by Standard Webhooks. */
const secretPrefix = 'whsec_';
const secretBytes = 24;

export interface WebhookRequest {
  readonly url: string;
  /** The signing key. */
  readonly secret: string;
  /** Idempotency key of the notification. */
  readonly id: string;
  readonly body: string;
}

/** A new signing key: `whsec_` and the base64 of 24 random bytes. */
export function newWebhookSecret(): string {
  return secretPrefix + randomBytes(secretBytes).toString('base64');
}

/**
 * The value of `webhook-signature`, as Standard Webhooks 1.0 defines it: HMAC-SHA-256 of id, time and body.
 * @param seconds since the epoch, as in `webhook-timestamp`
 */
function webhookSignature({ secret, id, body }: WebhookRequest, seconds: number): string {
  const key = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
}

/** Sends one signed request. */
export function postWebhook(
  sent: WebhookRequest,
  { dial, clock, userAgent }: { readonly dial: Dial; readonly clock: Clock; readonly userAgent: string },
): Promise<DeliveryResult> {
  const seconds = Math.floor(clock.wallMs() / 1_000);
  const headers = {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'webhook-id': sent.id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': webhookSignature(sent, seconds),
  };
  return post({ url: sent.url, headers, body: sent.body }, { dial, clock });
}
