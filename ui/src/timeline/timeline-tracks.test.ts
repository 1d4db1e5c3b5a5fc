import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { intervalAt, type Interval, type IntervalKind } from './intervals.ts';
import { TimelineTracks, together, type TimelineTrackAnswer } from './timeline-tracks.ts';

const nothing: TimelineTrackAnswer = { ranges: [], gaps: [], beginsMs: undefined };
const never = new AbortController().signal;

const answers: Readonly<Record<string, TimelineTrackAnswer>> = {
  gate: {
    ranges: [{ date: 100, status: 'fragment' }],
    gaps: [{ startMs: 0, endMs: 100, cause: 'paused' }],
    beginsMs: 100,
  },
  yard: {
    ranges: [
      { date: 0, status: 'fragment' },
      { date: 50, status: 'gap' },
      { date: 150, status: 'live' },
    ],
    gaps: [{ startMs: 50, endMs: 150, cause: 'unreachable' }],
    beginsMs: -500,
  },
};

test('one request covers every stream; the answer is where any is recorded, and each track keeps its own', async () => {
  const tracks = new TimelineTracks(['gate', 'yard'], (uid) => Promise.resolve(answers[uid] ?? nothing));
  assert.equal(tracks.intervalAt('gate', 10), undefined);
  const answer = await tracks.load(0, 200, never);
  assert.equal(answer.beginsMs, -500);
  assert.deepEqual(answer.ranges, [
    { date: 0, status: 'fragment' },
    { date: 50, status: 'gap' },
    { date: 100, status: 'fragment' },
  ]);
  assert.equal(tracks.intervalAt('gate', 10)?.kind, 'gap');
  assert.equal(tracks.intervalAt('yard', 10)?.kind, 'fragment');
  assert.equal(tracks.intervalAt('yard', 160)?.kind, 'live');
  assert.equal(tracks.causeAt('gate', 10), 'paused');
  assert.equal(tracks.causeAt('yard', 149), 'unreachable');
  assert.equal(tracks.causeAt('yard', 10), undefined);
});

test('before recording started on the first of them, nothing is missing on any', async () => {
  const begun: Readonly<Record<string, number>> = { gate: 150, yard: 60 };
  const answerOf = (uid: string): TimelineTrackAnswer => ({ ...nothing, begunMs: begun[uid] });
  const load = (uids: string[]) =>
    new TimelineTracks(uids, (uid) => Promise.resolve(answerOf(uid))).load(0, 200, never);
  assert.equal((await load(['gate', 'yard'])).begunMs, 60);
  assert.equal((await load(['gate', 'roof'])).begunMs, undefined);
});

test('a moment before the recording of one stream began has that as its cause, only on its own track', async () => {
  const answer: TimelineTrackAnswer = { ...nothing, ranges: [{ date: 0, status: 'gap' }] };
  const tracks = new TimelineTracks(['gate', 'yard'], (uid, startMs) =>
    Promise.resolve(uid === 'gate' && startMs === 0 ? { ...answer, begunMs: 150 } : answer),
  );
  await tracks.load(0, 200, never);
  await tracks.load(200, 400, never);
  assert.equal(tracks.causeAt('gate', 149), 'before-recording');
  // This also holds before any requested span: recording starts once.
  assert.equal(tracks.causeAt('gate', -1), 'before-recording');
  assert.equal(tracks.causeAt('gate', 150), undefined);
  assert.equal(tracks.causeAt('yard', 149), undefined);
});

test('few requests run simultaneously, and one that fails lets the next start', async () => {
  let asking = 0;
  let most = 0;
  const uids = Array.from({ length: 20 }, (_, at) => `s${at}`);
  const tracks = new TimelineTracks(uids, async (uid) => {
    most = Math.max(most, ++asking);
    await new Promise((resolve) => setImmediate(resolve));
    asking -= 1;
    if (uid === 's3') throw new Error('refused');
    return nothing;
  });
  await assert.rejects(tracks.load(0, 1, never), /refused/);
  while (asking > 0) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(most, 3);
});

const kind = fc.constantFrom<IntervalKind>('fragment', 'gap', 'live');
const track = fc.array(fc.tuple(fc.integer({ min: 1, max: 20 }), kind), { maxLength: 8 }).map((parts) => {
  let startMs = 0;
  return parts.map(([lengthMs, one]): Interval => {
    const interval = { startMs, endMs: startMs + lengthMs, kind: one };
    startMs += lengthMs;
    return interval;
  });
});

test('merged intervals never overlap, and give each moment the best status of any track', () => {
  fc.assert(
    fc.property(fc.array(track, { maxLength: 5 }), (tracks) => {
      const all = together(tracks);
      for (const [at, interval] of all.entries()) {
        assert.ok(interval.endMs > interval.startMs);
        assert.ok(at === 0 || (all[at - 1]?.endMs ?? 0) <= interval.startMs);
      }
      for (let ms = 0; ms < 160; ms++) {
        const kinds = tracks.flatMap((intervals) => intervalAt(intervals, ms)?.kind ?? []);
        const expected = (['fragment', 'live', 'gap'] as const).find((one) => kinds.includes(one));
        assert.equal(intervalAt(all, ms)?.kind, expected);
      }
    }),
  );
});
