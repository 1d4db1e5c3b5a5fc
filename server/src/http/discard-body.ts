import type { IncomingMessage } from 'node:http';
import type { Clock } from '../base/clock.ts';

/** What is read of a refused body at most; who sends more may lose the answer. */
const maxBytes = 16 * 1024 * 1024;
const maxMs = 2_000;

/**
 * Reads what is left of a refused body, and discards it. Many clients read the answer only after they have sent
 * everything, and closing a connection with unread data resets it, which discards the answer too (RFC 9112,
 * 9.6). Never rejects; ends with the body or the connection, after 16 MiB, or after two seconds.
 */
export function discardBody(request: IncomingMessage, clock: Clock): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let bytes = 0;
    const end = () => {
      cancel();
      request.off('data', count).off('end', end).off('close', end);
      resolve();
    };
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes >= maxBytes) end();
    };
    const cancel = clock.after(maxMs, end);
    request.on('data', count).on('end', end).on('close', end).resume();
  });
}
