import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { StateChanges } from './state-changes.ts';

test('reports exactly what changed since a stored revision', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 }),
      fc.nat(60),
      (uids, from) => {
        const changes = new StateChanges(8);
        uids.forEach((uid) => changes.add(uid));
        assert.equal(changes.revision, uids.length);
        const since = changes.since(from);
        if (from > uids.length) assert.equal(since, undefined);
        else if (uids.length - from <= 8) assert.deepEqual(since, new Set(uids.slice(from)));
        else if (since) assert.deepEqual(since, new Set(uids.slice(from)));
      },
    ),
  );
});
