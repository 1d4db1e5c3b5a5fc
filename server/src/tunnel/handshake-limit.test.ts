import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../base/manual-clock.ts';
import { HandshakeLimit } from './handshake-limit.ts';

test('[R10.9] thirty key exchanges a minute are accepted, and the next one is not', () => {
  const clock = new ManualClock();
  const limit = new HandshakeLimit(clock);
  for (let count = 0; count < 30; count++) assert.equal(limit.take(), true);
  clock.advance(59_999);
  assert.equal(limit.take(), false);
});

test('[R10.9] key exchanges that are spread over a longer time are always accepted', () => {
  const clock = new ManualClock();
  const limit = new HandshakeLimit(clock);
  for (let count = 0; count < 200; count++) {
    assert.equal(limit.take(), true);
    clock.advance(2_000);
  }
});
