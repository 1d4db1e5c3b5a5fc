import type { MessageLanguage } from '@vidette/contract/errors';
import type { Email } from './mailer.ts';

export interface ResetEmailFacts {
  readonly to: string;
  readonly login: string;
  readonly code: string;
  readonly minutes: number;
  /** The name of this server. */
  readonly title: string;
  /** The page where the code is entered; undefined while no public address is configured. */
  readonly url: string | undefined;
}

/** The e-mail with a password reset code, in the user's language, as text and as HTML. */
export function resetEmail(language: MessageLanguage, facts: ResetEmailFacts): Email {
  const { subject, lines, code, rpc, ending } = wordings[language](facts);
  const text = [...lines, `${code} ${facts.code}`, ...(facts.url ? [`${rpc} ${facts.url}`] : []), ending];
  const paragraphs = [
    ...lines.map(escapeHtml),
    `${escapeHtml(code)} <b style="font:bold 1.4em monospace">${escapeHtml(facts.code)}</b>`,
    ...(facts.url ? [`<a href="${escapeHtml(facts.url)}">${escapeHtml(rpc)}</a>`] : []),
    escapeHtml(ending),
  ];
  return {
    to: facts.to,
    subject,
    text: `${text.join('\n\n')}\n`,
    html: `<!doctype html><html lang="${language}"><body>${paragraphs.map((line) => `<p>${line}</p>`).join('')}</body></html>`,
  };
}

interface Wording {
  readonly subject: string;
  readonly lines: readonly string[];
  readonly code: string;
  readonly rpc: string;
  readonly ending: string;
}

const wordings: Record<MessageLanguage, (facts: ResetEmailFacts) => Wording> = {
  en: ({ login, title, minutes }) => ({
    subject: `${title}: code for a new password`,
    lines: [`A new password was requested for the user ${login} of ${title}.`],
    code: 'Your code:',
    rpc: 'Set a new password:',
    ending: `The code is valid for ${minutes} min and works once. If you did not request it, ignore this e-mail: the password does not change.`,
  }),
  ru: ({ login, title, minutes }) => ({
    subject: `${title}: код для нового пароля`,
    lines: [`Запрошен новый пароль для пользователя ${login} в ${title}.`],
    code: 'Ваш код:',
    rpc: 'Задать новый пароль:',
    ending: `Код действует ${minutes} мин и только один раз. Если вы его не запрашивали, не обращайте внимания на это письмо: пароль останется прежним.`,
  }),
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
