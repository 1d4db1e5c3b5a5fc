import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from './manual-clock.ts';
import { StopRequests } from './stop-requests.ts';

test('[R10.10] signals of one request count once; a repetition after five seconds is a second request', () => {
  const clock = new ManualClock();
  const done: string[] = [];
  const requests = new StopRequests({
    clock,
    stop: () => done.push('stop'),
    force: () => done.push('force'),
  });
  assert.equal(requests.isStopping, false);
  for (const waitMs of [0, 1, 300, 4_000]) {
    clock.advance(waitMs);
    requests.ask();
  }
  assert.equal(requests.isStopping, true);
  assert.deepEqual(done, ['stop']);
  clock.advance(1_000);
  requests.ask();
  assert.deepEqual(done, ['stop', 'force']);
});
