import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameReader } from '../base/frame-reader.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { frame, videoTrack } from '../hub/sample-fixture.ts';
import { Stream } from '../hub/stream.ts';
import { LiveFeed } from './live-feed.ts';
import { decodeEvent } from './sample-wire.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('[R15.4] a feed that is reduced carries key frames only, and all frames again from a key frame on', async () => {
  const stream = new Stream('gate');
  stream.setTracks([videoTrack]);
  let isReduced = false;
  const feed = new LiveFeed(stream, new ManualClock(), () => isReduced);
  const sent: number[] = [];
  const frames = new FrameReader((bytes) => {
    const event = decodeEvent(bytes);
    if (event?.type === 'sample') sent.push(event.sample.dts);
  });
  feed.on('data', (bytes: Buffer) => frames.push(bytes));
  const write = async (...numbers: number[]) => {
    for (const number of numbers) stream.write(frame(number, { isKey: number % 10 === 0 }));
    await turn();
  };
  await write(0, 1);
  isReduced = true;
  await write(2, 3, 10, 11);
  isReduced = false;
  await write(12, 20, 21);
  feed.destroy();
  const expected = [0, 1, 10, 20, 21].map((number) => frame(number, { isKey: true }).dts);
  assert.deepEqual(sent, expected);
});
