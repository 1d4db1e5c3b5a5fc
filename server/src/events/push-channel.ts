import { createHash } from 'node:crypto';
import type { PushMessage } from '@vidette/contract/notifications';
import type { Clock } from '../base/clock.ts';
import { createDial } from '../dial/dial.ts';
import type { DeliveryTarget } from '../store/notification-targets.ts';
import { failed, type Channel, type DeliveryResult, type Message, type Recipient } from './channel.ts';
import { post } from './http-post.ts';
import { notificationWords, reasonText, titleText } from './notification-text.ts';
import type { NotificationStills } from './notification-stills.ts';
import { momentPath } from './notification-view.ts';
import type { PushKeys } from './push-keys.ts';
import { isScheduled } from './rule-schedule.ts';

export interface PushChannelOptions {
  readonly clock: Clock;
  readonly keys: PushKeys;
  readonly stills: Pick<NotificationStills, 'pathOf'>;
  /** Base address of the page; undefined if it is not configured. */
  readonly publicUrl: () => string | undefined;
}

/**
 * A push service must accept 4096 bytes (RFC 8030, 7.2), of which encryption needs 103. Together with the addresses,
 * these lengths stay below that, whatever the characters.
 */
const titleMaxLength = 120;
const bodyMaxLength = 320;
/** A push service keeps what it can't deliver for a day. */
const keptSeconds = 86_400;
const everyDay = [1, 2, 3, 4, 5, 6, 7];
/** Contact of the sender, which push services demand, if the server knows no public address of its own. */
const contact = 'https://vidette.invalid/';

/**
 * Sends notifications to browsers through their push services (RFC 8030), encrypted for the browser (RFC 8291). What
 * waits is one notification: about the newest event, with the number of the others.
 */
export class PushChannel implements Channel {
  readonly batchMax = 500;
  readonly pauseMs = 0;
  readonly #options: PushChannelOptions;

  constructor(options: PushChannelOptions) {
    this.#options = options;
  }

  holds({ settings }: DeliveryTarget, nowMs: number): boolean {
    if (settings.type !== 'push' || settings.quietHours === null) return false;
    const { timeZone, from, to } = settings.quietHours;
    return isScheduled({ timeZone, spans: [{ days: everyDay, from, to }] }, nowMs);
  }

  async send(
    target: DeliveryTarget,
    recipient: Recipient,
    messages: readonly Message[],
  ): Promise<DeliveryResult> {
    const newest = messages.at(-1);
    if (!newest) return { isAccepted: true };
    const { language } = recipient;
    const { rule, event, suppressed } = newest.delivery.payload;
    const words = notificationWords(language);
    const lines = [
      reasonText(newest, language),
      words.rule(rule.name),
      ...(messages.length > 1 ? [words.more(messages.length - 1)] : []),
      ...(suppressed > 0 ? [words.suppressed(suppressed)] : []),
    ];
    const { stream: uid, startMs: timeMs } = event;
    return this.#post(target, recipient, {
      title: shortened(titleText(newest, language), titleMaxLength),
      body: shortened(lines.filter((line) => line !== '').join('\n'), bodyMaxLength),
      language,
      timeMs,
      tag: `rule-${rule.id}-${uid ?? 'server'}`,
      path: momentPath(event),
      image: uid === null ? null : this.#options.stills.pathOf({ userId: target.userId, uid, timeMs }),
    });
  }

  test(target: DeliveryTarget, recipient: Recipient): Promise<DeliveryResult> {
    const { language } = recipient;
    const { title, test: body } = notificationWords(language);
    const path = '/ui/notifications';
    return this.#post(target, recipient, {
      ...{ title, body, language, timeMs: null, tag: 'test', path, image: null },
    });
  }

  async #post(
    { settings }: DeliveryTarget,
    { isAdmin }: Recipient,
    message: PushMessage,
  ): Promise<DeliveryResult> {
    if (settings.type !== 'push') return failed('not-configured');
    const { clock, keys, publicUrl } = this.#options;
    const url = publicUrl();
    // Only servers that push to browsers load the library.
    const { default: webPush } = await import('web-push');
    const { endpoint, headers, body } = webPush.generateRequestDetails(settings, JSON.stringify(message), {
      vapidDetails: { subject: url?.startsWith('https:') ? url : contact, ...keys },
      TTL: keptSeconds,
      urgency: 'high',
      // A newer notification replaces one that the push service could not deliver yet.
      topic: createHash('sha256').update(message.tag).digest('base64url').slice(0, 32),
    });
    const dial = createDial({ allowLoopback: isAdmin, isPublic: true, clock });
    const sent = { url: endpoint, headers: textual(headers), body: body ?? '' };
    const result = await post(sent, { dial, clock });
    const status = result.isAccepted ? null : result.failure.status;
    if (status !== 404 && status !== 410) return result;
    return { isAccepted: false, failure: { code: 'gone', status }, isRefusal: true, isGone: true };
  }
}

/** At most so many UTF-16 units, and no half of a pair at the end. */
function shortened(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

function textual(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}
