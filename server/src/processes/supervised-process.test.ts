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
