import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { User } from '@vidette/contract/entities';
import { useState } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { ownCommands, thingCommands, type CommandGroup, type PaletteCommand } from './palette-commands.ts';
import { loadRecent } from './palette-recent.ts';
import { searchQuery } from './search-api.ts';
import { useCommandActions } from './use-command-actions.ts';

/** Typing counts as finished after this pause. */
const typingMs = 120;

interface PaletteResults {
  /** Groups with at least one command, in the order of the list. */
  readonly groups: readonly CommandGroup[];
  readonly error: Error | null;
  /** The groups belong to the text, not to an earlier one. */
  readonly isSettled: boolean;
  /** The first command for the text, from a search of its own if the results are not there yet. */
  readonly fetchFirst: () => Promise<PaletteCommand | undefined>;
}

/**
 * The commands for a text: what the server finds, or what was opened recently for an empty text, then screens and
 * actions.
 */
export function usePaletteResults(user: User, text: string): PaletteResults {
  const i18n = useI18n();
  const queryClient = useQueryClient();
  const [recent] = useState(() => loadRecent(localStorage, user.name));
  const words = text.trim();
  const [asked] = useDebouncedValue(words, typingMs);
  const { data, error, isFetching } = useQuery(searchQuery(words === '' ? '' : asked));
  const actions = useCommandActions(user);
  const own = ownCommands(words, user, i18n, actions);
  const things: CommandGroup =
    words === ''
      ? { name: 'palette.recent', commands: thingCommands('recent', recent, i18n, actions) }
      : { name: 'palette.found', commands: thingCommands('found', data?.items ?? [], i18n, actions) };
  return {
    groups: [things, ...own].filter(({ commands }) => commands.length > 0),
    error,
    isSettled: words === asked && !isFetching,
    fetchFirst: async () => {
      const { items } = await queryClient.fetchQuery(searchQuery(words));
      return [...thingCommands('found', items, i18n, actions), ...own.flatMap(({ commands }) => commands)][0];
    },
  };
}
