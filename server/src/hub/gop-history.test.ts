import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GopHistory } from './gop-history.ts';
import { frame, videoTrack } from './sample-fixture.ts';
import { Stream } from './stream.ts';

/** Key frames are ten frames apart. */
async function received(frames: number, options: { maxBytes: number; maxSeconds: number }, size = 100) {
  const stream = new Stream('cam1');
  stream.setTracks([videoTrack]);
  let begun = 0;
  const history = new GopHistory(stream, { ...options, onGop: () => begun++ });
  await Promise.resolve();
  for (let index = 0; index < frames; index++) stream.write(frame(index, { isKey: index % 10 === 0, size }));
  const numbers = history.gops.map(({ key }) => (key.dts - frame(0).dts) / 3_600);
  return { stream, history, numbers, begun };
}

test('the last GOPs are held, as many as time and bytes allow, and always the newest', async () => {
  // 0.4 s each.
  assert.deepEqual((await received(55, { maxBytes: 1e6, maxSeconds: 0.5 })).numbers, [30, 40, 50]);
  assert.deepEqual((await received(55, { maxBytes: 1e6, maxSeconds: 60 })).numbers, [0, 10, 20, 30, 40, 50]);
  assert.deepEqual((await received(55, { maxBytes: 1_600, maxSeconds: 60 })).numbers, [40, 50]);
  assert.deepEqual((await received(60, { maxBytes: 400, maxSeconds: 60 })).numbers, []);
  assert.equal((await received(60, { maxBytes: 400, maxSeconds: 60 })).begun, 6);
});

test('everything from a GOP on is returned once, with the parameters of its start and what interrupted it', async () => {
  const { history, stream } = await received(15, { maxBytes: 1e6, maxSeconds: 60 });
  stream.pause('unreachable');
  stream.setTracks([{ ...videoTrack, width: 640 }]);
  stream.write(frame(20, { isKey: true }));
  const [first, second, third] = history.gops;
  assert.ok(first && second && third);
  const types = (events: readonly { type: string }[]) => events.map(({ type }) => type).join(' ');
  assert.equal(types(history.eventsFrom(third)), 'tracks sample');
  assert.equal(
    types(history.eventsFrom(second)),
    'tracks sample sample sample sample sample pause tracks sample',
  );
  assert.equal(history.eventsFrom(first).length, 10 + history.eventsFrom(second).length);
  history.close();
  assert.equal(stream.readerCount, 0);
});
