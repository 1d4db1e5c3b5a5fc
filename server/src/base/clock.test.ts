import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wallOffsetMs } from './clock.ts';

/** Clocks that are 1 s apart, of a process that is suspended for so long at each reading. */
function suspendedFor(...pausesMs: readonly number[]) {
  let nowMs = 5_000;
  let reading = 0;
  const pass = () => {
    nowMs += pausesMs[reading++] ?? 0;
    return nowMs;
  };
  return { wallMs: () => pass() + 1_000, monotonicMs: pass };
}

test('a process that is suspended between its readings of the two clocks does not take that for a difference', () => {
  assert.equal(wallOffsetMs(suspendedFor()), 1_000);
  assert.equal(wallOffsetMs(suspendedFor(300, 0, 0)), 1_000, 'before the first');
  assert.equal(wallOffsetMs(suspendedFor(0, 300)), 1_000, 'before the second');
  assert.equal(wallOffsetMs(suspendedFor(0, 0, 300)), 1_000, 'after the second');
});

test('where each reading takes long, the quickest counts', () => {
  const slow = [0, 40, 40, 0, 30, 30, 0, 2, 2, 0, 50, 50, 0, 60, 60];
  assert.equal(wallOffsetMs(suspendedFor(...slow)), 1_002);
});
