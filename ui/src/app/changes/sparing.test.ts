import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Sparing } from './sparing.ts';

/** Events and time as the test wants them. */
function scene() {
  let nowMs = 0;
  let runs = 0;
  let timer: { readonly atMs: number; readonly run: () => void } | undefined;
  const clock = {
    monotonicMs: () => nowMs,
    after: (delayMs: number, run: () => void) => {
      timer = { atMs: nowMs + delayMs, run };
      return () => (timer = undefined);
    },
  };
  const sparing = new Sparing(() => runs++, { atOnce: 3, everyMs: 60_000 }, clock);
  return {
    note: () => sparing.note(),
    runs: () => runs,
    pass: (ms: number) => {
      const endMs = nowMs + ms;
      if (timer && timer.atMs <= endMs) {
        nowMs = timer.atMs;
        const { run } = timer;
        timer = undefined;
        run();
      }
      nowMs = endMs;
    },
  };
}

test('[R11.2] rare events are followed immediately', () => {
  const { note, runs, pass } = scene();
  for (let count = 1; count <= 20; count++) {
    note();
    assert.equal(runs(), count);
    pass(60_000);
  }
});

test('[R11.2] frequent events are followed a few times immediately and then at the interval, the last one too', () => {
  const { note, runs, pass } = scene();
  for (let second = 0; second < 600; second++) {
    note();
    pass(1_000);
  }
  assert.ok(runs() >= 12 && runs() <= 13, `${runs()} runs`);
  const before = runs();
  note();
  assert.equal(runs(), before);
  pass(60_000);
  assert.equal(runs(), before + 1);
  pass(600_000);
  assert.equal(runs(), before + 1);
});
