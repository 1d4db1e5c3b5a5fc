import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { holdLimits } from '@vidette/contract/constants';
import type { Principal } from '../access/principal.ts';
import { silentLog as log } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { RuleEngine } from '../events/rule-engine.ts';
import { mergeMs, type JournalChange } from '../store/journal.ts';
import { temporaryStore } from '../store/store-fixture.ts';
import { newStream } from '../store/stream-fixture.ts';
import { newUser } from '../store/user-fixture.ts';
import type { AuditNote } from '../system/audit-event.ts';
import { FootageHolds } from './footage-holds.ts';

const dayMs = 86_400_000;
const note = { target: null, details: {} } as unknown as AuditNote;

/** A stream, and a rule of Anna's that holds the footage of its events from 30 s before to 60 s after for two days. */
async function made(t: TestContext) {
  const store = await temporaryStore(t);
  const clock = new ManualClock();
  const engine = new RuleEngine({ store, clock, log });
  store.journal.onWritten((db, entries) => engine.onWritten(db, entries));
  const anna = await store.users.add(newUser('anna'));
  const gate = await store.streams.add(newStream('gate'));
  const grant = (rights: { archive: boolean; edit: boolean }) =>
    store.permissions.replaceOfStream(gate.id, [
      { userId: anna.id, rights: { view: true, share: false, ...rights } },
    ]);
  await grant({ archive: true, edit: true });
  await store.rules.add({
    ...{ userId: anna.id, name: 'Night', isEnabled: true, createdMs: 0 },
    definition: {
      ...{
        kinds: ['motion', 'stream-down', 'retention'],
        streams: [],
        tags: [],
        schedule: null,
        minSeconds: 0,
      },
      ...{ count: null, unattended: false, otherRule: null, cooldownSeconds: 0, perHourMax: 60 },
      ...{ targets: [], bookmarks: false, exports: null },
      hold: { leadSeconds: 30, trailSeconds: 60, days: 2 },
    },
  });
  const write = async (changes: Parameters<typeof store.journal.append>[0]) => {
    await store.journal.append(changes);
  };
  const holds = new FootageHolds({
    store,
    clock,
    log,
    journalWriter: { write },
    nowMs: () => clock.wallMs(),
  });
  let keys = 0;
  const moves = (startMs = clock.wallMs(), lastsMs = 5_000) =>
    write([
      { type: 'put', kind: 'motion', uid: 'gate', key: `m${keys++}`, startMs, endMs: startMs + lastsMs },
    ]);
  const spans = async () => (await holds.active()).map(({ startMs, endMs }) => [startMs, endMs]);
  const told = async () => {
    const { items } = await store.journal.page(
      { userId: anna.id, isAdmin: true },
      { streams: [], kinds: ['retention'], words: [], limit: 500 },
    );
    return items;
  };
  const as = async (login: string): Promise<Principal> => {
    const user = await store.users.byLogin(login);
    assert.ok(user);
    return { user, isAdmin: user.isAdmin, isReadOnly: false, by: { kind: 'session', id: 's' } } as Principal;
  };
  return { store, clock, anna, gate, grant, write, holds, moves, spans, told, as };
}

test('[R11.5] a rule holds the footage from before an event to after it, as soon as the event is written', async (t) => {
  const { clock, holds, moves, as } = await made(t);
  const startMs = clock.wallMs();
  await moves();
  const [hold, ...others] = await holds.list(await as('anna'), 'gate');
  assert.ok(hold);
  assert.deepEqual(others, []);
  const { startTime, endTime, heldUntil, rule, createdBy } = hold;
  assert.deepEqual(
    { startTime, endTime, heldUntil, rule, createdBy },
    {
      ...{ startTime: startMs - 30_000, endTime: startMs + 65_000, heldUntil: startMs + 2 * dayMs },
      ...{ rule: 'Night', createdBy: 'anna' },
    },
  );
});

test('[R11.5] while an event goes on, and while it may go on, its longest footage is held; then what it lasted', async (t) => {
  const { clock, write, holds, spans } = await made(t);
  const startMs = clock.wallMs();
  const longest = [startMs - 30_000, startMs + holdLimits.eventSecondsMax * 1_000 + 60_000];
  const begin = (atMs: number) => write([{ type: 'begin', kind: 'stream-down', uid: 'gate', startMs: atMs }]);
  const end = (atMs: number) => write([{ type: 'end', kind: 'stream-down', uid: 'gate', endMs: atMs }]);
  const seen = async (afterMs: number) => {
    clock.advance(afterMs);
    await holds.update();
    return spans();
  };
  await begin(startMs);
  assert.deepEqual(await seen(90_000), [longest]);
  await end(startMs + 90_000);
  assert.deepEqual(await seen(mergeMs), [longest]);
  await begin(startMs + 90_000 + mergeMs);
  await end(startMs + 200_000);
  assert.deepEqual(await seen(50_000 + mergeMs), [longest], 'it went on as the same event');
  assert.deepEqual(await seen(1), [[startMs - 30_000, startMs + 260_000]]);
});

test('[R11.5] of an event that is longer than an hour, the first hour is held', async (t) => {
  const { clock, write, moves, holds, spans } = await made(t);
  const startMs = clock.wallMs();
  const longestMs = startMs + holdLimits.eventSecondsMax * 1_000;
  await moves(startMs, holdLimits.eventSecondsMax * 1_000 + 1);
  await write([{ type: 'begin', kind: 'stream-down', uid: 'gate', startMs }]);
  await write([{ type: 'end', kind: 'stream-down', uid: 'gate', endMs: longestMs + 1 }]);
  clock.advance(longestMs + 2 + mergeMs - startMs);
  await holds.update();
  const span = [startMs - 30_000, longestMs + 60_000];
  assert.deepEqual(await spans(), [span, span]);
});

