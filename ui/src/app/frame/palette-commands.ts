import type { User } from '@vidette/contract/entities';
import type { SearchResult } from './search-api.ts';
import type { I18n, MessageKey } from '../../i18n/i18n.ts';
import { destinationsOf } from './destinations.ts';

/** One line of the palette. */
export interface PaletteCommand {
  readonly id: string;
  readonly label: string;
  /** Its kind or location, in secondary text next to the label. */
  readonly note: string;
  readonly run: () => void;
}

/** A titled group of lines. */
export interface CommandGroup {
  readonly name: MessageKey;
  readonly commands: readonly PaletteCommand[];
}

/** The palette's actions; the caller provides the screens and services behind them. */
export interface CommandActions {
  readonly goTo: (address: string) => void;
  readonly open: (found: SearchResult) => void;
  readonly chooseTheme: (theme: 'auto' | 'light' | 'dark') => void;
  readonly chooseLanguage: (language: 'en' | 'ru') => void;
  readonly leave: () => void;
}

const kindNames: Record<SearchResult['kind'], MessageKey> = {
  stream: 'palette.kind.stream',
  mosaic: 'palette.kind.mosaic',
  bookmark: 'palette.kind.bookmark',
  user: 'palette.kind.user',
};

/** Results found or opened before. */
export function thingCommands(
  prefix: string,
  things: readonly SearchResult[],
  i18n: I18n,
  { open }: CommandActions,
): PaletteCommand[] {
  return things.map((found) => ({
    id: `${prefix}-${found.kind}-${found.id}`,
    label: found.name || found.note || found.id,
    note: [i18n.t(kindNames[found.kind]), found.name ? found.note : ''].filter(Boolean).join(' · '),
    run: () => open(found),
  }));
}

/** Screens and actions whose names contain all the words; all of them for an empty query. */
export function ownCommands(text: string, user: User, i18n: I18n, actions: CommandActions): CommandGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = (commands: PaletteCommand[]) =>
    commands.filter(({ label, note }) =>
      words.every((word) => `${label} ${note}`.toLowerCase().includes(word)),
    );
  const places = destinationsOf(user).map(({ to, name, group }) => ({
    id: `place-${to.replaceAll('/', '-')}`,
    label: i18n.t(name),
    note: group === 'administration' ? i18n.t('menu.administration') : '',
    run: () => actions.goTo(to),
  }));
  const theme = (value: 'auto' | 'light' | 'dark', name: MessageKey) => ({
    id: `theme-${value}`,
    label: i18n.t(name),
    note: i18n.t('settings.theme'),
    run: () => actions.chooseTheme(value),
  });
  const [language, languageName] =
    i18n.language === 'en' ? (['ru', 'language.ru'] as const) : (['en', 'language.en'] as const);
  const deeds = [
    theme('light', 'settings.theme.light'),
    theme('dark', 'settings.theme.dark'),
    theme('auto', 'settings.theme.system'),
    {
      id: `language-${language}`,
      label: i18n.t(languageName),
      note: i18n.t('account.language'),
      run: () => actions.chooseLanguage(language),
    },
    { id: 'leave', label: i18n.t('menu.logout'), note: '', run: actions.leave },
  ];
  return [
    { name: 'palette.screens', commands: fitting(places) },
    { name: 'palette.actions', commands: fitting(deeds) },
  ];
}
