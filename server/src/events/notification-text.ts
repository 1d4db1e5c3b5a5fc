import { isErrorCode, messageOf, type MessageLanguage } from '@vidette/contract/errors';
import type { JournalKind } from '@vidette/contract/journal';
import type { Message } from './channel.ts';

// Notifications in words, for channels that people read.

const kinds: Record<MessageLanguage, Record<JournalKind, string>> = {
  en: {
    motion: 'motion',
    annotation: 'annotation',
    'stream-down': 'no video',
    'recording-stopped': 'recording stopped',
    gap: 'footage is missing',
    disk: 'problem with a disk',
    node: 'problem with a server',
    'sign-in-failed': 'failed sign-in',
    'share-opened': 'public link opened',
    'export-made': 'export created',
    retention: 'recordings are not kept as configured',
  },
  ru: {
    motion: 'движение',
    annotation: 'отметка',
    'stream-down': 'нет видео',
    'recording-stopped': 'запись остановлена',
    gap: 'часть записи отсутствует',
    disk: 'неполадка с диском',
    node: 'неполадка с сервером',
    'sign-in-failed': 'неудачный вход',
    'share-opened': 'открыта публичная ссылка',
    'export-made': 'готова выгрузка',
    retention: 'записи хранятся не так, как настроено',
  },
};

const wordings = {
  en: {
    server: 'Server',
    suppressed: (count: number) =>
      `Since the last notification, the limits of this rule held back further events: ${count}.`,
    more: (count: number) => `And ${count} more.`,
    digest: (count: number) => `${count} notifications`,
    show: 'Show the moment',
    rule: (name: string) => `Rule: ${name}`,
    test: 'This is a test. Notifications reach you here.',
    testSubject: 'test notification',
    title: 'Test',
  },
  ru: {
    server: 'Сервер',
    suppressed: (count: number) =>
      `После прошлого уведомления ограничения правила задержали ещё события: ${count}.`,
    more: (count: number) => `И ещё ${count}.`,
    digest: (count: number) => `уведомлений: ${count}`,
    show: 'Показать этот момент',
    rule: (name: string) => `Правило: ${name}`,
    test: 'Это проверка. Уведомления до вас доходят.',
    testSubject: 'проверка уведомлений',
    title: 'Проверка',
  },
} as const;

/** Further words of notifications, in a language. */
export const notificationWords = (language: MessageLanguage) => wordings[language];

/** What happened, and where, as in `Yard: motion`. */
export function titleText({ delivery, streamName }: Message, language: MessageLanguage): string {
  const { kind, stream } = delivery.payload.event;
  const subject = stream === null ? wordings[language].server : (streamName ?? stream);
  return `${subject}: ${kinds[language][kind]}`;
}

/** When it happened, in a zone, and why. */
export function detailText({ delivery }: Message, language: MessageLanguage, timeZone: string): string {
  const { startMs } = delivery.payload.event;
  const time = new Intl.DateTimeFormat(language === 'ru' ? 'ru' : 'en-GB', {
    timeZone,
    dateStyle: 'medium',
    timeStyle: 'long',
  }).format(startMs);
  return sentences(time, reasonText({ delivery }, language));
}

/** Why it happened, and what was noted about it; empty without either. */
export function reasonText({ delivery }: Pick<Message, 'delivery'>, language: MessageLanguage): string {
  const { code, note } = delivery.payload.event;
  return sentences(code !== null && isErrorCode(code) ? messageOf(code, language) : '', note);
}

function sentences(...texts: readonly string[]): string {
  return texts
    .filter((text) => text !== '')
    .join('. ')
    .replaceAll('..', '.');
}
