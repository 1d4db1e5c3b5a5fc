import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { ManualClock } from '../base/manual-clock.ts';
import type { MotionEvent } from './motion-detector.ts';
import { MotionJournal, type EventStore, type NotedEvent } from './motion-journal.ts';

const log = pino({ level: 'silent' });

function event(startMs: number, endMs: number): MotionEvent {
  return { startMs, endMs, score: 2.04, isOpen: false };
}

/** Keeps saved events in memory. */
function memory() {
  const saved: NotedEvent[] = [];
  const removals: [string, ReadonlyMap<string, number>][] = [];
  const store: EventStore = {
    saveEvents(events) {
      saved.push(...events);
      return Promise.resolve();
    },
    removeEndedBefore(kind, bounds) {
      removals.push([kind, bounds]);
      return Promise.resolve();
    },
  };
  return { saved, removals, store };
}

test('[R10.7] events of all streams are saved together; an event reported twice is saved once, with its later end', async () => {
  const { saved, store } = memory();
  const clock = new ManualClock();
  const journal = new MotionJournal({
    store,
    clock,
    log,
    keptSince: () => Promise.resolve(undefined),
    uids: () => [],
  });
  journal.note('cam1', event(1_000, 3_000));
  journal.note('cam2', event(1_000, 3_000));
  journal.note('cam1', event(1_000, 9_000));
  assert.equal(saved.length, 0);
  clock.advance(1_000);
  await journal.close();
  assert.deepEqual(saved, [
    { uid: 'cam1', kind: 'motion', startMs: 1_000, endMs: 9_000, note: '×2.0', score: 2 },
    { uid: 'cam2', kind: 'motion', startMs: 1_000, endMs: 3_000, note: '×2.0', score: 2 },
  ]);
  assert.equal(clock.pendingTimers, 0);
});

test('[R10.4] [R10.7] events whose footage was deleted are deleted periodically', async () => {
  const { removals, store } = memory();
  const clock = new ManualClock();
  const keptSince = (uid: string) => Promise.resolve(uid === 'cam1' ? 6_000 : undefined);
  const journal = new MotionJournal({ store, clock, log, keptSince, uids: () => ['cam1', 'cam2'] });
  clock.advance(10 * 60_000);
  for (let turns = 0; removals.length === 0 && turns < 100; turns++) await Promise.resolve();
  assert.deepEqual(removals, [['motion', new Map([['cam1', 6_000]])]]);
  await journal.close();
});

test('while the database fails, events wait up to a limit and are saved once it accepts them', async () => {
  const clock = new ManualClock();
  const saved: NotedEvent[] = [];
  let refuses = true;
  let attempts = 0;
  const store: EventStore = {
    saveEvents(events) {
      attempts++;
      if (refuses) return Promise.reject(new Error('locked'));
      saved.push(...events);
      return Promise.resolve();
    },
    removeEndedBefore: () => Promise.resolve(),
  };
  const journal = new MotionJournal({
    store,
    clock,
    log,
    keptSince: () => Promise.resolve(undefined),
    uids: () => [],
  });
  for (let at = 0; at < 10_050; at++) journal.note('cam1', event(at, at + 1));
  clock.advance(1_000);
  await new Promise(setImmediate);
  assert.equal(attempts, 1);
  refuses = false;
  journal.note('cam1', event(20_000, 20_001));
  clock.advance(10_000);
  await journal.close();
  assert.equal(saved.length, 10_000);
  assert.equal(saved.at(-1)?.startMs, 20_000);
  assert.equal(clock.pendingTimers, 0);
});
