import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog, type Log } from '../../base/log.ts';
import { ManualClock } from '../../base/manual-clock.ts';
import { eventBytes } from '../../hub/event-queue.ts';
import type { Reader, ReaderEvent } from '../../hub/reader.ts';
import { frame, videoTrack } from '../../hub/sample-fixture.ts';
import { Stream } from '../../hub/stream.ts';
import { backlogMaxBytes, RecordingBacklog, type ShedExtent } from './recording-backlog.ts';

const sampleBytes = 1_000;
/** Of one sample in a queue. */
const weight = sampleBytes + eventBytes;
const framesOfGop = 10;

interface Followed {
  readonly stream: Stream;
  readonly reader: Reader;
  written: number;
}

/** A backlog of streams whose recorders take nothing, and what it logs. */
function backlogOf(uids: readonly string[], maxSamples: number) {
  const lines: string[] = [];
  const log: Log = {
    ...silentLog,
    warn: (_, text) => lines.push(`warn ${text}`),
    info: (_, text) => lines.push(`info ${text}`),
  };
  const clock = new ManualClock(0);
  const backlog = new RecordingBacklog({ maxBytes: maxSamples * weight, clock, log });
  const streams = new Map(
    uids.map((uid) => {
      const stream = new Stream(uid);
      const reader = stream.addReader({
        ...{ name: 'archive', maxBytes: 1e9, from: 'next-key', sharedLimit: backlog },
        onReadable() {},
      });
      stream.setTracks([videoTrack]);
      backlog.join({
        uid,
        get queuedBytes() {
          return reader.queuedBytes;
        },
        shed: (extent: ShedExtent) => (extent === 'all' ? reader.skipAll() : reader.skipToNewestGop()),
      });
      return [uid, { stream, reader, written: 0 }] as [string, Followed];
    }),
  );
  const of = (uid: string) => {
    const found = streams.get(uid);
    assert.ok(found);
    return found;
  };
  return {
    ...{ backlog, clock, lines },
    readerOf: (uid: string) => of(uid).reader,
    write: (uid: string, samples: number) => {
      const to = of(uid);
      for (let index = 0; index < samples; index++, to.written++)
        to.stream.write(frame(to.written, { isKey: to.written % framesOfGop === 0, size: sampleBytes }));
    },
    taken: (uid: string): ReaderEvent[] => {
      const events: ReaderEvent[] = [];
      for (let event = of(uid).reader.take(); event; event = of(uid).reader.take()) events.push(event);
      return events;
    },
  };
}

const typesOf = (events: readonly ReaderEvent[]) => events.map(({ type }) => type);

test('beyond the limit of all streams together, the one with the most waiting loses its complete GOPs, no other', () => {
  const { backlog, write, taken, readerOf } = backlogOf(['a', 'b', 'c'], 100);
  write('a', 25);
  write('b', 45);
  write('c', 25);
  assert.ok(backlog.share < 1);
  write('a', 10);
  assert.equal(readerOf('a').skippedSamples, 0);
  assert.equal(readerOf('c').skippedSamples, 0);
  assert.equal(readerOf('b').skippedSamples, 40);
  const left = taken('b');
  assert.deepEqual(typesOf(left).slice(0, 3), ['tracks', 'skipped', 'sample']);
  assert.ok(left[2]?.type === 'sample' && left[2].startsGop, 'what remains starts with a key frame');
  assert.equal(left.length, 2 + 5, 'the GOP that is being received stays');
});

test('whatever is written, what waits stays within the limit, also where no GOP is complete', () => {
  const uids = ['a', 'b', 'c', 'd'];
  const { backlog, write, readerOf } = backlogOf(uids, 20);
  for (let round = 0; round < 40; round++) {
    for (const uid of uids) {
      write(uid, 3);
      assert.ok(backlog.share <= 1, `${backlog.share}`);
    }
  }
  const queued = uids.reduce((sum, uid) => sum + readerOf(uid).queuedBytes, 0);
  assert.equal(backlog.bytes, queued);
  for (const uid of uids) readerOf(uid).close();
  assert.equal(backlog.bytes, 0);
});

test('what is being written counts, can not be dropped, and does not empty the queues at each sample', () => {
  const { backlog, write, readerOf } = backlogOf(['a'], 320);
  backlog.add(400 * weight);
  write('a', 1);
  assert.equal(readerOf('a').queuedBytes, eventBytes, 'only the parameters are left');
  // The rest of that GOP, and one and a half more.
  write('a', framesOfGop - 1);
  write('a', 15);
  assert.equal(readerOf('a').skippedSamples, framesOfGop);
  assert.ok(readerOf('a').queuedBytes >= 15 * weight);
  write('a', 400);
  assert.ok(backlog.share < 1.5);
  backlog.add(-400 * weight);
  write('a', 400);
  assert.ok(backlog.share <= 1);
});

test('one warning names the overload and its streams, repeated while it lasts, and the end is noted', () => {
  const uids = Array.from({ length: 25 }, (_, index) => `cam${index}`);
  const { write, clock, lines, taken } = backlogOf(uids, 250);
  const pour = () => {
    for (const uid of uids) write(uid, 21);
  };
  pour();
  assert.equal(lines.length, 1);
  assert.match(lines[0] ?? '', /^warn Recording is overloaded: .* dropped: cam0/);
  pour();
  assert.equal(lines.length, 1);
  clock.advance(10_000);
  assert.equal(lines.length, 2);
  assert.match(lines[1] ?? '', /^warn .* and \d+ others$/);
  for (const uid of uids) taken(uid);
  write('cam0', 21);
  clock.advance(10_000);
  assert.deepEqual(lines.slice(2), ['info Recording keeps up again: all streams are recorded completely']);
  clock.advance(60_000);
  assert.equal(lines.length, 3);
});

test('the limit is a share of the memory, and not more than 512 MiB', () => {
  const megabyte = 1024 * 1024;
  assert.equal(backlogMaxBytes(1024 * megabyte), 64 * megabyte);
  assert.equal(backlogMaxBytes(64 * 1024 * megabyte), 512 * megabyte);
  assert.ok(backlogMaxBytes() > 0);
});
