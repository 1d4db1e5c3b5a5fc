import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecordedKeyFrame } from '../archive/read/read.ts';
import { Fault } from '../base/fault.ts';
import { SearchedFrames } from './searched-frames.ts';

const frameOf = (timeMs: number) => ({ timeMs }) as RecordedKeyFrame;

function scene(read: (ms: number) => Promise<RecordedKeyFrame>, framesMax: number) {
  const abort = new AbortController();
  let decoded = 0;
  const frames = new SearchedFrames({
    ...{ read, framesMax, signal: abort.signal, requireRoom: () => {} },
    thumbnails: { of: () => Promise.resolve(++decoded === 2 ? undefined : new Uint8Array([decoded])) },
  });
  return { frames, abort, decoded: () => decoded };
}

test('a frame is decoded once, one that cannot be is counted, and the limit ends the search', async () => {
  const { frames, decoded } = scene((ms) => Promise.resolve(frameOf(Math.floor(ms / 10) * 10)), 3);
  const found = [];
  for await (const frame of frames.each([1, 2, 11, 12, 21, 29])) found.push(frame?.timeMs);
  assert.deepEqual(found, [0, 0, undefined, undefined, 20, 20]);
  assert.deepEqual([frames.count, frames.unreadable, decoded()], [3, 1, 3]);
  assert.equal((await frames.at(5))?.timeMs, 0);
  await assert.rejects(frames.at(31), { reason: 'frames' });
});

test('frames of a node that is away are passed by; other failures and the end of the search are not', async () => {
  const away = scene(() => Promise.reject(new Fault('Unavailable', 'The node is away.')), 3);
  assert.equal(await away.frames.at(1), undefined);
  assert.equal(away.frames.unreadable, 1);
  const broken = scene(() => Promise.reject(new TypeError('a mistake')), 3);
  await assert.rejects(broken.frames.at(1), TypeError);
  const slow = scene(() => new Promise(() => {}), 3);
  const asked = slow.frames.at(1);
  slow.abort.abort(new Fault('Forbidden', 'The right has ended.'));
  await assert.rejects(asked, { code: 'Forbidden' });
});
