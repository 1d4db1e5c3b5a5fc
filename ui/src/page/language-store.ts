import type { MessageLanguage } from '@vidette/contract/errors';
import { loadI18n, type I18n } from '../i18n/i18n.ts';

/** The current language, for components to subscribe to and for the rest of the page to read. */
export class LanguageStore {
  #i18n: I18n;
  readonly #page: Document;
  readonly #listeners = new Set<() => void>();
  #wantsAll = false;

  constructor(i18n: I18n, page: Document) {
    this.#i18n = i18n;
    this.#page = page;
    page.documentElement.lang = i18n.language;
  }

  readonly get = (): I18n => this.#i18n;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Fetches the messages that the first screens don't need, in this language and in later ones. */
  async learnAll(): Promise<void> {
    this.#wantsAll = true;
    // Another zone or language may replace it meanwhile, with only the first messages loaded as well.
    for (let learned: I18n | undefined; learned !== this.#i18n;) {
      learned = this.#i18n;
      await learned.learnAll();
    }
  }

  /** Switches the zone in which times are formatted. */
  moveTo(timeZone: string): void {
    if (timeZone !== this.#i18n.timeZone) this.#show(this.#i18n.inZone(timeZone));
  }

  /** Fetches the language's messages, then switches everything in one step. */
  async change(language: MessageLanguage): Promise<void> {
    if (language === this.#i18n.language) return;
    const next = await loadI18n(language);
    if (this.#wantsAll) await next.learnAll();
    this.#page.documentElement.lang = language;
    this.#show(next.inZone(this.#i18n.timeZone));
  }

  #show(i18n: I18n): void {
    this.#i18n = i18n;
    for (const listener of this.#listeners) listener();
  }
}
