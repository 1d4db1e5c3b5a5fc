import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { copyBytes } from './copy-bytes.ts';

/** As loaded by a browser. */
async function withoutNode(): Promise<typeof copyBytes> {
  const { Buffer: hidden } = globalThis;
  Reflect.deleteProperty(globalThis, 'Buffer');
  try {
    const address = new URL('./copy-bytes.ts?browser', import.meta.url);
    return ((await import(address.href)) as { copyBytes: typeof copyBytes }).copyBytes;
  } finally {
    Object.assign(globalThis, { Buffer: hidden });
  }
}

test('[R10.1] a piece is copied to its place and nothing else changes, in Node and in a browser', async () => {
  const ways = [copyBytes, await withoutNode()];
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(bytes, bytes, fc.nat(), fc.nat(), fc.nat(), (all, before, from, length, place) => {
      // A view that doesn't begin where its memory does.
      const source = all.subarray(all.length >> 2);
      const start = from % source.length;
      const end = start + (length % (Math.min(source.length - start, before.length) + 1));
      const at = place % (before.length - (end - start) + 1);
      const expected = before.slice();
      for (let index = start; index < end; index++) expected[at + index - start] = source[index] ?? 0;
      for (const copy of ways) {
        const target = before.slice();
        copy(source, start, end, target, at);
        assert.deepEqual(target, expected);
      }
    }),
  );
});
