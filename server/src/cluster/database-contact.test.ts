import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog, type Log } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { DatabaseContact } from './database-contact.ts';

function contacting() {
  const clock = new ManualClock();
  const lines: string[] = [];
  const log: Log = {
    ...silentLog,
    info: (_: unknown, text?: string) => void lines.push(`info ${text}`),
    warn: (_: unknown, text?: string) => void lines.push(`warn ${text}`),
  };
  return { clock, lines, contact: new DatabaseContact(clock, log) };
}

test('[R10.8] an answer counts for two seconds, and not after a failure', () => {
  const { clock, contact } = contacting();
  assert.equal(contact.isFresh, false);
  contact.noteAnswer();
  clock.advance(1_999);
  assert.equal(contact.isFresh, true);
  clock.advance(1);
  assert.equal(contact.isFresh, false);
  contact.noteAnswer();
  contact.noteFailure(new Error('away'));
  assert.equal(contact.isFresh, false);
});

test('an outage is logged once at its start and once at its end', () => {
  const { lines, contact } = contacting();
  contact.noteAnswer();
  for (let count = 0; count < 3; count++) contact.noteFailure(new Error('away'));
  for (let count = 0; count < 3; count++) contact.noteAnswer();
  assert.deepEqual(lines, [
    'warn The lease of this node could not be renewed; retrying',
    'info The database answers again',
  ]);
});

test('before peers can be asked, none counts as reaching the database', async () => {
  const { contact } = contacting();
  assert.equal(await contact.isReachedBy(['b']), false);
  contact.askPeers((ids) => Promise.resolve(ids.includes('b')));
  assert.equal(await contact.isReachedBy(['b']), true);
});
