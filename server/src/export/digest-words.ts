import type { ExportedDigest } from '../store/exports.ts';

// What the pictures of a digest say.

const words = {
  en: {
    gap: (from: string, to: string) => `No recording ${from} to ${to}`,
    unreadable: 'This footage can’t be shown',
  },
  ru: {
    gap: (from: string, to: string) => `Нет записи с ${from} до ${to}`,
    unreadable: 'Эту запись не удалось показать',
  },
};

type Reader = Pick<ExportedDigest, 'language' | 'timeZone'>;

/** A stretch without footage, with the reader's times of day. */
export function gapWords(fromMs: number, toMs: number, { language, timeZone }: Reader): string {
  const time = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
    timeZone,
  });
  return words[language].gap(time.format(fromMs), time.format(toMs));
}

/** Footage that can't be read or decoded. */
export function unreadableWords({ language }: Reader): string {
  return words[language].unreadable;
}
