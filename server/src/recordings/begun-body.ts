import { Readable } from 'node:stream';

/** The file header, the header of the first fragment, and the first bytes of media. */
const firstChunks = 3;

/**
 * A body whose first chunks have already been read, so that storage that does not respond results in an error
 * response and not in a broken transfer.
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
