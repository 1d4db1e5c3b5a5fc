/** What the address of a mosaic says. */
export type MosaicSearch = {
  /** A moment of the archive: ms since the epoch, or a date with a time. */
  readonly t?: string | number;
  /** Pictures only, without the page around them. */
  readonly kiosk?: true;
  /** From 1. */
  readonly page?: number;
};

/** Reads the address; what makes no sense is left out. */
export function mosaicSearch(search: Readonly<Record<string, unknown>>): MosaicSearch {
  const { t, kiosk, page } = search;
  const isPage = typeof page === 'number' && Number.isSafeInteger(page) && page > 1;
  return {
    ...(typeof t === 'string' || typeof t === 'number' ? { t } : {}),
    ...(kiosk === true || kiosk === 1 ? { kiosk: true } : {}),
    ...(isPage ? { page } : {}),
  };
}

/** What is to be different; a member that is given as undefined goes. */
export type SearchChange = { readonly [Key in keyof MosaicSearch]: MosaicSearch[Key] | undefined };

/** The address after a change. */
export function changedSearch(old: MosaicSearch, changes: SearchChange): MosaicSearch {
  return mosaicSearch({ ...old, ...changes });
}

/** The moment of an address's `t`, ms since the epoch; undefined without a sensible one, which means live. */
export function momentOf({ t }: MosaicSearch): number | undefined {
  const ms = typeof t === 'number' ? t : t === undefined ? Number.NaN : Date.parse(t);
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
