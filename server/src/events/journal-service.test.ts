import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalDetail } from '@vidette/contract/journal';
import type { SeenJournalEntry } from '../store/journal-pages.ts';
import { entryView } from './journal-service.ts';

const reason = '192.0.2.7 did not answer on port 554 within 10 s.';

/** An entry of a stream that went dark, with these members of its detail. */
function dark(detail: object): SeenJournalEntry {
  const members = {
    id: 1,
    kind: 'stream-down',
    uid: 'gate',
    streamName: 'Gate',
    startMs: 1,
    endMs: null,
  } as const;
  const rest = { code: 'EHOSTUNREACH', subject: null, user: null, address: null, figures: {}, ...detail };
  return {
    ...members,
    openKey: 'x',
    note: '',
    isReviewed: false,
    detail: rest as JournalDetail,
  } as SeenJournalEntry;
}

test('[R11.3] why a camera went dark is told in the language of the reader', () => {
  assert.equal(entryView(dark({ reason }), 'en').detail.reason, reason);
  assert.equal(entryView(dark({ reason }), 'ru').detail.reason, '192.0.2.7 не ответил на порту 554 за 10 с.');
});

test('[R11.3] a reason without a translation is the sentence of its code, and none stays none', () => {
  const unknown = entryView(dark({ reason: 'Something else.' }), 'ru').detail.reason;
  assert.match(unknown ?? '', /[а-я]/);
  assert.equal(entryView(dark({ reason: 'Something else.', code: null }), 'ru').detail.reason, null);
  // As a version without reasons wrote it.
  assert.equal(entryView(dark({}), 'en').detail.reason, null);
});
