import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dismiss, loadDismissals } from './dismissals.ts';

const nowMs = Date.UTC(2026, 10, 21);
const dayMs = 86_400_000;

function storage(initial?: string) {
  let text = initial ?? null;
  return { getItem: () => text, setItem: (_key: string, value: string) => void (text = value) };
}

test('[R4.11] a warning is dismissed for seven days, stored as an ISO time, and dropped on load afterwards', () => {
  const local = storage();
  assert.deepEqual(dismiss(local, 'archive-disk-usage', nowMs), {
    'archive-disk-usage': new Date(nowMs + 7 * dayMs).toISOString(),
  });
  assert.deepEqual(Object.keys(loadDismissals(local, nowMs + 7 * dayMs - 1)), ['archive-disk-usage']);
  assert.deepEqual(loadDismissals(local, nowMs + 7 * dayMs), {});
  assert.equal(local.getItem(), '{}');
});

test('stored data that can’t be read counts as nothing dismissed', () => {
  for (const text of ['', '{', 'null', '[1]', '{"a":5}', '{"a":"never"}', '{"a":"9999-01-01T00:00:00Z"}']) {
    assert.deepEqual(loadDismissals(storage(text), nowMs), {}, text);
  }
});
