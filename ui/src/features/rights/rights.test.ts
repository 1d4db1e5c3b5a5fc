import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameRights, viewOnly, withRight, withRows, type RightsRow } from './rights.ts';

const none = { view: false, archive: false, share: false, edit: false };
const rows: readonly RightsRow[] = [
  { id: 'a', name: 'A', rights: viewOnly },
  { id: 'b', name: 'B', rights: { ...viewOnly, edit: true } },
];

test('[R6.3] any right includes viewing, and without viewing none is left', () => {
  assert.deepEqual(withRight(none, 'archive', true), { ...viewOnly, archive: true });
  assert.deepEqual(withRight({ ...viewOnly, edit: true }, 'view', false), none);
  assert.deepEqual(withRight({ ...viewOnly, edit: true }, 'edit', false), viewOnly);
});

test('lines are added once, at the top, whatever the case of their logins', () => {
  const added = withRows(rows, [
    { id: 'c', name: 'C' },
    { id: 'B', name: 'B' },
    { id: 'd', name: 'D' },
  ]);
  assert.deepEqual(
    added.map(({ id }) => id),
    ['c', 'd', 'a', 'b'],
  );
  assert.equal(withRows(rows, [{ id: 'A', name: 'A' }]), rows);
});

test('lists are compared by content', () => {
  assert.equal(sameRights(rows, rows.toReversed()), true);
  assert.equal(sameRights(rows, rows.slice(1)), false);
  assert.equal(sameRights(rows, [rows[0]!, { ...rows[1]!, rights: viewOnly }]), false);
});
