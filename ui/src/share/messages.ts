import type { MessageLanguage } from '@vidette/contract/errors';
import type { OldFrame } from '../playback/frame-age.ts';

const en = {
  live: 'Live',
  connecting: 'Connecting…',
  network: 'The server can’t be reached. Trying again…',
  storage: 'The storage does not answer. Trying again…',
  overload: 'The server is overloaded. Trying again…',
  silent: 'No new frames arrive. Waiting for the next one…',
  source: 'The camera sends nothing at the moment. The picture returns by itself.',
  paused: 'This stream is paused.',
  gesture: 'Your browser plays video only after a click.',
  play: 'Play',
  audioOn: 'Sound on',
  audioOff: 'Sound off',
  fullScreen: 'Full screen',
  invalid: 'This link is invalid or no longer works.',
  unsupported: 'This browser can’t play this stream.',
  failed: 'The picture can’t be shown.',
};

export type ShareMessages = Readonly<typeof en>;

/**
 * The few texts of the public page are bundled with it: the application's catalogue would be larger than its
 * player.
 */
export const shareMessages: Readonly<Record<MessageLanguage, ShareMessages>> = {
  en,
  ru: {
    live: 'Прямой эфир',
    connecting: 'Подключение…',
    network: 'Сервер не отвечает. Пробуем ещё раз…',
    storage: 'Хранилище не отвечает. Пробуем ещё раз…',
    overload: 'Сервер перегружен. Пробуем ещё раз…',
    silent: 'Новые кадры не приходят. Ждём следующего…',
    source: 'Камера сейчас ничего не передаёт. Изображение вернётся само.',
    paused: 'Этот поток приостановлен.',
    gesture: 'Браузер начнёт показ только после щелчка.',
    play: 'Смотреть',
    audioOn: 'Включить звук',
    audioOff: 'Выключить звук',
    fullScreen: 'На весь экран',
    invalid: 'Эта ссылка недействительна или больше не действует.',
    unsupported: 'Этот браузер не может показать этот поток.',
    failed: 'Изображение показать нельзя.',
  },
};

/** The number of viewers of this link, as in "3 viewers". */
export function viewersText(count: number, language: MessageLanguage): string {
  if (language === 'en') return count === 1 ? '1 viewer' : `${count} viewers`;
  const forms = { one: 'зритель', few: 'зрителя' } as Partial<Record<Intl.LDMLPluralRule, string>>;
  return `${count} ${forms[new Intl.PluralRules('ru').select(count)] ?? 'зрителей'}`;
}

/** "Last frame 12:40:18, 14 s ago". */
export function lastFrameText({ utcMs, ageMs }: OldFrame, language: MessageLanguage): string {
  const time = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : 'ru', {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  }).format(utcMs);
  const seconds = ageMs / 1000;
  const [amount, unit] =
    seconds < 60
      ? ([seconds, 'second'] as const)
      : seconds < 3600
        ? ([seconds / 60, 'minute'] as const)
        : ([seconds / 3600, 'hour'] as const);
  const age = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' })
    .format(Math.floor(amount))
    .replaceAll('sec', 's');
  return language === 'en' ? `Last frame ${time}, ${age} ago` : `Последний кадр ${time}, ${age} назад`;
}
