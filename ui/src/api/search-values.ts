import { limits } from '@vidette/contract/constants';

/**
 * Splits a query into the values that must all match [R5.4]: words, or phrases in quotes. `gate "north yard"`
 * gives `gate` and `north yard`.
 */
export function searchValues(text: string): string[] {
  const values = [...text.matchAll(/"([^"]*)"?|[^\s"]+/g)].map(([word, phrase]) => (phrase ?? word).trim());
  const wanted = values.filter((value) => value !== '').map((value) => value.slice(0, limits.nameMaxLength));
  return [...new Set(wanted)].slice(0, limits.searchValuesMax);
}
