import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from './manual-clock.ts';
import { WritePermits } from './write-permits.ts';

/** The process that renews the lease, and one that records, which has its reports. */
function pair() {
  const clock = new ManualClock(1_750_000_000_000);
  const renewing = new WritePermits(clock, 4_500);
  const recording = new WritePermits(clock);
  const renew = () => renewing.lease.renewed(clock.monotonicMs(), clock.wallMs());
  return { clock, renewing, recording, renew, report: () => recording.note(renewing.report) };
}

test('[R10.8] a process that records writes nothing before the first report, and under a lease that nothing renews any more only until it expires', async () => {
  const { clock, recording, renew, report } = pair();
  const first = recording.permits('one', 1);
  assert.ok(first instanceof Promise, 'it waits');
  renew();
  report();
  assert.equal(await first, true);
  clock.advance(4_400);
  assert.equal(recording.permits('one', 1), true);
  clock.advance(200);
  const late = recording.permits('one', 1);
  assert.ok(late instanceof Promise, 'the other process may be dead');
  renew();
  report();
  assert.equal(await late, true);
});

test('[R10.8] a report that arrives late extends nothing', () => {
  const { clock, recording, renew, report } = pair();
  renew();
  clock.advance(5_000);
  report();
  assert.equal(recording.lease.state, 'undecided');
});

test('[R10.8] verdicts and lost assignments apply in both processes', async () => {
  const { clock, renewing, recording, renew, report } = pair();
  renew();
  report();
  clock.advance(5_000);
  const waiting = recording.permits('one', 1);
  renewing.lease.judge('isolated');
  report();
  assert.equal(await waiting, true);
  renewing.lease.judge('fenced');
  report();
  assert.equal(recording.permits('one', 1), false);
  renewing.lose('one', 1);
  renew();
  report();
  assert.deepEqual(
    [recording.permits('one', 1), recording.permits('one', 2), recording.permits('two', 1)],
    [false, true, true],
  );
});

test('[R10.8] a process that ends does not wait for a verdict, and writes nothing without one', async () => {
  const { clock, recording, renew, report } = pair();
  renew();
  report();
  clock.advance(4_000);
  recording.end();
  assert.equal(recording.permits('one', 1), true, 'the lease is held');
  clock.advance(1_000);
  assert.equal(recording.permits('one', 1), false);
  const other = pair();
  const waiting = other.recording.permits('one', 1);
  other.recording.end();
  assert.equal(await waiting, false);
});
