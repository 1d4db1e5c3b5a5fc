import type { JournalService } from '../../events/journal-service.ts';
import type { Registrar } from '../registrar.ts';

/** The dependencies of the calls for the journal. */
export interface JournalServices {
  readonly journalService: JournalService;
}

/** What happened. */
export function registerJournal(registrar: Registrar, { journalService }: JournalServices): void {
  registrar.handle('listJournal', ({ principal, query, language }) =>
    journalService.page(principal, query, language),
  );

  registrar.handle('getJournalSummary', ({ principal }) => journalService.summary(principal));

  registrar.handle('reviewJournal', async ({ principal, body, audit }) => {
    await journalService.review(principal, body, audit);
    return {};
  });
}
