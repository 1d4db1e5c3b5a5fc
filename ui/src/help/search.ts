/** A heading of the guide with the text below it, as `packaging/help-pages.mjs` lists them. */
export interface GuideSection {
  /** Relative to the guide's folder: page and anchor. */
  readonly address: string;
  /** The page's title. */
  readonly page: string;
  readonly heading: string;
  /** Without markup. */
  readonly text: string;
}

/** More words than that don't make a query more precise. */
const wordsMax = 8;

/**
 * The sections that contain every word of a query, as the beginning of a word: those with it in the heading first, then those
 * with it in the page's title, otherwise in the order of the guide.
 */
export function searchSections(sections: readonly GuideSection[], query: string): GuideSection[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, wordsMax);
  if (words.length === 0) return [];
  return sections
    .map((section) => ({ section, rank: rankOf(section, words) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .map(({ section }) => section);
}

/** 0 without one of the words. */
function rankOf({ page, heading, text }: GuideSection, words: readonly string[]): number {
  let rank = 0;
  for (const word of words) {
    const found = begins(heading, word) ? 16 : begins(page, word) ? 4 : begins(text, word) ? 1 : 0;
    if (found === 0) return 0;
    rank += found;
  }
  return rank;
}

/** Whether a word of a text begins with these letters; `archive.folder` has two words, and is one. */
function begins(text: string, letters: string): boolean {
  const all = text.toLowerCase();
  for (let at = all.indexOf(letters); at !== -1; at = all.indexOf(letters, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(all[at - 1] ?? '')) return true;
  }
  return false;
}
