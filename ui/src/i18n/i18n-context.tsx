import { createContext, useContext } from 'react';
import type { I18n } from './i18n.ts';

const I18nContext = createContext<I18n | null>(null);

/** Provides the current language to everything below it. */
export const I18nProvider = I18nContext.Provider;

/** The current language: `const { t } = useI18n()` would lose `this`, so call `i18n.t(...)`. */
export function useI18n(): I18n {
  const i18n = useContext(I18nContext);
  if (!i18n) throw new Error('useI18n needs an I18nProvider above it');
  return i18n;
}
