import { digestBeforeMs, digestEntriesMax, digestKinds, reachesSpan } from '@vidette/contract/digest-plan';
import { limits } from '@vidette/contract/constants';
import type { JournalEntry } from '@vidette/contract/journal';
import type { Principal } from '../access/principal.ts';
import type { JournalService } from '../events/journal-service.ts';

/** Whose digest of which time. */
interface DigestedSpan {
  readonly streams: readonly string[];
  readonly tag?: string | undefined;
  readonly startTime: number;
  readonly endTime: number;
}

/** The newest entries that a digest shows, as the caller may see them: the page reads the same. */
export async function digestEntries(
  journal: Pick<JournalService, 'page'>,
  principal: Principal,
  { streams, tag, startTime, endTime }: DigestedSpan,
): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = [];
  let cursor: string | null | undefined;
  do {
    const query = {
      from: Math.max(0, startTime - digestBeforeMs),
      to: endTime,
      streams: [...streams],
      kinds: [...digestKinds],
      tag,
      text: [],
      reviewed: undefined,
      limit: limits.pageSizeMax,
      cursor: cursor ?? undefined,
    };
    // A digest shows no reasons, so that their language doesn't matter.
    const { items, next } = await journal.page(principal, query, 'en');
    entries.push(...items.filter((entry) => reachesSpan(entry, startTime)));
    cursor = next;
  } while (cursor !== null && entries.length < digestEntriesMax);
  return entries;
}
