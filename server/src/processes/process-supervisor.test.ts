import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock as clock } from '../base/clock.ts';
import { ProcessSupervisor } from './process-supervisor.ts';
import type { ServerProgram } from './server-program.ts';

const replaceable = new URL('./fixtures/replaceable.ts', import.meta.url);
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
    supervisor.replace(programOf('1.1.0'), 1, progress),
    supervisor.replace(programOf('1.2.0'), 1, progress),
  ]);
  assert.equal(supervisor.program.version, '1.2.0');
  assert.equal(lines.filter((line) => line === 'The front was replaced.').length, 2);
  assert.equal(lines[0], 'Waiting for the replacement that is in progress.');
});
