import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ArchiveFragment } from '../../../playback/archive-playlist.ts';
import { TestClock } from '../../../playback/test-clock.ts';
import { FoundFragments } from './found-fragments.ts';

const T0 = Date.UTC(2026, 9, 1);
const GOP_MS = 2_000;
const DAY_MS = 86_400_000;
const never = new AbortController().signal;

/** A day, a day without recordings, and another day; counts the fragments that are listed. */
function archive() {
  const asked: number[] = [];
  const fragmentAt = (startMs: number): ArchiveFragment => {
    const span = { url: 'https://vms.example/a.mp4', offset: startMs - T0, length: 100 };
    return { ...span, startMs, endMs: startMs + GOP_MS, init: span };
  };
  const isRecorded = (ms: number) => ms >= T0 && ms < T0 + 3 * DAY_MS && Math.floor((ms - T0) / DAY_MS) !== 1;
  const fragments = new FoundFragments(
    {
      playlist: (startMs, endMs) => {
        const found: ArchiveFragment[] = [];
        for (let ms = Math.floor(startMs / GOP_MS) * GOP_MS; ms < endMs; ms += GOP_MS)
          if (isRecorded(ms)) found.push(fragmentAt(ms));
        asked.push(found.length);
        return Promise.resolve(found);
      },
      previousPlayable: (beforeMs) =>
        Promise.resolve(
          beforeMs <= T0
            ? undefined
            : { kind: 'fragment' as const, startMs: T0, endMs: Math.min(beforeMs, T0 + DAY_MS) },
        ),
    },
    new TestClock(T0 + 10 * DAY_MS),
  );
  return { fragments, asked };
}

test('one moment lists seconds of GOPs, and its frame no more', async () => {
  const { fragments, asked } = archive();
  const startMs = T0 + DAY_MS / 2;
  assert.equal((await fragments.before(startMs + 1, never))?.startMs, startMs);
  assert.equal((await fragments.at(startMs + 1, never))?.startMs, startMs);
  assert.deepEqual(asked, [15]);
});

test('the frames of listed GOPs are not looked up again, and those of others are', async () => {
  const { fragments, asked } = archive();
  const listed = await fragments.between(T0, T0 + 20 * 60_000, never);
  assert.equal(listed.length, 600);
  for (const { startMs } of listed) assert.equal((await fragments.at(startMs + 1, never))?.startMs, startMs);
  assert.deepEqual(asked, [600]);
  const laterMs = T0 + 21 * 60_000;
  assert.equal((await fragments.at(laterMs + 1, never))?.startMs, laterMs);
  assert.equal(asked.length, 2);
});

test('in a gap there is no frame, but one before it', async () => {
  const { fragments } = archive();
  const inGapMs = T0 + DAY_MS * 1.5;
  // Frames on both sides are known.
  await fragments.between(T0, T0 + 60_000, never);
  await fragments.between(T0 + 2 * DAY_MS, T0 + 2 * DAY_MS + 60_000, never);
  assert.equal(await fragments.at(inGapMs, never), undefined);
  assert.equal((await fragments.before(inGapMs, never))?.startMs, T0 + DAY_MS - GOP_MS);
  assert.equal(await fragments.before(T0, never), undefined);
});
