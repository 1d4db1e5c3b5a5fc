import assert from 'node:assert/strict';
import { test } from 'node:test';
import { yieldOrder } from '@vidette/contract/overload';
import { LoadLevel } from '../base/load-level.ts';
import { silentLog, type Log } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { LoadShedding, type LoadFigures } from './load-shedding.ts';

const calm: LoadFigures = {
  eventLoopDelayMs: 20,
  writeDelayMs: 30,
  waitingBytes: 100_000,
  backlogPercent: 2,
};
const slowLoop = { ...calm, eventLoopDelayMs: 400 };
const slowDisk = { ...calm, writeDelayMs: 3_000 };
const fullQueues = { ...calm, waitingBytes: 8 * 1024 * 1024 };
/** Short queues of many streams. */
const fullMemory = { ...calm, backlogPercent: 60 };

/** `pass` lets seconds pass with the same figures, and returns the level after each. */
function scene(log: Log = silentLog) {
  const clock = new ManualClock();
  const load = new LoadLevel();
  let figures = calm;
  new LoadShedding({ clock, log, load, figures: () => figures });
  const pass = (seconds: number, now: LoadFigures): number[] => {
    figures = now;
    return Array.from({ length: seconds }, () => {
      clock.advance(1_000);
      return load.level;
    });
  };
  return { load, pass };
}

test('[R15.4] three seconds of overload in a row make the next kind of work wait, until only recording is left', () => {
  const { load, pass } = scene();
  assert.deepEqual(pass(7, slowLoop), [0, 0, 1, 1, 1, 2, 2]);
  pass(60, slowLoop);
  assert.deepEqual(load.waiting, yieldOrder);
});

test('[R15.4] hiccups make nothing wait, however many', () => {
  const { load, pass } = scene();
  for (let hiccup = 0; hiccup < 50; hiccup++) {
    pass(2, slowLoop);
    pass(1, calm);
  }
  assert.equal(load.level, 0);
});

test('[R15.4] after a calm one kind of work after the other goes on', () => {
  const { pass } = scene();
  pass(9, slowLoop);
  assert.deepEqual(pass(14, calm), [3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0]);
});

test('[R15.4] between calm and overload everything stays as it is', () => {
  const { load, pass } = scene();
  pass(6, slowLoop);
  pass(600, { ...calm, eventLoopDelayMs: 200 });
  assert.equal(load.level, 2);
});

test('[R15.4] work that overloads the server again whenever it goes on does so ever more rarely', () => {
  const { load, pass } = scene();
  const changes = (seconds: number) => {
    let count = 0;
    for (let second = 0, before = load.level; second < seconds; second++) {
      // The exports alone are too much.
      const [level = 0] = pass(1, load.level === 0 ? slowLoop : calm);
      if (level !== before) count++;
      before = level;
    }
    return count;
  };
  const early = changes(60);
  changes(600);
  const late = changes(600);
  assert.ok(late * 5 < early * 10, `${early} changes in the first minute, ${late} in the last ten`);
  // An hour of calm forgets it.
  pass(3_600, calm);
  assert.equal(load.level, 0);
  pass(3, slowLoop);
  assert.deepEqual(pass(5, calm), [1, 1, 1, 1, 0]);
});

test('[R15.4] a slow disk makes only that wait which uses it', () => {
  for (const figures of [slowDisk, fullQueues, fullMemory]) {
    const { load, pass } = scene();
    pass(60, figures);
    assert.deepEqual(load.waiting, ['exports', 'thumbnails']);
    pass(12, { ...figures, eventLoopDelayMs: 400 });
    assert.equal(load.level, 6);
    pass(60, figures);
    assert.equal(load.level, 2, 'what waited for the event loop goes on, the rest still waits for the disk');
    pass(60, calm);
    assert.equal(load.level, 0);
  }
});

test('[R15.4] each change is logged once, with what caused it', () => {
  const lines: [object, string][] = [];
  const note = (fields: object, message: string) => void lines.push([fields, message]);
  const { pass } = scene({ ...silentLog, warn: note, info: note });
  pass(5, slowLoop);
  pass(10, calm);
  assert.deepEqual(
    lines.map(([, message]) => message),
    ['The server is overloaded: exports must wait', 'exports: goes on again'],
  );
  assert.deepEqual(lines[0]?.[0], {
    level: 1,
    waiting: ['exports'],
    cause: 'eventLoopDelayMs',
    figure: 400,
  });
});
