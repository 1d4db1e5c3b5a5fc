import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sample } from '@vidette/media/sample';
import type { VideoTrack } from '@vidette/media/track';
import { ManualClock } from '../base/manual-clock.ts';
import { Fault } from '../base/fault.ts';
import type { JobListener } from './worker-process.ts';
import { SnapshotQueue, type SnapshotPool } from './snapshot-queue.ts';

const track = { id: 1, kind: 'video', codec: 'h264', config: new Uint8Array() } as unknown as VideoTrack;
const sample = { trackId: 1, data: [], size: 0 } as unknown as Sample;

/** A pool whose jobs the test ends; it counts the killed children. */
class ScriptedPool implements SnapshotPool {
  readonly jobs: { widths: number; listener: JobListener }[] = [];
  kills = 0;

  open(request: Parameters<SnapshotPool['open']>[0], _role: 'snapshot', listener: JobListener) {
    const asked = request();
    this.jobs.push({ widths: asked.kind === 'snapshot' ? asked.maxWidth : 0, listener });
    return {
      data: () => true,
      send: () => Promise.resolve(false),
      close: () => {},
      kill: (cause: string) => {
        this.kills++;
        listener.ended(new Fault('Unavailable', cause), cause);
      },
    };
  }

  finish(): void {
    const { listener } = this.jobs.at(-1)!;
    listener.message({ type: 'snapshot', job: 1, bytes: Uint8Array.of(1) });
    listener.ended(undefined, 'made');
  }
}

test('under load a snapshot past its deadline is abandoned, and its child continues', async () => {
  const clock = new ManualClock();
  const pool = new ScriptedPool();
  const queue = new SnapshotQueue(pool, clock);
  const late = queue.make(track, sample, { maxWidth: 1, deadlineMs: 5000 });
  const next = queue.make(track, sample, { maxWidth: 2, deadlineMs: 30_000 });
  const isLate = assert.rejects(late, { code: 'SERVER_NOT_RESPONSE_ERR' });
  clock.advance(8000);
  await isLate;
  assert.equal(pool.kills, 0);
  pool.finish();
  assert.equal(pool.jobs.length, 2);
  pool.finish();
  assert.equal((await next).length, 1);
});

test('a child that hangs or crashes is replaced immediately, then at most once a minute', async () => {
  const clock = new ManualClock();
  const pool = new ScriptedPool();
  const queue = new SnapshotQueue(pool, clock);
  const hanging = assert.rejects(queue.make(track, sample, { deadlineMs: 60_000 }), { code: 'Unavailable' });
  const waiting = assert.rejects(queue.make(track, sample, { deadlineMs: 60_000 }), { code: 'Unavailable' });
  clock.advance(20_000);
  await hanging;
  assert.equal(pool.kills, 1);
  assert.equal(pool.jobs.length, 2, 'the first replacement comes immediately');
  const patient = queue.make(track, sample, { deadlineMs: 300_000 });
  clock.advance(20_000);
  await waiting;
  assert.equal(pool.kills, 2);
  await assert.rejects(queue.make(track, sample), { code: 'Unavailable' }, 'no second one within the minute');
  assert.equal(pool.jobs.length, 2);
  clock.advance(40_000);
  assert.equal(pool.jobs.length, 3, 'after the minute the pending requests are served');
  pool.finish();
  assert.equal((await patient).length, 1);
});

test('the request with the earliest deadline is served first', () => {
  const pool = new ScriptedPool();
  const queue = new SnapshotQueue(pool, new ManualClock());
  for (const [maxWidth, deadlineMs] of [
    [1, 60_000],
    [2, 60_000],
    [3, 5000],
  ] as const) {
    queue.make(track, sample, { maxWidth, deadlineMs }).catch(() => {});
  }
  pool.finish();
  pool.finish();
  assert.deepEqual(
    pool.jobs.map(({ widths }) => widths),
    [1, 3, 2],
  );
});
