import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settle } from 'node:timers/promises';
import { ManualClock } from '../base/manual-clock.ts';
import { Heartbeat } from './heartbeat.ts';

function beating() {
  const clock = new ManualClock();
  const events: string[] = [];
  const ends: (() => void)[] = [];
  const heartbeat = new Heartbeat(clock, () => {
    events.push('beat');
    return new Promise((resolve) => ends.push(resolve));
  });
  const pass = async (ms: number) => {
    clock.advance(ms);
    await settle();
  };
  return { events, ends, heartbeat, pass };
}

test('the next beat starts a second after the end of the previous one', async () => {
  const { events, ends, heartbeat, pass } = beating();
  heartbeat.start();
  await pass(0);
  await pass(5_000);
  assert.equal(events.length, 1);
  ends[0]?.();
  await settle();
  await pass(999);
  assert.equal(events.length, 1);
  await pass(1);
  assert.equal(events.length, 2);
});

test('a task waits for the beat, and its error reaches only its caller', async () => {
  const { events, ends, heartbeat, pass } = beating();
  heartbeat.start();
  await pass(0);
  const failing = heartbeat.run(() => Promise.reject(new Error('away')));
  const task = heartbeat.run(() => Promise.resolve(void events.push('task')));
  assert.deepEqual(events, ['beat']);
  ends[0]?.();
  await assert.rejects(failing, /away/);
  await task;
  await pass(1_000);
  assert.deepEqual(events, ['beat', 'task', 'beat']);
});

test('stopping waits for the beat in progress, and none follows', async () => {
  const { events, ends, heartbeat, pass } = beating();
  heartbeat.start();
  await pass(0);
  let hasStopped = false;
  const stopped = heartbeat.stop().then(() => (hasStopped = true));
  await settle();
  assert.deepEqual([heartbeat.isStopped, hasStopped], [true, false]);
  ends[0]?.();
  await stopped;
  await pass(10_000);
  assert.deepEqual(events, ['beat']);
});
