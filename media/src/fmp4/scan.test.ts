import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clipBytes, readClip, shifted } from '../../fixtures/clip.ts';
import { fragment } from './fragment.ts';
import { initSegment } from './init.ts';
import { scanSegment } from './scan.ts';

const clip = shifted(readClip('h264-b-pyramid.mp4'), 1_700_000_000);
const init = initSegment([clip.track]);
const parts = [0, 25].map((from, index) =>
  Buffer.concat(
    fragment({
      sequence: index + 1,
      tracks: [
        {
          track: clip.track,
          samples: clip.samples.slice(from, from + 25),
          endDts: clip.samples[from + 25]?.dts ?? clip.endDts,
        },
      ],
    }).slices,
  ),
);
const file = Buffer.concat([init, ...parts]);
const ends = parts.map((_, index) =>
  parts.slice(0, index + 1).reduce((sum, part) => sum + part.length, init.length),
);

function scan(bytes: Uint8Array): ReturnType<typeof scanSegment> {
  return scanSegment((offset, length) => bytes.subarray(offset, offset + length), bytes.length);
}

test('[R10.3] a complete segment file is scanned to its end', async () => {
  const found = await scan(file);
  assert.equal(found.damage, undefined);
  assert.equal(found.wholeSize, file.length);
  assert.equal(found.initSize, init.length);
  assert.deepEqual(found.tracks, [clip.track]);
  assert.deepEqual(
    found.fragments.map(({ offset, size, header }) => ({
      offset,
      size,
      baseDts: header.tracks[0]?.baseDts,
      endDts: header.tracks[0]?.endDts,
      startsWithKey: header.tracks[0]?.samples[0]?.isKey,
    })),
    [0, 25].map((from, index) => ({
      offset: (ends[index] ?? 0) - (parts[index]?.length ?? 0),
      size: parts[index]?.length,
      baseDts: clip.samples[from]?.dts,
      endDts: clip.samples[from + 25]?.dts ?? clip.endDts,
      startsWithKey: true,
    })),
  );
});

test('[R10.3] of a file truncated anywhere, the complete fragments are kept, and only those', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(file.length), async (length) => {
      const found = await scan(file.subarray(0, length));
      const whole = ends.filter((end) => end <= length);
      const expected = whole.at(-1) ?? (length >= init.length ? init.length : 0);
      assert.equal(found.wholeSize, expected);
      assert.equal(found.fragments.length, whole.length);
      assert.equal(found.damage === undefined, expected === length && length > 0);
    }),
  );
});

test('[R10.3] a tail of zeros or of noise is distinguished from a fragment', async () => {
  for (const tail of [Buffer.alloc(4096), Buffer.alloc(300, 0xff), Buffer.from('moof')]) {
    const found = await scan(Buffer.concat([file, tail]));
    assert.equal(found.wholeSize, file.length);
    assert.equal(found.fragments.length, 2);
    assert.notEqual(found.damage, undefined);
  }
});

test('a foreign file contains nothing, and the reason is reported', async () => {
  const found = await scan(Buffer.from('<!doctype html><title>no camera here</title>'));
  assert.deepEqual(found.tracks, []);
  assert.equal(found.wholeSize, 0);
  assert.match(found.damage ?? '', /instead of ftyp/);
});

test('a foreign muxer’s file with the same layout is understood up to its index', async () => {
  const found = await scan(clipBytes('h265-b-pyramid.mp4'));
  assert.equal(found.fragments.length, 2);
  assert.match(found.damage ?? '', /mfra/);
});

test('a read error of the disk does not count as damage', async () => {
  const broken = new Error('I/O error');
  await assert.rejects(
    scanSegment(() => Promise.reject(broken), 100),
    broken,
  );
});
