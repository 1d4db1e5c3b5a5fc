import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import { ManualClock } from '../base/manual-clock.ts';
import { inEvenTime } from './even-time.ts';

test('[R8.5] slow work and failed work are answered at the same time', async () => {
  for (const [tookMs, answersAtMs] of [
    [0, 250],
    [3, 250],
    [249, 250],
    [251, 500],
  ] as const) {
    for (const fails of [false, true]) {
      const clock = new ManualClock();
      const startMs = clock.monotonicMs();
      let answeredMs: number | undefined;
      const work = async () => {
        clock.advance(tookMs);
        if (fails) throw new Error('no such code');
        return 'done';
      };
      const note = () => (answeredMs = clock.monotonicMs() - startMs);
      const answer = inEvenTime(clock, 250, work).finally(note);
      const checked = fails ? assert.rejects(answer, /no such code/) : answer;
      await turn();
      clock.advance(answersAtMs - tookMs - 1);
      await turn();
      assert.equal(answeredMs, undefined);
      clock.advance(1);
      await checked;
      assert.equal(answeredMs, answersAtMs);
    }
  }
});
