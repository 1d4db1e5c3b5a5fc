import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as settle } from 'node:timers/promises';
import { Fault } from '../base/fault.ts';
import { silentLog, type Log } from '../base/log.ts';
import { ChangeNotifier } from './change-notifier.ts';
import type { ClusterChange } from './cluster-change.ts';

function collecting() {
  const errors: unknown[] = [];
  const reports: ClusterChange[] = [];
  const ends: PromiseWithResolvers<void>[] = [];
  const log: Log = { ...silentLog, error: (fields: unknown) => void errors.push(fields) };
  const changes = new ChangeNotifier(log);
  const flush = () =>
    changes.flush((change) => {
      reports.push(change);
      const end = Promise.withResolvers<void>();
      ends.push(end);
      return end.promise;
    });
  return { changes, errors, reports, ends, flush };
}

test('changes are merged into one report, and without a change there is none', () => {
  const { changes, reports, flush } = collecting();
  flush();
  changes.add({ moved: ['one'], saved: ['one'] });
  changes.add({ moved: ['one', 'two'], removed: ['three'] });
  flush();
  assert.deepEqual(reports, [{ saved: ['one'], moved: ['one', 'two'], removed: ['three'] }]);
});

test('only one report is in progress at a time; later changes are in the next', async () => {
  const { changes, reports, ends, flush } = collecting();
  changes.add({ moved: ['one'] });
  flush();
  changes.add({ moved: ['two'] });
  flush();
  assert.equal(reports.length, 1);
  ends[0]?.resolve();
  await settle();
  flush();
  assert.deepEqual(reports[1], { saved: [], moved: ['two'], removed: [] });
});

test('a rejected change is reported again, before later ones; only an unexpected error is logged', async () => {
  const { changes, errors, reports, ends, flush } = collecting();
  changes.add({ saved: ['one'], moved: ['one'] });
  for (const [index, error] of [new Fault('Unavailable', 'away'), new Error('broken')].entries()) {
    flush();
    changes.add({ moved: ['two'] });
    ends[index]?.reject(error);
    await settle();
    assert.equal(errors.length, index);
  }
  flush();
  assert.deepEqual(reports[2], { saved: ['one'], moved: ['one', 'two'], removed: [] });
});

test('changes that are already known are dropped', () => {
  const { changes, reports, flush } = collecting();
  changes.add({ moved: ['one'] });
  changes.clear();
  flush();
  assert.deepEqual(reports, []);
});
