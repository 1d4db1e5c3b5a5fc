import { readDigest, type DigestedSpan } from '@vidette/contract/digest-entries';
import type { JournalEntry } from '@vidette/contract/journal';
import type { Principal } from '../access/principal.ts';
import type { JournalService } from '../events/journal-service.ts';

/** The newest entries that a digest shows, as the caller may see them: the page reads the same. */
export async function digestEntries(
  journal: Pick<JournalService, 'page'>,
  principal: Principal,
  span: DigestedSpan,
): Promise<readonly JournalEntry[]> {
  // A digest shows no reasons, so that their language doesn't matter.
  const { entries } = await readDigest(
    (query) => journal.page(principal, { ...query, text: [] }, 'en'),
    span,
  );
  return entries;
}
