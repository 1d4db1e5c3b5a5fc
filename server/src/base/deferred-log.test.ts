import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deferredLog } from './deferred-log.ts';
import type { Log, LogFields } from './log.ts';
import { ManualClock } from './manual-clock.ts';

function recorded(): { lines: string[]; log: Log } {
  const lines: string[] = [];
  const into = (name: string): Log => {
    const line = (level: string) => (_: LogFields, message: string) => {
      lines.push(`${name}${level} ${message}`);
    };
    const levels = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
    return { ...levels, child: () => into('child ') };
  };
  return { lines, log: into('') };
}

test('lines are written a moment later, in order, and a warning writes what waits before it', () => {
  const clock = new ManualClock();
  const { lines, log: target } = recorded();
  const { log, flush } = deferredLog(target, clock);
  log.info({}, 'one');
  log.child({}).debug({}, 'two');
  assert.deepEqual(lines, []);
  clock.advance(100);
  assert.deepEqual(lines, ['info one', 'child debug two']);
  log.info({}, 'three');
  log.warn({}, 'four');
  log.child({}).info({}, 'five');
  log.error({}, 'six');
  assert.deepEqual(lines.slice(2), ['info three', 'warn four', 'child info five', 'error six']);
  log.info({}, 'seven');
  flush();
  clock.advance(100);
  assert.deepEqual(lines.slice(6), ['info seven']);
});
