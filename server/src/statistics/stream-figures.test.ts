import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ManagedStreamState, ManagedStreamStatus } from '../engine/state.ts';
import { StreamMetrics } from './stream-figures.ts';

const state = (status: ManagedStreamStatus, failureReason: string | null = null): ManagedStreamState => ({
  status,
  failureReason,
  code: failureReason === null ? null : 'EHOSTUNREACH',
});

test('[R10.2] an outage lasts from the last frame to the next, and contains its reason', () => {
  const watch = new StreamMetrics();
  watch.noteState(state('pending'), 1_000);
  watch.noteState(state('running'), 2_000);
  assert.deepEqual(watch.outages, []);
  watch.noteState(state('pending'), 3_000);
  watch.noteState(state('failed', 'It did not answer.'), 4_000);
  // Between two attempts the reason of the last one applies.
  watch.noteState(state('pending'), 5_000);
  watch.noteState(state('running'), 6_000);
  watch.noteState(state('paused'), 7_000);
  assert.deepEqual(watch.outages, [
    { startMs: 3_000, endMs: 6_000, state: state('failed', 'It did not answer.') },
    { startMs: 7_000, endMs: null, state: state('paused') },
  ]);
  assert.equal(watch.reconnects, 1);
});

test('a source that fell silent is in outage since its last frame; the report of a lost engine says nothing about that', () => {
  const watch = new StreamMetrics();
  watch.noteState(state('running'), 2_000);
  watch.noteState(state('failed', 'It fell silent.'), 30_000, 20_000);
  watch.noteState(state('running'), 40_000);
  watch.noteState(state('failed', 'The engine is lost.'), 50_000, 39_990);
  assert.deepEqual(
    watch.outages.map(({ startMs }) => startMs),
    [20_000, 50_000],
  );
});

test('a source that has failed from the start is in outage since then; the newest outages are kept', () => {
  const watch = new StreamMetrics();
  watch.noteState(state('failed', 'No such host.'), 500);
  assert.deepEqual(watch.outages, [{ startMs: 500, endMs: null, state: state('failed', 'No such host.') }]);
  for (let at = 0; at < 80; at++) {
    watch.noteState(state('running'), 1_000 + at * 10);
    watch.noteState(state('pending'), 1_005 + at * 10);
  }
  assert.equal(watch.outages.length, 50);
  assert.equal(watch.outages.at(-1)?.startMs, 1_795);
});
