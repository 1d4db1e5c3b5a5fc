import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalEntry } from '@vidette/contract/journal';
import { en } from '../../i18n/en/all.ts';
import { I18n } from '../../i18n/i18n.ts';
import { entryText } from './entry-text.ts';

const none = { code: null, reason: null, subject: null, user: null, address: null, figures: {} };

function entry(detail: Partial<JournalEntry['detail']>): JournalEntry {
  return {
    id: 1,
    kind: 'stream-down',
    stream: 'gate',
    streamName: 'Gate',
    startTime: 1,
    endTime: null,
    isOngoing: true,
    note: '',
    isReviewed: false,
    detail: { ...none, ...detail },
  };
}

test('[R11.4] the card of a camera that went dark says what is known: the reason as on its tile, else the sentence of its code', () => {
  const i18n = new I18n('en', en);
  const reason = 'The camera refused the user name or password.';
  assert.equal(entryText(entry({ code: 'HTTP_UNAUTHORIZED', reason }), i18n), reason);
  assert.match(entryText(entry({ code: 'EHOSTUNREACH' }), i18n), /\w/);
  assert.equal(entryText(entry({}), i18n), '');
  assert.equal(
    entryText(entry({ reason, figures: { count: 3 } }), i18n),
    `${reason} · ${i18n.t('events.times', { count: 3 })}`,
  );
});
