import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { StateChanges } from '../engine/state-changes.ts';
import { EventHub } from './event-hub.ts';
import { EventSources } from './event-sources.ts';

test('[R11.1] changes of states are told within 50 ms while a user follows them, and kept once a second while no user does', async (t) => {
  const clock = new ManualClock();
  const hub = new EventHub('run');
  const changes = new StateChanges();
  const users = new Set<number>();
  const told: string[] = [];
  hub.subscribe(({ event }) => {
    if (event.type === 'statuses') told.push(`${clock.monotonicMs()} ${event.uids.join()}`);
  });
  const sources = new EventSources({
    ...{ hub, changes, clock },
    log: silentLog,
    journalFeed: { subscribe: () => () => true },
    listRevision: () => 0,
    userIds: () => users,
    marks: { exports: () => Promise.resolve(''), mosaics: () => Promise.resolve('') },
    nodes: () => Promise.resolve(''),
    writes: undefined,
  });
  t.after(() => sources.close());
  changes.add('gate');
  changes.add('yard');
  clock.advance(1_020);
  assert.deepEqual(told.splice(0), ['1000 gate,yard']);
  changes.add('door');
  await sources.prepare(7);
  assert.deepEqual(told.splice(0), ['1020 door'], 'before the user gets the state of now');
  users.add(7);
  changes.add('gate');
  clock.advance(60);
  changes.add('gate');
  clock.advance(50);
  assert.deepEqual(told.splice(0), ['1070 gate', '1120 gate']);
  users.clear();
  clock.advance(1_000);
  changes.add('gate');
  clock.advance(400);
  assert.deepEqual(told, []);
  clock.advance(600);
  assert.equal(told.length, 1);
});
