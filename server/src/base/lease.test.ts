import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from './manual-clock.ts';
import { Lease } from './lease.ts';

function held() {
  const clock = new ManualClock(1_750_000_000_000);
  const lease = new Lease(clock, 4_500);
  lease.renewed(clock.monotonicMs(), clock.wallMs());
  return { clock, lease };
}

test('[R10.8] a lease expires by its node’s own clock, and writers then wait until it is renewed', async () => {
  const { clock, lease } = held();
  clock.advance(4_400);
  assert.equal(lease.state, 'held');
  assert.equal(lease.settled === undefined, true);
  clock.advance(200);
  assert.equal(lease.state, 'undecided');
  const settled = lease.settled;
  assert.ok(settled);
  lease.renewed(clock.monotonicMs(), clock.wallMs());
  await settled;
  assert.equal(lease.state, 'held');
});

test('[R10.8] it counts from the time when the query was sent, however late the answer is', () => {
  const { clock, lease } = held();
  const [sentMs, sentWallMs] = [clock.monotonicMs(), clock.wallMs()];
  clock.advance(5_000);
  lease.renewed(sentMs, sentWallMs);
  assert.equal(lease.state, 'undecided');
});

test('[R10.8] the outcome decided after expiry holds until renewal; before expiry nothing is decided', async () => {
  const { clock, lease } = held();
  lease.judge('fenced');
  assert.equal(lease.state, 'held');
  clock.advance(5_000);
  const settled = lease.settled;
  lease.judge('isolated');
  await settled;
  assert.deepEqual([lease.state, lease.settled, lease.heldMs], ['isolated', undefined, 0]);
  lease.renewed(clock.monotonicMs(), clock.wallMs());
  clock.advance(1_000);
  lease.renewed(clock.monotonicMs(), clock.wallMs());
  assert.deepEqual([lease.state, lease.heldMs], ['held', 1_000], 'held again since the break');
});

test('[R10.8] a machine that was suspended, with a stopped monotonic clock, holds no lease', () => {
  const { clock, lease } = held();
  clock.stepWall(60_000);
  assert.equal(lease.state, 'undecided');
});
