// The user's last view of the streams [R2.26]; it survives a reload, in this browser.

const key = 'vidette.streams';

/** Orders that the list offers in both views. */
export const sortTypes = [
  'name',
  '-name',
  '-createdAt',
  'status',
  '-status',
  'location',
  '-location',
] as const;

/** The columns of the table that can be hidden, in their order. */
export const columns = [
  'status',
  'share',
  'oldest',
  'bitrate',
  'viewers',
  'depth',
  'tags',
  'location',
] as const;

/** A column of the table that can be hidden. */
export type Column = (typeof columns)[number];

/** An order of the list: one of those offered, or by a column of the table. */
export type SortType = (typeof sortTypes)[number] | Column | `-${Column}`;

/** The settings in the list's header. */
export interface StreamsChoices {
  readonly view: 'grid' | 'table';
  readonly isGrouped: boolean;
  readonly onlyAvailable: boolean;
  readonly sortType: SortType;
  readonly search: string;
  readonly columns: readonly Column[];
}

export const defaultChoices: StreamsChoices = {
  view: 'grid',
  isGrouped: false,
  onlyAvailable: false,
  sortType: 'name',
  search: '',
  columns: ['status', 'share', 'oldest', 'bitrate', 'viewers', 'tags'],
};

/** The order with this name, if there is one. */
export function sortTypeOf(name: unknown): SortType | undefined {
  const known: readonly SortType[] = [
    ...sortTypes,
    ...columns.flatMap((column) => [column, `-${column}`] as const),
  ];
  return known.find((one) => one === name);
}

/** Loads the settings; missing or invalid ones get their defaults. */
export function loadChoices(storage: Pick<Storage, 'getItem'>): StreamsChoices {
  const stored = parse(storage.getItem(key));
  const { search, columns: shown } = stored;
  return {
    view: stored['view'] === 'table' ? 'table' : 'grid',
    isGrouped: stored['isGrouped'] === true,
    onlyAvailable: stored['onlyAvailable'] === true,
    sortType: sortTypeOf(stored['sortType']) ?? defaultChoices.sortType,
    search: typeof search === 'string' ? search : '',
    columns: Array.isArray(shown) ? columns.filter((one) => shown.includes(one)) : defaultChoices.columns,
  };
}

/** Saves the settings. */
export function saveChoices(storage: Pick<Storage, 'setItem'>, choices: StreamsChoices): void {
  storage.setItem(key, JSON.stringify(choices));
}

function parse(text: string | null): Record<string, unknown> {
  if (text === null) return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    // Truncated or foreign data: the list opens with the defaults.
    return {};
  }
}
