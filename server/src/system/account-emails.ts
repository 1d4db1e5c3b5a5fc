import type { MessageLanguage } from '@vidette/contract/errors';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import type { Config } from '../config/schema.ts';
import type { UserRecord } from '../store/users.ts';
import type { Email, Mailer } from './mailer.ts';
import { escapeHtml } from './reset-email.ts';

export interface AccountEmailsOptions {
  /** Read for every e-mail, so that changes take effect immediately. */
  readonly config: Pick<Config, 'app'>;
  readonly mailer: Pick<Mailer, 'isConfigured' | 'send'>;
  readonly log: Log;
}

/**
 * Notifies users by e-mail that their account has changed, so that they notice changes made by others. A change
 * of the e-mail or login is reported to the old address. E-mails are sent in the background; a failure is
 * logged.
 */
export class AccountEmails {
  readonly #options: AccountEmailsOptions;
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: AccountEmailsOptions) {
    this.#options = options;
  }

  /** To be called after any user has changed a login, e-mail or password. */
  noteChange(before: UserRecord, after: UserRecord): void {
    const { mailer, config, log } = this.#options;
    const changes: AccountChange[] = [];
    if (before.login !== after.login) changes.push('login');
    if (before.email !== after.email) changes.push('email');
    if (before.passwordHash !== after.passwordHash) changes.push('password');
    if (changes.length === 0 || before.email === '' || !mailer.isConfigured) return;
    const facts = { to: before.email, login: before.login, title: config.app.title, changes };
    const work = mailer
      .send(changeEmail(after.language, facts))
      .catch((error: unknown) => {
        const cause = error instanceof Fault ? (error.cause ?? error) : error;
        log.error({ error: cause, user: after.login }, 'An e-mail about a changed account could not be sent');
      })
      .finally(() => this.#underWay.delete(work));
    this.#underWay.add(work);
  }

  /** Resolves when no e-mail is pending. */
  async settle(): Promise<void> {
    await Promise.all(this.#underWay);
  }
}

type AccountChange = 'login' | 'email' | 'password';

interface ChangeFacts {
  readonly to: string;
  readonly login: string;
  /** The name of this server. */
  readonly title: string;
  readonly changes: readonly AccountChange[];
}

const wordings: Record<
  MessageLanguage,
  {
    readonly subject: (title: string) => string;
    readonly line: (login: string, title: string, what: string) => string;
    readonly what: Record<AccountChange, string>;
    readonly ending: string;
  }
> = {
  en: {
    subject: (title) => `${title}: your account was changed`,
    line: (login, title, what) => `The account ${login} of ${title} was changed: ${what}.`,
    what: { login: 'the login', email: 'the e-mail address', password: 'the password' },
    ending: 'If you did not make this change, contact an administrator of the server immediately.',
  },
  ru: {
    subject: (title) => `${title}: учётная запись изменена`,
    line: (login, title, what) => `В учётной записи ${login} (${title}) изменено: ${what}.`,
    what: { login: 'логин', email: 'адрес почты', password: 'пароль' },
    ending: 'Если это сделали не вы, немедленно обратитесь к администратору сервера.',
  },
};

/** Names what changed, never the new value: the old address may belong to another person by now. */
function changeEmail(language: MessageLanguage, { to, login, title, changes }: ChangeFacts): Email {
  const { subject, line, what, ending } = wordings[language];
  const lines = [line(login, title, changes.map((change) => what[change]).join(', ')), ending];
  const html = lines.map((text) => `<p>${escapeHtml(text)}</p>`).join('');
  return {
    to,
    subject: subject(title),
    text: `${lines.join('\n\n')}\n`,
    html: `<!doctype html><html lang="${language}"><body>${html}</body></html>`,
  };
}
