import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JournalEntry } from '@vidette/contract/journal';
import { firstOf, grouped, isUnreviewed } from './event-groups.ts';

const T0 = Date.UTC(2026, 10, 21);
const detail = { code: null, reason: null, subject: null, user: null, address: null, figures: {} };

function entry(id: number, startS: number, lengthS = 5, change: Partial<JournalEntry> = {}): JournalEntry {
  return {
    id,
    kind: 'motion',
    stream: 'gate',
    streamName: 'Gate',
    startTime: T0 + startS * 1000,
    endTime: T0 + (startS + lengthS) * 1000,
    isOngoing: false,
    detail,
    note: '',
    isReviewed: false,
    ...change,
  };
}

const idsOf = (entries: readonly JournalEntry[]) =>
  grouped(entries).map(({ entries: own }) => own.map(({ id }) => id));

test('[R11.4] a burst of one camera is one card, whatever other cameras do in between', () => {
  const yard = { stream: 'yard', streamName: 'Yard' };
  const entries = [entry(5, 200), entry(4, 130), entry(3, 120, 5, yard), entry(2, 90), entry(1, 0, 10)];
  assert.deepEqual(idsOf(entries), [[5], [4, 2], [3], [1]]);
  const [, burst] = grouped(entries);
  assert.ok(burst);
  assert.deepEqual([burst.startMs - T0, burst.endMs - T0], [90_000, 135_000]);
  assert.equal(firstOf(burst).id, 2);
});

test('[R11.4] other kinds and reasons don’t join a burst', () => {
  const person = { kind: 'annotation', detail: { ...detail, code: 'person' } } as const;
  const car = { kind: 'annotation', detail: { ...detail, code: 'car' } } as const;
  const entries = [entry(4, 40, 1, person), entry(3, 30, 1, car), entry(2, 20), entry(1, 10, 1, person)];
  assert.deepEqual(idsOf(entries), [[4, 1], [3], [2]]);
});

test('[R11.4] a group is unreviewed as long as one of its entries is', () => {
  const [half, whole] = [
    grouped([entry(2, 10, 5, { isReviewed: true }), entry(1, 0)])[0],
    grouped([entry(2, 10, 5, { isReviewed: true })])[0],
  ];
  assert.ok(half && whole);
  assert.deepEqual([isUnreviewed(half), isUnreviewed(whole)], [true, false]);
});

test('[R11.4] every entry is in one group, and no group is longer than a quarter of an hour or one entry', () => {
  const made = fc.array(fc.tuple(fc.nat(20_000), fc.nat(2_000)), { maxLength: 200 });
  fc.assert(
    fc.property(made, (pairs) => {
      const entries = pairs
        .map(([startS, lengthS], id) => entry(id, startS, lengthS))
        .sort((a, b) => b.startTime - a.startTime);
      const groups = grouped(entries);
      assert.deepEqual(
        groups.flatMap((group) => group.entries.map(({ id }) => id)).sort((a, b) => a - b),
        entries.map(({ id }) => id).sort((a, b) => a - b),
      );
      for (const { entries: own, startMs, endMs } of groups)
        assert.ok(own.length === 1 || endMs - startMs <= 15 * 60_000);
      for (const [index, { entries: own }] of groups.entries())
        assert.ok(index === 0 || (groups[index - 1]?.entries[0].startTime ?? 0) >= own[0].startTime);
    }),
  );
});
