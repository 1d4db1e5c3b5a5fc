/** The search parameters of a mosaic. */
export type MosaicSearch = {
  /** A moment of the archive: ms since the epoch, or a date with a time. */
  readonly t?: string | number;
  /** Video only, without the page around it. */
  readonly kiosk?: true;
  /** From 1. */
  readonly page?: number;
};

/** Parses the search parameters; invalid values are ignored. */
export function mosaicSearch(search: Readonly<Record<string, unknown>>): MosaicSearch {
  const { t, kiosk, page } = search;
  const isPage = typeof page === 'number' && Number.isSafeInteger(page) && page > 1;
  return {
    ...(typeof t === 'string' || typeof t === 'number' ? { t } : {}),
    ...(kiosk === true || kiosk === 1 ? { kiosk: true } : {}),
    ...(isPage ? { page } : {}),
  };
}

/** The changes; a member given as undefined is removed. */
export type SearchChange = { readonly [Key in keyof MosaicSearch]: MosaicSearch[Key] | undefined };

/** The search parameters after a change. */
export function changedSearch(old: MosaicSearch, changes: SearchChange): MosaicSearch {
  return mosaicSearch({ ...old, ...changes });
}

/** The moment of the `t` parameter, ms since the epoch; undefined without a valid one, which means live. */
export function momentOf({ t }: MosaicSearch): number | undefined {
  const ms = typeof t === 'number' ? t : t === undefined ? Number.NaN : Date.parse(t);
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
