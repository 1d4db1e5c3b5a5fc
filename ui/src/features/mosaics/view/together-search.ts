import { mosaicSearch, type MosaicSearch } from './mosaic-search.ts';

/** The search parameters of streams that are watched together. */
export type TogetherSearch = MosaicSearch & {
  /** As `writeTogether` writes them. */
  readonly streams?: string;
};

/** Parses the search parameters; invalid values are ignored, and invalid streams by the screen. */
export function togetherSearch(search: Readonly<Record<string, unknown>>): TogetherSearch {
  const { streams } = search;
  return { ...mosaicSearch(search), ...(typeof streams === 'string' ? { streams } : {}) };
}
