import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { ManualClock } from './manual-clock.ts';
import { PeriodicTimers } from './periodic-timers.ts';
import { asStream, currentStream } from './stream-context.ts';

/** A clock whose timers are counted as they fire. */
function countingClock() {
  const clock = new ManualClock();
  let wakes = 0;
  const timers = new PeriodicTimers({
    monotonicMs: () => clock.monotonicMs(),
    after: (delayMs, run) =>
      clock.after(delayMs, () => {
        wakes++;
        run();
      }),
  });
  return { clock, timers, wakes: () => wakes };
}

test('timers set at different times fire together, and each as often as its period says', () => {
  const { clock, timers, wakes } = countingClock();
  const fired = [0, 0, 0, 0];
  [500, 1_000, 500, 2_000].forEach((periodMs, index) => {
    timers.every(periodMs, () => {
      fired[index] = (fired[index] ?? 0) + 1;
    });
    clock.advance(37);
  });
  clock.advance(2_352);
  fired.fill(0);
  const before = wakes();
  clock.advance(20_000);
  assert.deepEqual(fired, [40, 20, 40, 10]);
  assert.ok(wakes() - before <= 80, `${wakes() - before}`);
});

test('a timer first fires a period after it was set, or up to 250 ms later, and is punctual then', () => {
  const { clock, timers } = countingClock();
  const times: number[] = [];
  clock.advance(120);
  timers.every(1_000, () => times.push(clock.monotonicMs()));
  clock.advance(3_400);
  assert.deepEqual(times, [1_250, 2_250, 3_250]);
});

test('of many timers of one period, a limited number fires together', () => {
  const { clock, timers } = countingClock();
  const byTime = new Map<number, number>();
  for (let index = 0; index < 600; index++)
    timers.every(500, () => byTime.set(clock.monotonicMs(), (byTime.get(clock.monotonicMs()) ?? 0) + 1));
  clock.advance(1_240);
  byTime.clear();
  clock.advance(500);
  const counts = [...byTime.values()];
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    600,
  );
  assert.ok(Math.max(...counts) <= 160, counts.join());
});

test('a cancelled timer does not fire, also when another one of the same turn cancels it', () => {
  const { clock, timers } = countingClock();
  let fired = 0;
  const cancel = { second: () => {} };
  timers.every(250, () => cancel.second());
  cancel.second = timers.every(250, () => fired++);
  const cancelOther = timers.every(250, () => fired++);
  cancelOther();
  clock.advance(2_000);
  assert.equal(fired, 0);
});

test('a timer that is late fires once for what it missed, and keeps its times', () => {
  const { clock, timers } = countingClock();
  const times: number[] = [];
  timers.every(500, () => times.push(clock.monotonicMs()));
  clock.advance(510);
  clock.sleep(1_700);
  clock.advance(500);
  assert.deepEqual(times, [500, 2_210, 2_500]);
});

test('a timer belongs to the stream for which it was set, and its failure too, and others still fire', async () => {
  const { clock, timers } = countingClock();
  const streams: (string | undefined)[] = [];
  asStream('first', () => timers.every(250, () => streams.push(currentStream())));
  const cancel = asStream('second', () =>
    timers.every(250, () => {
      throw new Error('of the second');
    }),
  );
  asStream('third', () => timers.every(250, () => streams.push(currentStream())));
  timers.every(250, () => streams.push(currentStream()));
  const isThrown = once(process, 'vidette-test-error');
  const before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.once('uncaughtException', (error) =>
    process.emit('vidette-test-error' as 'exit', `${currentStream()}: ${error.message}` as never),
  );
  clock.advance(250);
  cancel();
  const [message] = (await isThrown) as [string];
  for (const listener of before) process.on('uncaughtException', listener);
  assert.equal(message, 'second: of the second');
  assert.deepEqual(streams, ['first', 'third', undefined]);
});
