import { hostname } from 'node:os';
import { Fault } from '../base/fault.ts';
import type { Config } from '../config/schema.ts';

/** One e-mail; both bodies have the same content. */
export interface Email {
  /** One address, or several, separated by commas. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** An image that the HTML refers to as `cid:` with its id. */
  readonly inline?: { readonly id: string; readonly jpeg: Uint8Array };
  /** Makes the message id: the same for an e-mail that is sent again. */
  readonly id?: string;
}

/** Their sum is below the twenty seconds that the page waits for an answer. */
const connectTimeoutMs = 5_000;
const answerTimeoutMs = 10_000;

/** Sends e-mail through the configured SMTP server (RFC 5321); the library is loaded with the first e-mail. */
export class Mailer {
  readonly #config: Pick<Config, 'smtp' | 'app'>;

  /** `config` is read for every e-mail: changes take effect immediately. */
  constructor(config: Pick<Config, 'smtp' | 'app'>) {
    this.#config = config;
  }

  get isConfigured(): boolean {
    return this.#config.smtp.host !== null;
  }

  /** Connects and signs in, sends nothing. @throws Fault Unavailable */
  async verify(): Promise<void> {
    const transport = await this.#transport();
    await told(transport.verify());
  }

  /** Resolves when the server has accepted the e-mail. @throws Fault Unavailable */
  async send({ to, subject, text, html, inline, id }: Email): Promise<void> {
    const transport = await this.#transport();
    const address = this.#sender();
    const from = { name: this.#config.app.title, address };
    const attachment = inline && {
      cid: inline.id,
      content: Buffer.from(inline.jpeg),
      contentType: 'image/jpeg',
      filename: `${inline.id}.jpg`,
      contentDisposition: 'inline' as const,
    };
    await told(
      transport.sendMail({
        from,
        to,
        subject,
        text,
        html,
        ...(attachment && { attachments: [attachment] }),
        ...(id !== undefined && { messageId: `<${id}@${address.slice(address.indexOf('@') + 1)}>` }),
      }),
    );
  }

  async #transport() {
    const { host, port, tls, user, password } = this.#config.smtp;
    if (host === null) throw new Fault('Unavailable', 'No mail server is configured.');
    const { createTransport } = await import('nodemailer');
    return createTransport({
      host,
      port,
      secure: tls === 'always',
      requireTLS: tls === 'starttls',
      ignoreTLS: tls === 'never',
      ...(user === null ? {} : { auth: { user, pass: password ?? '' } }),
      connectionTimeout: connectTimeoutMs,
      greetingTimeout: connectTimeoutMs,
      socketTimeout: answerTimeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  #sender(): string {
    const { from, user } = this.#config.smtp;
    return from ?? (user?.includes('@') ? user : `vidette@${hostname()}`);
  }
}

async function told(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (cause) {
    throw new Fault('Unavailable', 'The mail server does not accept e-mails from this server.', { cause });
  }
}
