import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { ManualClock } from '../base/manual-clock.ts';
import type { JournalChange } from '../store/journal.ts';
import { StreamOutages, type StreamOutagesOptions } from './stream-outages.ts';

const running = { status: 'running', failureReason: null, code: null } as const;
const pending = { status: 'pending', failureReason: null, code: null } as const;
const failed = { status: 'failed', failureReason: 'no route', code: 'EHOSTUNREACH' } as const;

type Watched = ReturnType<StreamOutagesOptions['streams']> extends Iterable<infer One> ? One : never;

function scene() {
  const clock = new ManualClock();
  const noted: JournalChange[] = [];
  const examined: string[] = [];
  const streams: { uid: string; state: Watched['state']; recorder: string; sinceMs: number }[] = [];
  const open: { kind: string; uid: string }[] = [];
  const outages = new StreamOutages({
    clock,
    log: pino({ level: 'silent' }),
    writer: { note: (change) => noted.push(change) },
    gaps: { examine: (uid) => examined.push(uid) },
    journal: {
      open: () => Promise.resolve(open.map(({ kind, uid }) => ({ entry: { kind }, uid }) as never)),
    },
    streams: () =>
      streams.map(
        ({ uid, state, recorder, sinceMs }) =>
          ({
            settings: { uid, isRecorded: true, isPaused: false },
            state,
            report: { sinceMs, recorder: { state: recorder, code: 'disk-full' } },
          }) as unknown as Watched,
      ),
  });
  const lines = () =>
    noted.splice(0).map((one) => {
      const [code, atMs] = one.type === 'end' ? ['', one.endMs] : [one.detail?.code ?? '', one.startMs];
      return `${one.type} ${one.kind} ${one.uid} ${atMs} ${code}`.trim();
    });
  return { clock, outages, streams, open, examined, lines };
}

test('[R11.3] an outage begins when a stream fails and ends when it runs, not while it connects again', () => {
  const { outages, lines } = scene();
  outages.noteState('gate', pending, 1);
  outages.noteState('gate', running, 2);
  outages.noteState('gate', failed, 3);
  outages.noteState('gate', pending, 4);
  outages.noteState('gate', failed, 5);
  outages.noteState('gate', running, 6);
  assert.deepEqual(lines(), ['begin stream-down gate 3 EHOSTUNREACH', 'end stream-down gate 6']);
});

test('[R11.3] after a restart, what is over ends when the stream came back, and what went unnoticed begins', async () => {
  const { outages, streams, open, lines } = scene();
  open.push({ kind: 'stream-down', uid: 'gate' }, { kind: 'stream-down', uid: 'yard' });
  open.push({ kind: 'recording-stopped', uid: 'gate' });
  streams.push({ uid: 'gate', state: running, recorder: 'recording', sinceMs: 700 });
  streams.push({ uid: 'hall', state: failed, recorder: 'waiting', sinceMs: 800 });
  streams.push({ uid: 'yard', state: pending, recorder: 'waiting', sinceMs: 900 });
  await outages.compare();
  const noted = lines();
  assert.deepEqual(noted.slice(0, 1), ['end stream-down gate 700']);
  assert.match(noted[1] ?? '', /^end recording-stopped gate /);
  assert.deepEqual(noted.slice(2), ['begin stream-down hall 800 EHOSTUNREACH']);
});

test('[R11.3] a recorder that fails and recovers is noticed, and its gaps are looked for', () => {
  const { clock, outages, streams, examined, lines } = scene();
  streams.push({ uid: 'gate', state: running, recorder: 'recording', sinceMs: 1 });
  clock.advance(2_000);
  assert.deepEqual(examined, ['gate']);
  for (const recorder of ['failed', 'failed', 'waiting', 'recording']) {
    for (const stream of streams) stream.recorder = recorder;
    clock.advance(2_000);
  }
  const [begun = '', ended = '', ...others] = lines();
  assert.match(begun, /^begin recording-stopped gate \d+ disk-full$/);
  assert.match(ended, /^end recording-stopped gate \d+$/);
  assert.deepEqual(others, []);
  assert.deepEqual(examined, ['gate', 'gate']);
  outages.close();
  assert.equal(clock.pendingTimers, 0);
});
