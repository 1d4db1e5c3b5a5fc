import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock as clock } from '../base/clock.ts';
import { until } from '../base/until-fixture.ts';
import { SupervisedProcess, type SupervisedProcessOptions } from './supervised-process.ts';

const options: SupervisedProcessOptions = {
  ...{ name: 'Engine 0', program: new URL('./fixtures/replaceable.ts', import.meta.url) },
  ...{ execPath: process.execPath, args: () => [], clock, silentMs: 60_000, isProven: true },
  report: () => {},
  onFailed: (code) => assert.fail(`failed: ${code}`),
};

test('[R15.2] a process that the system can not start is tried again until it can', async (t) => {
  const faults = {
    missing: { execPath: '/no/such/program' },
    // As when the system has no memory for it.
    thrown: {
      args: () => {
        throw new Error('spawn ENOMEM');
      },
    },
  };
  for (const [name, fault] of Object.entries(faults)) {
    const lines: string[] = [];
    const broken = { isOver: false };
    const supervised = new SupervisedProcess({
      ...options,
      get execPath() {
        return !broken.isOver && 'execPath' in fault ? fault.execPath : process.execPath;
      },
      args: () => (!broken.isOver && 'args' in fault ? fault.args() : []),
      report: (line) => void lines.push(line),
    });
    t.after(() => supervised.stop());
    supervised.start();
    await until(() => lines.filter((line) => line.endsWith('it is started again.')).length >= 2);
    assert.equal(supervised.pid, undefined, name);
    broken.isOver = true;
    await supervised.ready.catch(() => undefined);
    await until(() => supervised.pid !== undefined);
  }
});

test('[R15.1] a process that hangs when it should end is killed: neither a replacement nor the end of the server waits for it for ever', async (t) => {
  const lines: string[] = [];
  let isStopped = false;
  // A hundred times as fast, but only then.
  const every = (ms: number, run: () => void) => clock.every(ms / 100, () => isStopped && run());
  const supervised = new SupervisedProcess({
    ...options,
    clock: { ...clock, every },
    report: (line) => void lines.push(line),
  });
  t.after(() => supervised.kill());
  supervised.start();
  await supervised.ready;
  const pid = supervised.pid ?? 0;
  process.kill(pid, 'SIGSTOP');
  isStopped = true;
  await supervised.stop();
  assert.deepEqual(lines, [`Engine 0 (process ${pid}) has not responded for 60 s: it is killed.`]);
});