test('[R11.5] a hold is over at its time, and the end of one causes no other', async (t) => {
  const { clock, moves, holds, spans, told } = await made(t);
  await moves();
  clock.advance(2 * dayMs - 1);
  await holds.update();
  assert.equal((await spans()).length, 1);
  clock.advance(1);
  await holds.update();
  assert.deepEqual(await spans(), []);
  assert.deepEqual(await told(), []);
});

test('[R11.7] only an owner who may edit the stream and watch its archive holds its footage', async (t) => {
  const { grant, moves, spans, store, anna } = await made(t);
  await grant({ archive: true, edit: false });
  await moves();
  await grant({ archive: false, edit: true });
  await moves();
  assert.deepEqual(await spans(), []);
  await grant({ archive: true, edit: true });
  await store.users.save(anna.id, { isBlocked: true });
  await moves();
  assert.deepEqual(await spans(), []);
});

test('[R11.5] a hundred holds of a stream are in effect; the next one ends the oldest, and the journal tells it once', async (t) => {
  const { store, gate, clock, moves, holds, spans, told } = await made(t);
  const startMs = clock.wallMs();
  const hold = {
    ...{ streamId: gate.id, userId: null, ruleName: 'x', entryId: 1, trailSeconds: null },
    ...{ endMs: startMs, untilMs: startMs + dayMs, createdMs: startMs },
  };
  for (let index = 0; index < holdLimits.perStreamMax; index++) {
    await store.rules.transaction((db) => store.holds.add(db, { ...hold, startMs: index }));
  }
  await holds.update();
  assert.deepEqual(await told(), []);
  assert.equal((await spans()).length, holdLimits.perStreamMax);
  await moves();
  assert.deepEqual((await spans())[0], [1, startMs]);
  assert.equal((await spans()).length, holdLimits.perStreamMax);
  await holds.update();
  await holds.update();
  const [entry, ...others] = await told();
  assert.deepEqual(others, []);
  assert.equal(entry?.uid, 'gate');
  assert.equal(entry?.detail.code, 'hold-ended-number');
  assert.deepEqual(entry?.detail.figures, { startTime: 0, endTime: startMs, heldUntil: startMs + dayMs });
});

test('[R11.5] what ended because of its share is told, and no longer held', async (t) => {
  const { moves, holds, spans, told } = await made(t);
  await moves();
  await holds.end((await holds.active()).map(({ id }) => id));
  assert.deepEqual(await spans(), []);
  await holds.update();
  assert.equal((await told())[0]?.detail.code, 'hold-ended-share');
});

test('[R11.7] who may edit the stream and watch its archive releases holds, one or all', async (t) => {
  const { store, clock, grant, moves, holds, as } = await made(t);
  await moves();
  await moves(clock.wallMs() + 1);
  await moves(clock.wallMs() + 2);
  await store.users.add(newUser('boris'));
  const [anna, boris] = [await as('anna'), await as('boris')];
  const forbidden = { code: 'Forbidden' };
  const [newest] = await holds.list(anna, 'gate');
  assert.ok(newest);
  await assert.rejects(holds.list(boris, 'gate'), forbidden);
  await assert.rejects(holds.release(boris, 'gate', newest.id, note), forbidden);
  await grant({ archive: false, edit: true });
  await assert.rejects(holds.list(anna, 'gate'), forbidden);
  await assert.rejects(holds.releaseAll(anna, 'gate', note), forbidden);
  await grant({ archive: true, edit: false });
  await assert.rejects(holds.release(anna, 'gate', newest.id, note), forbidden);
  await grant({ archive: true, edit: true });
  await holds.release(anna, 'gate', newest.id, note);
  await assert.rejects(holds.release(anna, 'gate', newest.id, note), { code: 'NotFound' });
  assert.equal((await holds.list(anna, 'gate')).length, 2);
  assert.equal(await holds.releaseAll(anna, 'gate', note), 2);
  assert.deepEqual(await holds.list(anna, 'gate'), []);
});

test('[R11.5] a stream with held footage is not deleted before it is released', async (t) => {
  const { store, gate, moves, holds, as } = await made(t);
  await moves();
  for (const purge of [false, true])
    await assert.rejects(store.streams.remove(gate.id, { purge }), { code: 'FootageHeld' });
  assert.ok(await store.streams.byUid('gate'));
  await holds.releaseAll(await as('anna'), 'gate', note);
  await store.streams.remove(gate.id, { purge: true });
  assert.equal(await store.streams.byUid('gate'), undefined);
});

test('[R11.8] hold and event are written together or not at all', async (t) => {
  const { store, clock, holds } = await made(t);
  const event: JournalChange = {
    ...{ type: 'put', kind: 'motion', uid: 'gate', key: 'a', startMs: clock.wallMs(), endMs: null },
  };
  const engine = new RuleEngine({ store, clock, log });
  let written = 0;
  store.journal.onWritten(async (db, entries) => {
    await engine.onWritten(db, entries);
    written = (await db.selectFrom('holds').select('id').execute()).length;
    throw new Error('killed');
  });
  await assert.rejects(store.journal.append([event]), /killed/);
  assert.equal(written, 1, 'before the end of the transaction');
  assert.deepEqual(await holds.active(), []);
  store.journal.onWritten((db, entries) => engine.onWritten(db, entries));
  await store.journal.append([event]);
  assert.equal((await holds.active()).length, 1);
});
