import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';

/**
 * Limits of what an answer may cost the calling node: a node may misbehave in any way and still sign its
 * answers.
 */
export interface BodyLimits {
  readonly maxBytes: number;
  /** Until it has arrived completely. */
  readonly timeoutMs: number;
}

/** The whole body. @throws Fault Unavailable when it is longer, takes longer, or breaks off */
export async function readBody(
  answer: IncomingMessage,
  clock: Clock,
  { maxBytes, timeoutMs }: BodyLimits,
): Promise<Buffer> {
  const cancel = clock.after(timeoutMs, () => answer.destroy(new Error('The answer did not end in time')));
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      const piece = chunk as Buffer;
      bytes += piece.length;
      if (bytes > maxBytes) throw new Error('The answer is too long');
      chunks.push(piece);
    }
    return Buffer.concat(chunks);
  } catch (cause) {
    throw new Fault('Unavailable', 'A node broke off its answer.', { cause });
  } finally {
    cancel();
    answer.destroy();
  }
}

/** The same as JSON. */
export async function readJson(answer: IncomingMessage, clock: Clock, limits: BodyLimits): Promise<unknown> {
  const body = await readBody(answer, clock, limits);
  try {
    return JSON.parse(body.toString());
  } catch (cause) {
    throw new Fault('Unavailable', 'A node answered with invalid JSON.', { cause });
  }
}

/**
 * The body chunk by chunk, as fast as it is consumed: exactly `length` bytes. Time during which the consumer
 * does not read does not count.
 * @throws Fault Unavailable when the next chunk does not arrive within `silenceMs`, or there are fewer or more
 * bytes
 */
export async function* steadyBody(
  answer: IncomingMessage,
  clock: Clock,
  { length, silenceMs }: { length: number; silenceMs: number },
): AsyncGenerator<Buffer> {
  const pieces = answer[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let left = length;
  try {
    while (left > 0) {
      const cancel = clock.after(silenceMs, () => answer.destroy(new Error('The node fell silent')));
      const { done, value } = await pieces.next().finally(cancel);
      if (done) throw new Error(`${left} bytes are missing`);
      if (value.length > left) throw new Error('The node sent more than was requested');
      left -= value.length;
      yield value;
    }
  } catch (cause) {
    throw new Fault('Unavailable', 'A node broke off its answer.', { cause });
  } finally {
    answer.destroy();
  }
}

/**
 * Chunks of an answer as a stream. A generator that was never started does not close its source: a reader that
 * leaves before its first byte would keep the connection to the node.
 */
export function streamOf(pieces: AsyncIterable<Buffer>, answer: IncomingMessage): Readable {
  return Readable.from(pieces, { objectMode: false }).once('close', () => answer.destroy());
}
