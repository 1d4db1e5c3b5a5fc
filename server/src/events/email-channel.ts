import { createHash } from 'node:crypto';
import type { MessageLanguage } from '@vidette/contract/errors';
import { Fault } from '../base/fault.ts';
import type { Config } from '../config/schema.ts';
import type { DeliveryTarget } from '../store/notification-targets.ts';
import type { Email, Mailer } from '../system/mailer.ts';
import { escapeHtml } from '../system/reset-email.ts';
import { failed, type Channel, type DeliveryResult, type Message, type Recipient } from './channel.ts';
import { detailText, notificationWords, titleText } from './notification-text.ts';
import { momentUrl } from './notification-view.ts';

export interface EmailChannelOptions {
  readonly mailer: Pick<Mailer, 'isConfigured' | 'send'>;
  /** Read for every e-mail, so that changes take effect immediately. */
  readonly config: Pick<Config, 'app'>;
  readonly publicUrl: () => string | undefined;
  /** The frame of an event as a JPEG, as far as the owner of the target may see it; undefined if there is none. */
  readonly still: (userId: number, uid: string, timeMs: number) => Promise<Uint8Array | undefined>;
  /** Of the times in the e-mails. */
  readonly timeZone: string;
}

/** Named in one e-mail; of the rest only the number. */
const listedMax = 30;
/** What happens within this time after an e-mail is the next one. */
const digestMs = 60_000;

/** Sends notifications by e-mail: the first of a burst immediately with a still, what follows as a digest. */
export class EmailChannel implements Channel {
  readonly batchMax = 500;
  readonly pauseMs = digestMs;
  readonly #options: EmailChannelOptions;

  constructor(options: EmailChannelOptions) {
    this.#options = options;
  }

  async send(
    target: DeliveryTarget,
    recipient: Recipient,
    messages: readonly Message[],
  ): Promise<DeliveryResult> {
    const [first] = messages;
    if (!first) return { isAccepted: true };
    const { still, config } = this.#options;
    const { stream, startMs } = first.delivery.payload.event;
    const jpeg = stream === null ? undefined : await still(target.userId, stream, startMs);
    const words = notificationWords(recipient.language);
    const title = titleText(first, recipient.language);
    const subject = messages.length === 1 ? title : `${title}, … (${words.digest(messages.length)})`;
    return this.#send(target, {
      subject: `${config.app.title}: ${subject}`,
      ...this.#bodies(messages, recipient.language, jpeg !== undefined),
      ...(jpeg && { inline: { id: stillId, jpeg } }),
      id: idOf(messages),
    });
  }

  test(target: DeliveryTarget, { language }: Recipient): Promise<DeliveryResult> {
    const { test, testSubject } = notificationWords(language);
    const { title } = this.#options.config.app;
    return this.#send(target, {
      subject: `${title}: ${testSubject}`,
      text: `${test}\n`,
      html: htmlOf(language, [escapeHtml(test)]),
    });
  }

  #bodies(messages: readonly Message[], language: MessageLanguage, hasStill: boolean) {
    const words = notificationWords(language);
    const text: string[] = [];
    const html: string[] = hasStill ? [`<img src="cid:${stillId}" alt="" style="max-width:100%">`] : [];
    for (const message of messages.slice(0, listedMax)) {
      const { rule, event, suppressed } = message.delivery.payload;
      const lines = [
        titleText(message, language),
        detailText(message, language, this.#options.timeZone),
        words.rule(rule.name),
        ...(suppressed > 0 ? [words.suppressed(suppressed)] : []),
      ];
      const url = momentUrl(event, this.#options.publicUrl());
      text.push([...lines, ...(url === undefined ? [] : [url])].join('\n'));
      const [title = '', ...rest] = lines.map(escapeHtml);
      const link = url === undefined ? [] : [`<a href="${escapeHtml(url)}">${escapeHtml(words.show)}</a>`];
      html.push([`<b>${title}</b>`, ...rest, ...link].join('<br>'));
    }
    const more = messages.length - listedMax;
    if (more > 0) {
      text.push(words.more(more));
      html.push(escapeHtml(words.more(more)));
    }
    return { text: `${text.join('\n\n')}\n`, html: htmlOf(language, html) };
  }

  async #send({ settings }: DeliveryTarget, email: Omit<Email, 'to'>): Promise<DeliveryResult> {
    const { mailer } = this.#options;
    if (settings.type !== 'email' || !mailer.isConfigured) return failed('not-configured');
    try {
      await mailer.send({ ...email, to: settings.to.join(', ') });
      return { isAccepted: true };
    } catch (error) {
      if (error instanceof Fault) return failed('mail-server');
      throw error;
    }
  }
}

const stillId = 'still';

function htmlOf(language: MessageLanguage, paragraphs: readonly string[]): string {
  return `<!doctype html><html lang="${language}"><body>${paragraphs.map((line) => `<p>${line}</p>`).join('')}</body></html>`;
}

/** The same for the same notifications, so that a mailbox can recognise an e-mail that was sent twice. */
function idOf(messages: readonly Message[]): string {
  const hash = createHash('sha256');
  for (const { delivery } of messages) hash.update(`${delivery.key}\n`);
  return hash.digest('hex').slice(0, 40);
}
