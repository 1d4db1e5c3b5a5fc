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

/** The address after a change; a member that is given as undefined goes. */
export function changedSearch(
  old: MosaicSearch,
  changes: { readonly [Key in keyof MosaicSearch]: MosaicSearch[Key] | undefined },
): MosaicSearch {
  return mosaicSearch({ ...old, ...changes });
}
