import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog, type Log } from '../base/log.ts';
import { ClockCheck } from './clock-check.ts';

test('a clock that becomes wrong, and correct again, is logged once each', () => {
  const lines: string[] = [];
  const log: Log = {
    ...silentLog,
    info: () => void lines.push('right'),
    warn: () => void lines.push('wrong'),
  };
  const check = new ClockCheck(log);
  assert.equal(check.aheadMs, null);
  check.note(1_000, 20, 1_010);
  assert.equal(check.aheadMs, 0);
  for (let count = 0; count < 10; count++) check.note(9_000, 10, 5_005);
  assert.equal(check.aheadMs, 4_000);
  for (let count = 0; count < 10; count++) check.note(9_000, 10, 9_005);
  assert.deepEqual(lines, ['wrong', 'right']);
});
