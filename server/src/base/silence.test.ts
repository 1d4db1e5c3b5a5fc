import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { mainThreadOf, Silence, type ThreadState } from './silence.ts';
import { until } from './until-fixture.ts';

/** How many rounds of 250 ms a thread may be silent that gets so much CPU time in each. */
function roundsUntil(limitMs: number, state: Omit<ThreadState, 'cpuMs'> | undefined, ranMs: number): number {
  let cpuMs = 0;
  const silence = new Silence(250, () => state && { ...state, cpuMs: (cpuMs += ranMs) });
  let rounds = 0;
  while (!silence.reaches(limitMs)) {
    silence.go();
    rounds++;
  }
  return rounds;
}

test('[R15.2] the time in which a thread waits for a core is no silence, up to five times the limit', () => {
  assert.equal(roundsUntil(3_000, { isRunnable: true }, 250), 12, 'a loop that never ends');
  assert.equal(roundsUntil(3_000, { isRunnable: false }, 0), 12, 'stopped, or waiting for a disk');
  assert.equal(roundsUntil(3_000, undefined, 0), 12, 'the system does not say');
  // Three rounds are counted before the CPU time is known.
  assert.equal(roundsUntil(3_000, { isRunnable: true }, 125), 3 + 18, 'a loop that has half a core');
  assert.equal(roundsUntil(3_000, { isRunnable: true }, 0), 60, 'no core at all');
});

test('a sign of life ends the silence', () => {
  const silence = new Silence(250, () => undefined);
  for (let round = 0; round < 11; round++) silence.go();
  silence.end();
  for (let round = 0; round < 11; round++) silence.go();
  assert.ok(!silence.reaches(3_000));
  silence.go();
  assert.ok(silence.reaches(3_000));
});

test(
  'the state of a process is that of its main thread',
  { skip: process.platform !== 'linux' },
  async (t) => {
    const child = spawn(process.execPath, ['-e', 'for (;;);']);
    t.after(() => child.kill('SIGKILL'));
    const { pid = 0 } = child;
    await until(() => (mainThreadOf(pid)?.cpuMs ?? 0) > 50);
    await until(() => mainThreadOf(pid)?.isRunnable === true);
    child.kill('SIGSTOP');
    await until(() => mainThreadOf(pid)?.isRunnable === false);
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    assert.equal(mainThreadOf(pid), undefined);
  },
);
