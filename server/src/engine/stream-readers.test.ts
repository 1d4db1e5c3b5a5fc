import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Recorder } from '../archive/record/record.ts';
import { systemClock } from '../base/clock.ts';
import { LoadLevel } from '../base/load-level.ts';
import { Stream } from '../hub/stream.ts';
import { StreamReaders } from './stream-readers.ts';

function opened() {
  const events: string[] = [];
  const permissions: (() => boolean | Promise<boolean>)[] = [];
  const stream = new Stream('cam1');
  const readers = new StreamReaders({
    uid: 'cam1',
    stream,
    tools: {
      load: new LoadLevel(),
      clock: systemClock,
      recorders: {
        prepare: () => Promise.resolve(false),
        endOf: () => 0,
        record: (uid, _, permits) => {
          events.push(`record ${uid}`);
          if (permits) permissions.push(permits);
          return { stop: (cause: string) => Promise.resolve(void events.push(cause)) } as unknown as Recorder;
        },
        remove: () => assert.fail('nothing is deleted'),
      },
      permits: (uid, epoch) => uid === 'cam1' && epoch === 7,
      onMotion: () => {},
    },
  });
  return { events, permissions, stream, readers };
}

test('the recorder starts once, writes under the epoch of its start, and ends when recording is off', async () => {
  const { events, permissions, readers } = opened();
  await readers.apply({ isRecorded: true, findsMotion: false }, 7);
  await readers.apply({ isRecorded: true, findsMotion: false }, 7);
  assert.ok(readers.recorder);
  assert.deepEqual(events, ['record cam1']);
  assert.deepEqual(
    permissions.map((permits) => permits()),
    [true],
  );
  await readers.apply({ isRecorded: false, findsMotion: false }, 7);
  assert.deepEqual(events, ['record cam1', 'recording-off']);
  assert.equal(readers.recorder, undefined);
  await readers.apply({ isRecorded: true, findsMotion: false }, 8);
  assert.equal(permissions[1]?.(), false);
  await readers.stopRecorder('moved');
  await readers.stopRecorder('removed');
  assert.deepEqual(events.slice(2), ['record cam1', 'moved']);
});

test('motion is read from the hub while it is wanted, by one reader', async () => {
  const { stream, readers } = opened();
  const counts: number[] = [];
  const count = () => counts.push(stream.readerCount);
  await readers.apply({ isRecorded: false, findsMotion: true }, 7);
  await readers.apply({ isRecorded: false, findsMotion: true }, 7);
  count();
  await readers.apply({ isRecorded: false, findsMotion: false }, 7);
  count();
  await readers.apply({ isRecorded: false, findsMotion: true }, 7);
  readers.stopMotion();
  readers.stopMotion();
  count();
  assert.deepEqual(counts, [1, 0, 0]);
});
