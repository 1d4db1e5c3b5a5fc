import { languages } from '@vidette/contract/constants';
import type { MessageLanguage } from '@vidette/contract/errors';
import type { en } from './en/all.ts';
import { formatMessage, parseMessage, type Message, type MessageRules } from './icu.ts';

// The page's messages: looking up a message, formatting values into it, and formatting numbers, times and
// durations for the reader's locale. Independent of React; `i18n-context.tsx` provides it to components.

/** The id of a message; the English catalogue is the list of them. */
export type MessageKey = keyof typeof en;

/** Every message of one language, in ICU message syntax. */
export type Catalogue = Readonly<Record<MessageKey, string>>;

/** The values of a message's placeholders. */
export type MessageValues = Readonly<Record<string, string | number>>;

/**
 * Picks the language: the profile's, then the server's default, then the browser's first supported one [R1.4].
 */
export function chooseLanguage(wanted: readonly (string | null | undefined)[]): MessageLanguage {
  for (const tag of wanted) {
    const base = tag?.toLowerCase().split('-')[0];
    const known = languages.find((language) => language === base);
    if (known) return known;
  }
  return 'en';
}

/**
 * One language; changing the language creates a new object. It starts with the messages of the first screens
 * and loads the rest before a screen needs them.
 */
export class I18n {
  readonly language: MessageLanguage;
  readonly #catalogue: Partial<Record<MessageKey, string>>;
  #isWhole = false;
  readonly #messages = new Map<MessageKey, Message>();
  readonly #rules: MessageRules;
  readonly #numbers = new Map<string, Intl.NumberFormat>();
  readonly #dates = new Map<string, Intl.DateTimeFormat>();
  readonly #timeZone: string | undefined;

  /** @param timeZone IANA name; without one, times are in the browser's own zone */
  constructor(language: MessageLanguage, catalogue: Partial<Catalogue>, timeZone?: string) {
    this.language = language;
    this.#timeZone = timeZone;
    this.#catalogue = { ...catalogue };
    this.#rules = {
      plural: new Intl.PluralRules(language),
      number: (value) => this.number(value),
    };
  }

  /**
   * IANA name of the zone in which times are written unless another is given. Looked up when a time is written: it takes
   * some 20 ms, and the sign-in screen writes none.
   */
  get timeZone(): string {
    return this.#timeZone ?? ownTimeZone();
  }

  /** The same messages with times in another zone. */
  inZone(timeZone: string): I18n {
    const moved = new I18n(this.language, this.#catalogue, timeZone);
    moved.#isWhole = this.#isWhole;
    return moved;
  }

  /** The message with its values filled in; plural forms follow the language. */
  t(key: MessageKey, values?: MessageValues): string {
    let message = this.#messages.get(key);
    if (!message) this.#messages.set(key, (message = parseMessage(this.#catalogue[key] ?? key)));
    return formatMessage(message, values ?? {}, this.#rules);
  }

  /** Fetches the messages of the signed-in screens, once. */
  async learnAll(): Promise<void> {
    if (this.#isWhole) return;
    const { signedIn } =
      this.language === 'ru' ? await import('./ru/signed-in.ts') : await import('./en/signed-in.ts');
    Object.assign(this.#catalogue, signedIn);
    this.#isWhole = true;
  }

  /** A number in the language's format: en 1,234.5; ru 1 234,5. No line breaks within it or before its unit. */
  number(value: number, options: Intl.NumberFormatOptions = {}): string {
    const id = JSON.stringify(options);
    let format = this.#numbers.get(id);
    if (!format) this.#numbers.set(id, (format = new Intl.NumberFormat(this.language, options)));
    // Intl writes an ordinary space before an English unit.
    return format.format(value).replaceAll(' ', '\u00a0');
  }

  /**
   * A moment (ms since the epoch) as a date with time to the second, in the given IANA zone or the reader's; a
   * zone other than this browser's is named.
   */
  dateTime(timeMs: number, timeZone = this.timeZone): string {
    const timeStyle = timeZone === ownTimeZone() ? 'medium' : 'long';
    return this.#date(timeMs, { dateStyle: 'medium', timeStyle }, timeZone);
  }

  /** A moment (ms since the epoch) as a date. */
  date(timeMs: number, timeZone = this.timeZone): string {
    return this.#date(timeMs, { dateStyle: 'medium' }, timeZone);
  }

  /** A moment (ms since the epoch) as a time of day to the second, 24 hours. */
  time(timeMs: number, timeZone = this.timeZone): string {
    return this.#date(
      timeMs,
      { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
      timeZone,
    );
  }

  #date(timeMs: number, options: Intl.DateTimeFormatOptions, timeZone: string): string {
    const id = JSON.stringify([options, timeZone]);
    let format = this.#dates.get(id);
    if (!format) {
      const locale = this.language === 'en' ? 'en-GB' : this.language;
      this.#dates.set(id, (format = new Intl.DateTimeFormat(locale, { ...options, timeZone })));
    }
    // "2026 г.": the word stays with its year.
    return format.format(timeMs).replace(' г.', '\u00a0г.');
  }

  /**
   * A duration as text in its two largest units: "3 min 12 s", "2 d 4 h"; under ten seconds with tenths.
   * @param durationMs not negative
   */
  duration(durationMs: number): string {
    if (durationMs < 10_000 && durationMs % 1000 !== 0) {
      return this.t('duration.second', { amount: this.number(Math.round(durationMs / 100) / 10) });
    }
    const seconds = Math.round(durationMs / 1000);
    const parts: (readonly [number, MessageKey])[] = [
      [Math.floor(seconds / 86_400), 'duration.day'],
      [Math.floor(seconds / 3600) % 24, 'duration.hour'],
      [Math.floor(seconds / 60) % 60, 'duration.minute'],
      [seconds % 60, 'duration.second'],
    ];
    const first = parts.findIndex(([amount]) => amount > 0);
    if (first < 0) return this.t('duration.second', { amount: this.number(0) });
    return parts
      .slice(first, first + 2)
      .filter(([amount]) => amount > 0)
      .map(([amount, unit]) => this.t(unit, { amount: this.number(amount) }))
      .join(' ');
  }

  /** A size in bytes with a decimal unit, three significant digits: "1.46 GB". */
  bytes(count: number): string {
    const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;
    let size = count;
    let index = 0;
    while (size >= 1000 && index < units.length - 1) {
      size /= 1000;
      index += 1;
    }
    return this.number(size, {
      style: 'unit',
      unit: units[index] ?? 'byte',
      // The short form of a byte is "0 byte".
      unitDisplay: index === 0 ? 'long' : 'short',
      maximumSignificantDigits: 3,
    });
  }
}

/** IANA name of this browser's zone. */
export function ownTimeZone(): string {
  return (own ??= new Intl.DateTimeFormat().resolvedOptions().timeZone);
}

let own: string | undefined;

/**
 * Fetches a language's first messages; each language is a chunk of its own, so that a reader loads only one.
 */
export async function loadI18n(language: MessageLanguage): Promise<I18n> {
  const { first } = language === 'ru' ? await import('./ru/first.ts') : await import('./en/first.ts');
  return new I18n(language, first);
}
