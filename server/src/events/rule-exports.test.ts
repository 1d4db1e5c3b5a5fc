import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { ruleExportLimits } from '@vidette/contract/constants';
import { Fault } from '../base/fault.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { temporaryStore } from '../store/store-fixture.ts';
import { newStream } from '../store/stream-fixture.ts';
import { newUser } from '../store/user-fixture.ts';
import { RuleEngine } from './rule-engine.ts';
import { RuleExporter, type WantedExport } from './rule-exports.ts';

const log = pino({ level: 'silent' });

async function made(t: TestContext) {
  const store = await temporaryStore(t);
  const clock = new ManualClock();
  const engine = new RuleEngine({ store, clock, log });
  store.journal.onWritten((db, entries) => engine.onWritten(db, entries));
  const anna = await store.users.add(newUser('anna'));
  const gate = await store.streams.add(newStream('gate'));
  const grant = (archive: boolean) => {
    const rights = { view: true, archive, share: false, edit: false };
    return store.permissions.replaceOfStream(gate.id, [{ userId: anna.id, rights }]);
  };
  await grant(true);
  const started: WantedExport[] = [];
  const state: { fault: Fault | undefined } = { fault: undefined };
  const exporter = new RuleExporter({
    store,
    clock,
    log,
    start: (wanted) => {
      if (state.fault) return Promise.reject(state.fault);
      started.push(wanted);
      return Promise.resolve();
    },
  });
  await store.rules.add({
    ...{ userId: anna.id, name: 'Gate', isEnabled: true, createdMs: 0 },
    definition: {
      ...{ kinds: ['motion', 'stream-down'], streams: [], tags: [], schedule: null, minSeconds: 0 },
      ...{ count: null, unattended: false, otherRule: null, cooldownSeconds: 0, perHourMax: 60 },
      ...{ targets: [], bookmarks: false, exports: { leadSeconds: 10, trailSeconds: 20 }, hold: null },
    },
  });
  let keys = 0;
  const moves = (startMs = clock.wallMs(), lastsMs = 5_000) =>
    store.journal.append([
      { type: 'put', kind: 'motion', uid: 'gate', key: `m${keys++}`, startMs, endMs: startMs + lastsMs },
    ]);
  /** Lets time pass in steps, as the search for due exports sees it. */
  const wait = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 5) {
      clock.advance(5_000);
      await exporter.startDue();
    }
  };
  return { store, clock, anna, grant, started, state, exporter, moves, wait };
}

test('[R11.5] a rule exports an event with what surrounds it, once its footage exists', async (t) => {
  const { clock, anna, started, moves, wait } = await made(t);
  const startMs = clock.wallMs();
  await moves();
  await wait(35);
  assert.deepEqual(started, [], 'event, trail, and the time until footage can be read');
  await wait(5);
  assert.deepEqual(started, [
    {
      ...{ userId: anna.id, uid: 'gate', streamName: 'gate', name: 'Gate' },
      ...{ startMs: startMs - 10_000, endMs: startMs + 25_000 },
    },
  ]);
  await wait(600);
  assert.equal(started.length, 1);
});

test('[R11.5] an event that goes on is exported when it ends, or its first hour', async (t) => {
  const { store, clock, started, wait } = await made(t);
  const begin = (startMs: number) =>
    store.journal.append([{ type: 'begin', kind: 'stream-down', uid: 'gate', startMs }]);
  const end = (endMs: number) =>
    store.journal.append([{ type: 'end', kind: 'stream-down', uid: 'gate', endMs }]);
  const shortMs = clock.wallMs();
  await begin(shortMs);
  await wait(300);
  assert.equal(started.length, 0);
  await end(shortMs + 300_000);
  await wait(120);
  assert.equal(started.pop()?.endMs, shortMs + 320_000);

  const longMs = clock.wallMs();
  await begin(longMs);
  await wait(ruleExportLimits.eventSecondsMax + 120);
  assert.equal(started.pop()?.endMs, longMs + ruleExportLimits.eventSecondsMax * 1_000 + 20_000);
});

test('[R11.7] without the right on the archive nothing is exported, and an event that became invisible is forgotten', async (t) => {
  const { store, clock, anna, grant, started, moves, wait } = await made(t);
  await grant(false);
  await moves();
  assert.deepEqual(await store.ruleExports.due(clock.wallMs(), 9), []);
  await grant(true);
  await moves();
  assert.equal((await store.ruleExports.due(clock.wallMs(), 9)).length, 1);
  await store.users.save(anna.id, { isBlocked: true });
  await wait(60);
  assert.equal(started.length, 0);
  assert.deepEqual(await store.ruleExports.due(Number.MAX_SAFE_INTEGER, 9), []);
});

test('[R11.5] the rules of a user export twelve events in an hour', async (t) => {
  const { clock, started, moves, wait } = await made(t);
  for (let count = 0; count <= ruleExportLimits.perHourMax; count++) await moves();
  await wait(60);
  assert.equal(started.length, ruleExportLimits.perHourMax);
  clock.advance(3_600_000 - 60_000 - 1);
  await moves();
  await wait(60);
  assert.equal(started.length, ruleExportLimits.perHourMax, 'a moment before the hour is over');
  clock.advance(1);
  await moves();
  await wait(60);
  assert.equal(started.length, ruleExportLimits.perHourMax + 1);
});

test('[R11.5] an export that can’t start now is tried again for an hour; one that is refused is not', async (t) => {
  const { started, state, moves, wait, store } = await made(t);
  state.fault = new Fault('Unavailable', 'A node is away.');
  await moves();
  await wait(600);
  state.fault = undefined;
  await wait(60);
  assert.equal(started.length, 1);
  state.fault = new Fault('QuotaReached', 'Full.');
  await moves();
  await wait(60);
  assert.deepEqual(await store.ruleExports.due(Number.MAX_SAFE_INTEGER, 9), []);
});

test('[R11.5] of two nodes only one takes an export', async (t) => {
  const { store, clock, moves } = await made(t);
  await moves();
  const [wanted] = await store.ruleExports.due(clock.wallMs(), 9);
  assert.ok(wanted);
  assert.equal(await store.ruleExports.postpone(wanted, clock.wallMs() + 60_000), true);
  assert.equal(await store.ruleExports.postpone(wanted, clock.wallMs() + 60_000), false);
});
