import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../base/manual-clock.ts';
import { KeepAlive } from './keep-alive.ts';

function started() {
  const clock = new ManualClock();
  const requests: (() => void)[] = [];
  const silences: number[] = [];
  const keepAlive = new KeepAlive({
    clock,
    request: (answered) => void requests.push(answered),
    onSilent: (timeoutMs) => silences.push(timeoutMs),
  });
  keepAlive.start();
  return { clock, requests, silences, keepAlive };
}

test('the next request follows 15 s after an answer, and the round trip is that of the last one', () => {
  const { clock, requests, silences, keepAlive } = started();
  assert.equal(keepAlive.roundTripMs, null);
  clock.advance(40);
  requests[0]?.();
  assert.equal(keepAlive.roundTripMs, 40);
  clock.advance(14_999);
  assert.equal(requests.length, 1);
  clock.advance(1);
  assert.equal(requests.length, 2);
  clock.advance(19_999);
  requests[1]?.();
  assert.equal(keepAlive.roundTripMs, 19_999);
  assert.deepEqual(silences, []);
});

test('a request without an answer is reported after 20 s', () => {
  const { clock, requests, silences } = started();
  clock.advance(20_000);
  assert.deepEqual(silences, [20_000]);
  clock.advance(60_000);
  assert.equal(requests.length, 1);
});

test('once stopped, it neither sends nor reports anything, and a late answer has no effect', () => {
  const { clock, requests, silences, keepAlive } = started();
  keepAlive.stop();
  keepAlive.start();
  requests[0]?.();
  clock.advance(60_000);
  assert.equal(requests.length, 1);
  assert.deepEqual(silences, []);
  assert.equal(keepAlive.roundTripMs, null);
});
