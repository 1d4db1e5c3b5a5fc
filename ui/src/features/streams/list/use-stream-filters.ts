import { useDebouncedValue } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import { searchValues } from '../../../api/search-values.ts';
import type { StreamFilter } from '../streams-api.ts';
import { defaultChoices, loadChoices, saveChoices, type StreamsChoices } from './choices.ts';

const searchDelayMs = 200;

/** The settings of the list, and the streams that match them. */
export interface StreamFilters {
  readonly choices: StreamsChoices;
  /** Follows the search after a pause in typing. */
  readonly filter: StreamFilter;
  /** Some streams may be missing from the list because of the settings. */
  readonly isNarrowed: boolean;
  readonly change: (changes: Partial<StreamsChoices>) => void;
  /** Clears all filters of the list. */
  readonly showAll: () => void;
}

/** The settings of the list as the user last left them. */
export function useStreamFilters(): StreamFilters {
  const [choices, setChoices] = useState(() => loadChoices(localStorage));
  const [search] = useDebouncedValue(choices.search, searchDelayMs);
  const { isGrouped, onlyAvailable, sortType } = choices;
  const filter = useMemo(
    (): StreamFilter => ({
      groupType: isGrouped ? 'tag' : 'none',
      sortType,
      onlyAvailable,
      searchingValues: searchValues(search),
    }),
    [isGrouped, onlyAvailable, sortType, search],
  );
  const change = (changes: Partial<StreamsChoices>) => {
    const next = { ...choices, ...changes };
    setChoices(next);
    saveChoices(localStorage, next);
  };
  return {
    choices,
    filter,
    isNarrowed: onlyAvailable || filter.searchingValues?.length !== 0,
    change,
    showAll: () => change({ search: defaultChoices.search, onlyAvailable: false }),
  };
}
