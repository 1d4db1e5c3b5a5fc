import assert from 'node:assert/strict';
import { test } from 'node:test';
import { snapshotAgeMs } from './snapshot-age.ts';

const sent = 'Thu, 05 Nov 2026 10:00:30 GMT';
const takenMs = Date.UTC(2026, 10, 5, 10, 0, 0);

test('the age of a still comes from the server, whatever the browser’s clock', () => {
  assert.equal(snapshotAgeMs(new Headers({ date: sent, 'x-picture-time': String(takenMs) })), 30_000);
  // `date` has no milliseconds: a snapshot of this second is not from the future.
  assert.equal(snapshotAgeMs(new Headers({ date: sent, 'x-picture-time': String(takenMs + 30_400) })), 0);
});

test('without a valid time, the age of a still counts from its arrival', () => {
  assert.equal(snapshotAgeMs(new Headers({ date: sent })), 0);
  assert.equal(snapshotAgeMs(new Headers({ 'x-picture-time': String(takenMs) })), 0);
  assert.equal(snapshotAgeMs(new Headers({ date: sent, 'x-picture-time': 'now' })), 0);
});
