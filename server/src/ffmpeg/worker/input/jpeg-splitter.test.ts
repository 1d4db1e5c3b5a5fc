import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JpegSplitter } from './jpeg-splitter.ts';

/** An image with a thumbnail inside, stuffed zeros, restart markers and a second scan. */
function image(seed: number): Buffer {
  const thumbnail = [0xff, 0xd8, 0xff, 0xd9];
  const segment = (marker: number, content: readonly number[]) => [
    0xff,
    marker,
    0,
    content.length + 2,
    ...content,
  ];
  return Buffer.from([
    0xff,
    0xd8,
    ...segment(0xe1, [...thumbnail, seed]),
    ...segment(0xda, [1, 2]),
    ...[5, 0xff, 0, 0x2d, 0x2d, 0xff, 0xd3, seed, 0xff, 0xff, 0],
    ...segment(0xc4, [seed]),
    ...segment(0xda, []),
    ...[9, 9, 0xff, 0xd9],
  ]);
}

function split(stream: Buffer, lengths: readonly number[]): string[] {
  const images: string[] = [];
  const splitter = new JpegSplitter((one) => images.push(one.toString('hex')));
  for (let at = 0, index = 0; at < stream.length; index++) {
    const length = lengths[index % lengths.length] ?? 1;
    splitter.push(stream.subarray(at, at + length));
    at += length;
  }
  return images;
}

const images = [1, 2, 3].map(image);
const hex = (list: readonly Buffer[]) => list.map((one) => one.toString('hex'));

test('images are found however the chunks are split and whatever is between them', () => {
  const between = fc.array(fc.constantFrom('\r\n', '\n', '--frame', 'Content-Length: 5', '\xff'), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1 }), between, (lengths, texts) => {
      const text = Buffer.from(texts.join(''), 'latin1');
      const stream = Buffer.concat(images.flatMap((one) => [text, one]));
      assert.deepEqual(split(stream, lengths), hex(images));
    }),
  );
});

test('a truncated image is left out, and the next one is complete', () => {
  const [first, second, third] = images;
  assert.ok(first && second && third);
  for (let length = 3; length < second.length; length++) {
    // A truncated length may claim 64 KiB of what follows.
    const more = Array<Buffer>(2_000).fill(third);
    const found = split(Buffer.concat([first, second.subarray(0, length), ...more]), [701]);
    assert.equal(found[0], first.toString('hex'));
    assert.equal(found.at(-1), third.toString('hex'));
  }
});

test('any bytes yield images or nothing, and an image without an end is dropped', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
      for (const one of split(Buffer.from(bytes), [11]))
        assert.ok(one.startsWith('ffd8') && one.endsWith('ffd9'));
    }),
  );
  const endless = Buffer.alloc(1 << 20, 7);
  const splitter = new JpegSplitter(() => assert.fail('there is no end'));
  splitter.push(image(1).subarray(0, 20));
  for (let megabytes = 0; megabytes < 20; megabytes++) splitter.push(endless);
});
