import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import { silentLog } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import type { AccessChange, AccessNews } from '../store/access-changes.ts';
import { AccessFeed, type AccessNote } from './access-feed.ts';

const mark = { server: '', transactionId: 0n, lastId: 0, reported: new Set<number>() };

/** A feed with a manual clock and a database that can stop answering. */
async function setUp(
  isFrozen?: () => Promise<boolean>,
  isQuiet?: () => boolean,
  noteUnread: () => void = () => {},
) {
  const clock = new ManualClock();
  const waiting: (readonly AccessChange[] | undefined)[] = [];
  const notes: AccessNote[] = [];
  const database = { isAway: false, losses: 0, questions: 0 };
  const since = async (): Promise<AccessNews> => {
    database.questions++;
    if (database.isAway) throw new Fault('Unavailable', 'The database does not answer.');
    return { mark, changes: waiting.length > 0 ? waiting.shift() : [] };
  };
  const feed = await AccessFeed.open({
    changes: { since, prune: async () => {} },
    clock,
    log: silentLog,
    onChange: (note) => notes.push(note),
    onLost: () => database.losses++,
    ...(isFrozen && { isFrozen }),
    ...(isQuiet && { writes: { isQuiet, noteUnread } }),
  });
  /** Advances in small steps, so that calls made on the way are answered. */
  const pass = async (ms: number) => {
    for (let passedMs = 0; passedMs < ms; passedMs += 50) {
      clock.advance(50);
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { feed, waiting, notes, database, pass };
}

test('[R4.4] a change made by another process is reported within half a second, with its user and stream', async () => {
  const { feed, waiting, notes, pass } = await setUp();
  waiting.push([
    { userId: 7, streamUid: 'gate' },
    { userId: 7, streamUid: null },
  ]);
  await pass(500);
  assert.deepEqual(notes, [{ userIds: new Set([7]), uids: new Set(['gate']) }]);
  waiting.push(undefined);
  await pass(500);
  assert.deepEqual(notes.slice(1), [undefined]);
  feed.close();
});

test('a database without new writes is not queried', async () => {
  const written = { isQuiet: false };
  const { feed, waiting, notes, database, pass } = await setUp(undefined, () => written.isQuiet);
  await pass(1_000);
  const asked = database.questions;
  assert.ok(asked > 2);
  written.isQuiet = true;
  waiting.push([{ userId: 7, streamUid: null }]);
  await pass(60_000);
  assert.deepEqual([database.questions, notes.length], [asked, 0]);
  written.isQuiet = false;
  await pass(500);
  assert.deepEqual(notes, [{ userIds: new Set([7]), uids: new Set() }]);
  feed.close();
});

test('changes that could not be read are read although nothing is written after them', async () => {
  let looks = 0;
  const { feed, waiting, notes, database, pass } = await setUp(
    undefined,
    () => looks++ >= 2,
    () => (looks = 0),
  );
  database.isAway = true;
  await pass(2_000);
  database.isAway = false;
  waiting.push([{ userId: 7, streamUid: null }]);
  await pass(500);
  assert.deepEqual(notes, [{ userIds: new Set([7]), uids: new Set() }]);
  feed.close();
});

test('a database used by only one server may stop answering: no other server can change anything', async () => {
  const { feed, database, pass } = await setUp();
  database.isAway = true;
  await pass(60_000);
  assert.equal(database.losses, 0);
  feed.close();
});

test('[R10.8, R4.4] a node that the database does not answer disconnects its viewers within the lease, unless no node can change anything', async () => {
  let frozen = true;
  const { feed, notes, database, pass } = await setUp(async () => frozen);
  database.isAway = true;
  await pass(30_000);
  assert.equal(database.losses, 0, 'all nodes say that it is away');
  frozen = false;
  await pass(3_000);
  assert.equal(database.losses, 0, 'one answer may be late');
  frozen = true;
  await pass(3_000);
  assert.equal(database.losses, 0);
  frozen = false;
  await pass(5_000);
  assert.equal(database.losses, 1);
  assert.deepEqual(notes, []);
  database.isAway = false;
  await pass(500);
  assert.deepEqual(notes, [undefined], 'all users are authorised again');
  database.isAway = true;
  await pass(4_000);
  assert.equal(database.losses, 1);
  await pass(1_000);
  assert.equal(database.losses, 2);
  feed.close();
});
