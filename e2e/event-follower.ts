import assert from 'node:assert/strict';
import { addressOf } from '@vidette/contract/routes';
import type { TestServer } from './server.ts';

/** An event as it came (HTML Living Standard, 9.2). */
interface FollowedEvent {
  readonly id: string;
  readonly name: string;
  /** JSON */
  readonly data: string;
}

/** The events of a connection to `GET /v1/events`, as they come. */
export interface EventFollower {
  readonly events: readonly FollowedEvent[];
  readonly names: () => string[];
  readonly isOver: () => boolean;
  /** Resolves when the connection has ended, however it did. */
  readonly done: Promise<void>;
}

/** Follows the events of a server until `signal` aborts or the server ends the connection. */
export function followEvents(
  server: TestServer,
  headers: Record<string, string>,
  signal: AbortSignal,
): EventFollower {
  const events: FollowedEvent[] = [];
  let isOver = false;
  const done = (async () => {
    const response = await fetch(server.url + addressOf('watchEvents'), { headers, signal });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    assert.equal(response.headers.get('transfer-encoding'), null);
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [id = '', name = '', data = ''] = block.split('\n').map((line) => line.replace(/^\w+: /, ''));
        if (name !== '') events.push({ id, name, data });
      }
    }
  })()
    .catch(() => undefined)
    .finally(() => (isOver = true));
  return { events, done, isOver: () => isOver, names: () => events.map(({ name }) => name) };
}
