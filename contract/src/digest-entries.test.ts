import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestEntriesMax, readDigest, type DigestQuery } from './digest-entries.ts';
import type { JournalEntry } from './journal.ts';

const hourMs = 3_600_000;
const span = { fromMs: 100 * hourMs, toMs: 108 * hourMs, streams: ['gate'], tag: 'Yard' };
const entry = { id: 1 } as JournalEntry;

test('a digest reads events from an hour before its span on, and gaps and outages whenever they began', async () => {
  const asked: DigestQuery[] = [];
  const { entries, isPartial } = await readDigest((query) => {
    asked.push(query);
    return Promise.resolve({ items: [entry], next: query.cursor === undefined ? '1.1' : null });
  }, span);
  assert.deepEqual([entries.length, isPartial], [8, false]);
  assert.deepEqual(
    asked
      .filter(({ cursor }) => cursor === undefined)
      .map(({ kinds, from, recorded }) => [kinds.join(' '), from / hourMs, recorded]),
    [
      ['motion annotation', 99, false],
      ['gap', 0, false],
      ['stream-down', 0, true],
      ['recording-stopped', 0, true],
    ],
  );
  for (const { to, endFrom, streams, tag } of asked)
    assert.deepEqual({ toMs: to, fromMs: endFrom, streams, tag }, span);
});

test('a digest that would read too much ends, and says so', async () => {
  let requests = 0;
  const long = await readDigest(({ limit }) => {
    requests++;
    return Promise.resolve({ items: Array.from({ length: limit }, () => entry), next: '1.1' });
  }, span);
  assert.deepEqual([long.entries.length, long.isPartial], [4 * digestEntriesMax, true]);
  assert.equal(requests, 16);
  // Many entries that end before the span: pages without items.
  requests = 0;
  const sparse = await readDigest(() => {
    requests++;
    return Promise.resolve({ items: [], next: '1.1' });
  }, span);
  assert.deepEqual([sparse.entries, sparse.isPartial, requests], [[], true, 200]);
});
