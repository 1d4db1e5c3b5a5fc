import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventLimits } from '@vidette/contract/constants';
import { EventText } from './event-text.ts';
import { ServerEventStream } from './server-events.ts';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A stream whose server the test plays. */
function scene() {
  const requests: { headers: Record<string, string>; send: (text: string) => void; end: () => void }[] = [];
  const timers = new Map<() => void, number>();
  const seen: string[] = [];
  const events = new ServerEventStream({
    fetch: (_, init) => {
      const { signal, headers } = init ?? {};
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          requests.push({
            headers: headers as Record<string, string>,
            send: (text) => controller.enqueue(new TextEncoder().encode(text)),
            end: () => controller.close(),
          });
          signal?.addEventListener('abort', () => controller.error(new Error('aborted')));
        },
      });
      return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
    },
    setTimer: (run, delayMs) => {
      timers.set(run, delayMs);
      return () => timers.delete(run);
    },
  });
  events.listen(({ name }) => seen.push(name));
  events.watch(() => seen.push(events.isConnected() ? '+' : '-'));
  const fire = async () => {
    const [due] = timers;
    assert.ok(due);
    timers.delete(due[0]);
    due[0]();
    await settled();
    return due[1];
  };
  return { events, requests, seen, fire, timers };
}

test('[R11.2] events are taken out of the text, however it is cut; comments are none', () => {
  const wire =
    ':\n\nid: a.1\nevent: statuses\ndata: {"items":[]}\n\n:\n\nid: a.2\nevent: health\ndata: {}\n\n';
  for (let cut = 0; cut < wire.length; cut++) {
    const text = new EventText();
    const events = [...text.push(wire.slice(0, cut)), ...text.push(wire.slice(cut))];
    assert.deepEqual(
      events.map(({ id, name, data }) => `${id} ${name} ${data}`),
      ['a.1 statuses {"items":[]}', 'a.2 health {}'],
    );
  }
});

test('[R11.2] a connection that says nothing counts as broken within two seconds; the next continues after its last event', async () => {
  const { events, requests, seen, fire } = scene();
  events.start();
  await settled();
  requests[0]?.send('id: a.7\nevent: health\ndata: {}\n\n');
  await settled();
  assert.deepEqual(seen, ['+', 'health']);
  assert.ok((await fire()) < 2_000);
  assert.equal(eventLimits.silenceMs < 2_000, true);
  assert.deepEqual(seen, ['+', 'health', '-']);
  await fire();
  assert.equal(requests.length, 2);
  assert.equal(requests[1]?.headers['last-event-id'], 'a.7');
  requests[1]?.send(':\n\n');
  await settled();
  assert.deepEqual(seen, ['+', 'health', '-', '+']);
});

test('[R11.2] one that is stopped leaves no timer, and another user starts from the beginning', async () => {
  const { events, requests, seen, timers } = scene();
  events.start();
  await settled();
  requests[0]?.send('id: a.7\nevent: health\ndata: {}\n\n');
  await settled();
  events.forget();
  await settled();
  assert.equal(timers.size, 0);
  assert.deepEqual(seen, ['+', 'health', '-']);
  events.start();
  await settled();
  assert.equal(requests[1]?.headers['last-event-id'], undefined);
  requests[1]?.end();
  await settled();
  await settled();
  assert.equal(timers.size, 1);
});
