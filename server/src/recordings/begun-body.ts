import { Readable } from 'node:stream';

/** Header of the file, header of its first fragment, first bytes of media. */
const firstChunks = 3;

/**
 * A body of which the first chunks have been read: storage that does not answer is an answer with its code then, and
 * not a transfer that breaks off.
 */
export async function begunBody(chunks: AsyncGenerator<Uint8Array, void, undefined>): Promise<Readable> {
  const first: Uint8Array[] = [];
  while (first.length < firstChunks) {
    const { done, value } = await chunks.next();
    if (done) break;
    first.push(value);
  }
  const body = Readable.from(joined(first, chunks), { objectMode: false, highWaterMark: 262_144 });
  // A generator that was never started does not close its source.
  return body.once('close', () => void chunks.return());
}

async function* joined(
  first: readonly Uint8Array[],
  rest: AsyncGenerator<Uint8Array, void, undefined>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield* first;
  yield* rest;
}
