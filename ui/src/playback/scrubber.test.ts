import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StillFrame, StillSource } from './key-frame-stills.ts';
import { Scrubber } from './scrubber.ts';
import { settle, TestClock } from './test-clock.ts';

/** Still frames that arrive when the test releases them. */
function setUp() {
  const clock = new TestClock();
  const asked: {
    ms: number;
    signal: AbortSignal;
    answer: (still: StillFrame | undefined) => void;
    fail: () => void;
  }[] = [];
  const errors: unknown[] = [];
  const stills: StillSource = {
    at: (ms, signal) =>
      new Promise((answer, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        asked.push({ ms, signal, answer, fail: () => reject(new Error('lost')) });
      }),
    dispose: () => {},
  };
  const scrubber = new Scrubber({ clock, stills, onError: (error) => errors.push(error) });
  const answer = async (index: number) => {
    const question = asked[index];
    question?.answer({ utcMs: question.ms, image: {} as CanvasImageSource });
    await settle();
  };
  return { clock, asked, errors, scrubber, answer, shownMs: () => scrubber.getScrub().still?.utcMs };
}

test('while one still frame is loading, requests replace each other and only the newest is sent', async () => {
  const { scrubber, asked, answer, shownMs } = setUp();
  for (const ms of [1, 2, 3, 4, 5]) scrubber.request(ms);
  assert.deepEqual(
    asked.map(({ ms }) => ms),
    [1],
  );
  await answer(0);
  assert.equal(shownMs(), 1, 'a picture on the way is better than none');
  assert.deepEqual(
    asked.map(({ ms }) => ms),
    [1, 5],
  );
  await answer(1);
  assert.equal(shownMs(), 5);
  assert.equal(asked.length, 2);
});

test('a slow still frame is abandoned for a newer request, and not for the same one', async () => {
  const { scrubber, asked, clock, answer, shownMs } = setUp();
  scrubber.request(1);
  clock.advance(10_000);
  assert.equal(asked[0]?.signal.aborted, false);
  scrubber.request(2);
  clock.advance(1);
  await settle();
  assert.equal(asked[0]?.signal.aborted, true);
  await answer(1);
  assert.equal(shownMs(), 2);
});

test('nothing is shown and nothing is requested after scrubbing has ended', async () => {
  const { scrubber, asked, answer, shownMs, clock } = setUp();
  scrubber.request(1);
  scrubber.request(2);
  scrubber.request(undefined);
  await settle();
  assert.equal(asked[0]?.signal.aborted, true);
  await answer(0);
  assert.equal(shownMs(), undefined);
  assert.equal(asked.length, 1);
  assert.equal(clock.pendingTimers, 0);
});

test('a still frame that can’t be fetched is reported, and the next request is sent', async () => {
  const { scrubber, asked, errors, answer, shownMs } = setUp();
  scrubber.request(1);
  asked[0]?.fail();
  await settle();
  assert.equal(errors.length, 1);
  scrubber.request(2);
  await answer(1);
  assert.equal(shownMs(), 2);
});
