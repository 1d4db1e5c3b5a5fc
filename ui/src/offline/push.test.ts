import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPush, showPush, type PushScope } from './push.ts';

const path = '/ui/stream/k3m9x2q7w5ab/view?t=1795255200000';

function made(urls: readonly string[], showNotification = () => Promise.resolve()) {
  const done: string[] = [];
  const windows = urls.map((url) => ({
    url,
    focus: () => Promise.resolve(void done.push(`focus ${url}`)),
    postMessage: (message: unknown) => void done.push(`${url} gets ${JSON.stringify(message)}`),
  }));
  const scope: PushScope = {
    registration: { showNotification } as unknown as ServiceWorkerRegistration,
    location: { origin: 'https://cams.example.org' },
    clients: {
      matchAll: () => Promise.resolve(windows),
      openWindow: (url) => Promise.resolve(void done.push(`open ${url}`)),
    },
  };
  return { scope, done };
}

const clicked = { data: path, close: () => undefined } as unknown as Notification;

test('[R11.10] a click opens the moment in an open page of this server, and else in a new window', async () => {
  const page = 'https://cams.example.org/ui/streams';
  const open = made([
    'https://cams.example.org/ui/share/abc',
    'https://cams.example.org/ui/offline.html',
    page,
  ]);
  await openPush(open.scope, clicked);
  assert.deepEqual(open.done, [
    `${page} gets ${JSON.stringify({ type: 'open-notification', path })}`,
    `focus ${page}`,
  ]);
  const closed = made(['https://cams.example.org/ui/share/abc', 'https://other.example.org/ui/']);
  await openPush(closed.scope, clicked);
  assert.deepEqual(closed.done, [`open https://cams.example.org${path}`]);
});

test('[R11.10] the time of the event is part of the text, with its day if it was long ago', async () => {
  const bodies: (string | undefined)[] = [];
  const { scope } = made([], ((_: string, { body }: NotificationOptions) => {
    bodies.push(body);
    return Promise.resolve();
  }) as () => Promise<void>);
  const timeMs = Date.parse('2026-11-23T12:00:00Z');
  const message = { title: 'Yard', body: 'Rule: A', tag: 'x', path, image: null };
  for (const [language, laterMs] of [
    ['en', 60_000],
    ['en', 86_400_000],
    ['ru', 60_000],
  ] as const) {
    await showPush(scope, { ...message, language, timeMs }, timeMs + laterMs);
  }
  await showPush(scope, { ...message, language: 'en', timeMs: null }, timeMs);
  const [recent = '', old = '', russian = '', test = ''] = bodies;
  assert.match(recent, /^\d\d:\d\d:00\nRule: A$/);
  assert.match(old, /^\d+ Nov 2026, \d\d:\d\d:00\nRule: A$/);
  assert.match(russian, /^\d\d:\d\d:00\nRule: A$/);
  assert.equal(test, 'Rule: A');
});
