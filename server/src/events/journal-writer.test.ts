import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { ManualClock } from '../base/manual-clock.ts';
import type { JournalChange, WrittenEntry } from '../store/journal.ts';
import { JournalWriter } from './journal-writer.ts';
import { MomentTally } from './moment-tally.ts';

const begin = (uid: string, startMs: number): JournalChange => ({
  ...{ type: 'begin', kind: 'stream-down', uid, startMs },
});
const end = (uid: string, endMs: number): JournalChange => ({ type: 'end', kind: 'stream-down', uid, endMs });

/** A writer whose database can fail. */
function scene() {
  const clock = new ManualClock();
  const batches: (readonly JournalChange[])[] = [];
  const published: number[] = [];
  const database = { fails: false };
  const writer = new JournalWriter({
    clock,
    log: pino({ level: 'silent' }),
    feed: { noteWritten: (ids) => published.push(...ids) },
    journal: {
      append: async (prepared) => {
        if (typeof prepared === 'function') throw new Error('not expected here');
        if (database.fails) throw new Error('locked');
        batches.push(prepared);
        return Promise.resolve(prepared.map((_, id) => ({ id }) as WrittenEntry));
      },
    },
  });
  return { clock, batches, published, database, writer };
}

test('[R11.3] changes are written together; a source that flaps costs one begin, whatever it does meanwhile', async () => {
  const { clock, batches, published, writer } = scene();
  for (let n = 0; n < 1_000; n++) {
    writer.note(begin('gate', n * 20));
    writer.note(end('gate', n * 20 + 10));
  }
  writer.note(begin('hall', 5));
  assert.deepEqual(batches, []);
  clock.advance(200);
  await writer.close();
  assert.deepEqual(batches, [[begin('gate', 0), end('gate', 19_990), begin('hall', 5)]]);
  assert.equal(published.length, 3);
  assert.equal(clock.pendingTimers, 0);
});

test('[R11.3] ten thousand streams that go dark are written in several transactions; two outages of one stay apart', async () => {
  const { batches, writer } = scene();
  for (let n = 0; n < 10_000; n++) writer.note(begin(`s${n}`, 1));
  writer.note(end('s0', 2));
  writer.note(begin('s0', 90_000));
  await writer.close();
  assert.equal(batches.length, 20);
  assert.equal(batches.flat().length, 10_002);
  assert.deepEqual(batches[0]?.slice(0, 3), [begin('s0', 1), end('s0', 2), begin('s0', 90_000)]);
});

test('while the database fails, what was noted first is written first, once it accepts it', async () => {
  const { clock, batches, database, writer } = scene();
  database.fails = true;
  writer.note(begin('gate', 1));
  await writer.settle();
  writer.note(end('gate', 2));
  database.fails = false;
  clock.advance(5_000);
  await writer.close();
  assert.deepEqual(batches, [[begin('gate', 1), end('gate', 2)]]);
});

test('[R11.3] moments of one subject within a window are one entry with a count, and too many subjects are one', () => {
  const { clock, writer } = scene();
  const noted: JournalChange[] = [];
  writer.note = (change) => noted.push(change);
  const tally = new MomentTally({ kind: 'sign-in-failed', windowMs: 60_000, writer, clock });
  const from = (address: string) => tally.note({ uid: null, detail: { user: null, address } });
  from('192.0.2.1');
  clock.advance(1_000);
  from('192.0.2.1');
  const keys = () => new Set(noted.map((change) => (change.type === 'put' ? change.key : '')));
  assert.equal(keys().size, 1);
  assert.deepEqual(noted[1]?.type === 'put' && noted[1].detail?.figures, { count: 2 });
  for (let n = 0; n < 1_000; n++) from(`198.51.100.${n}`);
  assert.equal(keys().size, 201);
  clock.advance(60_000);
  from('192.0.2.1');
  assert.equal(keys().size, 202);
});
