import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock as clock } from '../base/clock.ts';
import { ProcessSupervisor } from './process-supervisor.ts';
import type { ServerProgram } from './server-program.ts';

const replaceable = new URL('./fixtures/replaceable.ts', import.meta.url);
const growing = new URL('./fixtures/growing-front.ts', import.meta.url);
const programOf = (version: string): ServerProgram => ({
  ...{ folder: '/', version, execPath: process.execPath },
  ...{ front: replaceable, engine: replaceable },
});

test('a replacement waits for the one in progress: a reload and an installation may both ask for it', async (t) => {
  const supervisor = new ProcessSupervisor({
    ...{ engines: 1, areDormant: false, locks: ['a', 'b', 'c'], clock },
    ...{ program: programOf('1.0.0'), report: () => {}, onFailed: (code) => assert.fail(`failed: ${code}`) },
  });
  t.after(() => supervisor.stop());
  supervisor.start();
  await supervisor.ready;
  const lines: string[] = [];
  const progress = (line: string) => void lines.push(line);
  await Promise.all([
    supervisor.replace(async () => ({ program: programOf('1.1.0'), engines: 1 }), progress),
    supervisor.replace(async () => {
      assert.equal(supervisor.program.version, '1.1.0', 'it is known what runs before it');
      assert.equal(supervisor.engines, 1, 'and no engine of the one before is left');
      return { program: programOf('1.2.0'), engines: 1 };
    }, progress),
  ]);
  assert.equal(supervisor.program.version, '1.2.0');
  assert.equal(lines.filter((line) => line === 'The front was replaced.').length, 2);
  assert.equal(lines[0], 'Waiting for the replacement that is in progress.');
});

test('[R15.5] a front can have one engine more for a while, which does not count as one of the configuration', async (t) => {
  const failed = Promise.withResolvers<number>();
  const lines: string[] = [];
  const supervisor = new ProcessSupervisor({
    ...{ engines: 1, areDormant: false, locks: ['a', 'b'], clock },
    ...{ program: { ...programOf('1.0.0'), front: growing }, onFailed: failed.resolve },
    report: (line) => void lines.push(line),
  });
  t.after(() => supervisor.stop());
  supervisor.start();
  await supervisor.ready;
  assert.equal(supervisor.engines, 1);
  assert.equal(await failed.promise, 1, 'the front has seen it start and end');
  assert.equal(supervisor.engines, 1);
  assert.deepEqual(lines, [], 'no process was started again');
});
