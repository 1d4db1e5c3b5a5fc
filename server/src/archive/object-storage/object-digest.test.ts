import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { etagFits, partBytes, wholeMaxBytes } from './object-digest.ts';

const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest();

/** As a store computes it from the parts it receives. */
function etagOf(object: Uint8Array): string {
  const digests: Buffer[] = [];
  for (let at = 0; at < object.length; at += partBytes)
    digests.push(md5(object.subarray(at, at + partBytes)));
  return `"${md5(Buffer.concat(digests)).toString('hex')}-${digests.length}"`;
}

test('the digest of a multipart upload reveals a changed byte in any part, and two parts in the wrong order', async () => {
  const file = Buffer.alloc(wholeMaxBytes + 3 * 1024 * 1024);
  for (let at = 0; at < file.length; at += 4_096) file.writeUInt32LE(at, at);
  const reader = {
    read: async (offset: number, length: number) => file.subarray(offset, offset + length),
  };
  assert.equal(await etagFits(etagOf(file), reader, file.length), true);
  for (const at of [0, partBytes - 1, partBytes, file.length - 1]) {
    const spoilt = Buffer.from(file);
    spoilt[at] = (spoilt[at] ?? 0) ^ 1;
    assert.equal(await etagFits(etagOf(spoilt), reader, file.length), false, `byte ${at}`);
  }
  const swapped = Buffer.concat([
    file.subarray(partBytes, 2 * partBytes),
    file.subarray(0, partBytes),
    file.subarray(2 * partBytes),
  ]);
  assert.equal(await etagFits(etagOf(swapped), reader, file.length), false);
  assert.equal(await etagFits(etagOf(file.subarray(0, 2 * partBytes)), reader, file.length), false);
});
