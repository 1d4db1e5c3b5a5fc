import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { WebSocket } from 'ws';
import { ApiError, type Client } from '@vidette/contract/client';
import { administratorOf, until } from './api.ts';
import { consoleErrorsOf, desktop, launchBrowser, newPerson } from './browser.ts';
import { assertMoves } from './frame.ts';
import { startServer, type TestServer } from './server.ts';

let server: TestServer;
let browser: Browser;
let admin: Client;
let uid: string;
let url: string;
/** A page of another site that frames the link. */
let otherSite: Server;

before(async () => {
  server = await startServer();
  admin = (await administratorOf(server)).client;
  const body = { name: 'Square & <gate>', streamSource: 'demo:', archive: { isEnable: false } };
  ({ uid } = await admin.addStream({ body }));
  ({ url } = await admin.getStreamShare({ params: { uid } }));
  otherSite = createServer((_, reply) => {
    reply.setHeader('content-type', 'text/html');
    reply.end(`<!doctype html><title>Other</title><iframe src="${url}" width="640" height="480"></iframe>`);
  });
  await once(otherSite.listen(0, '127.0.0.1'), 'listening');
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  otherSite?.close();
  await server?.stop();
});

function keyOf(link: string): string {
  return new URL(link).pathname.split('/').at(-1) ?? '';
}

async function visitor(): Promise<{ page: Page; consoleErrors: string[] }> {
  const page = await (await newPerson(browser, desktop)).newPage();
  return { page, consoleErrors: consoleErrorsOf(page) };
}

test('[R7.9, R10.5] the link is created once, unguessable, and valid until it is revoked', async () => {
  assert.match(url, /\/ui\/share\/[\w-]{43}$/);
  assert.deepEqual(await admin.getStreamShare({ params: { uid } }), { url, isEmbeddable: false });
});

test('[R10.5] a visitor without an account watches it live, with little more than a player, and is counted', async () => {
  const { page, consoleErrors } = await visitor();
  let scriptBytes = 0;
  page.on('response', (reply) => {
    if (!reply.url().endsWith('.js')) return;
    scriptBytes += Number(reply.headers()['content-length'] ?? Number.NaN);
  });
  await page.goto(url);
  await assertMoves(page);
  assert.equal(await page.getByRole('heading').textContent(), 'Square & <gate>');
  assert.match(await page.title(), /^Square & <gate> - Vidette$/);
  assert.ok(scriptBytes > 0 && scriptBytes < 30_000, `${scriptBytes} bytes of script`);
  const shared = await until(
    () => admin.getShared({ params: { key: keyOf(url) } }),
    ({ viewers }) => viewers > 0,
  );
  assert.deepEqual(shared, { name: 'Square & <gate>', status: 'running', viewers: 1 });
  await page.getByText('1 viewer').waitFor();
  assert.deepEqual(consoleErrors, []);
  await page.context().close();
  await until(
    () => admin.getShared({ params: { key: keyOf(url) } }),
    ({ viewers }) => viewers === 0,
  );
});

test('a camera without video is said to send nothing, or to be paused, and not to be connecting', async () => {
  const body = { name: 'Dock', streamSource: 'rtsp://127.0.0.1:9/x', archive: { isEnable: false } };
  const { uid: dock } = await admin.addStream({ body });
  const { url: link } = await admin.getStreamShare({ params: { uid: dock } });
  const { page, consoleErrors } = await visitor();
  await page.goto(link);
  const words = page.getByRole('status');
  await words.getByText('The camera sends nothing at the moment.').waitFor();
  await admin.pauseStream({ body: { uid: dock } });
  await words.getByText('This stream is paused.').waitFor();
  assert.equal(await page.getByText('Connecting').count(), 0);
  assert.deepEqual(consoleErrors, []);
  await page.context().close();
});

test('[R10.5] other sites may frame it only if the owner allows it', async () => {
  const framed = `http://127.0.0.1:${(otherSite.address() as AddressInfo).port}/`;
  const { page } = await visitor();
  await page.goto(framed);
  assert.equal(await page.frameLocator('iframe').getByRole('heading').count(), 0);
  const before = await fetch(url);
  assert.match(before.headers.get('content-security-policy') ?? '', /frame-ancestors 'self'/);

  const saved = await admin.saveStreamShare({ params: { uid }, body: { isEmbeddable: true } });
  assert.deepEqual(saved, { url, isEmbeddable: true });
  const allowed = await fetch(url);
  assert.match(allowed.headers.get('content-security-policy') ?? '', /frame-ancestors \*/);
  assert.equal(allowed.headers.get('x-frame-options'), null);
  await page.goto(framed);
  await page.frameLocator('iframe').locator('[data-player-state="playing"]').waitFor();
  const shell = await fetch(`${server.url}/ui/auth`);
  assert.match(shell.headers.get('content-security-policy') ?? '', /frame-ancestors 'self'/);
  await page.context().close();
});

test('[R7.9, R10.5] revoking disconnects its viewers immediately and invalidates the link', async () => {
  const { page } = await visitor();
  await page.goto(url);
  await assertMoves(page, 1);
  const key = keyOf(url);
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/share/${key}/live`);
  await once(socket, 'message');
  const ended = once(socket, 'close');
  await admin.revokeStreamShare({ params: { uid } });
  const [code, reason] = (await ended) as [number, Buffer];
  assert.deepEqual([code, reason.toString()], [1000, 'NotFound']);
  await page.getByText('This link is invalid or no longer works.').waitFor();
  await assert.rejects(
    admin.getShared({ params: { key } }),
    (error: unknown) => error instanceof ApiError && error.code === 'NotFound',
  );
  const refused = new WebSocket(`${server.url.replace('http', 'ws')}/v1/share/${key}/live`);
  const [refusal] = (await once(refused, 'error')) as [Error];
  assert.match(refusal.message, /404/);
  const reply = await fetch(url);
  assert.equal(reply.status, 404);
  const next = await admin.getStreamShare({ params: { uid } });
  assert.notEqual(next.url, url);
  assert.equal(next.isEmbeddable, false);
  const { items } = await admin.listAuditLogs({ query: { action: 'watchShared' } });
  assert.ok(items.some((entry) => entry.target === uid && entry.outcome === 'ok'));
  await page.context().close();
});
