import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as ask, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { administratorOf, until } from './api.ts';
import { desktop, launchBrowser, newPerson, signInByCookie } from './browser.ts';
import { startServer, type TestServer } from './server.ts';

// The installed page [R1.8]: its behaviour when the server is unreachable, and what remains in the browser.

let server: TestServer;
let browser: Browser;
let cookie: string;
let door: Door;

/**
 * The address that browsers use. It can be closed, like a server that is off, while the server behind it keeps
 * running; its changes replace files as another build of the page would.
 */
class Door {
  /** Path -> how a new build changes the file. */
  readonly changes = new Map<string, (text: string) => string>();
  #server: Server | undefined;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async open(): Promise<void> {
    this.#server = createServer((incoming, outgoing) => {
      const change = this.changes.get(incoming.url ?? '');
      const headers = { ...incoming.headers };
      if (change) {
        headers['accept-encoding'] = 'identity';
        delete headers['if-none-match'];
      }
      const { method, url: path } = incoming;
      const passed = ask(server.url + path, { method, headers }, (reply) => {
        if (!change) {
          outgoing.writeHead(reply.statusCode ?? 500, reply.headers);
          reply.pipe(outgoing);
          return;
        }
        reply.setEncoding('utf8');
        void reply.toArray().then((parts) => {
          const { 'content-length': _, etag: __, ...kept } = reply.headers;
          outgoing.writeHead(reply.statusCode ?? 500, kept).end(change(parts.join('')));
        });
      });
      passed.on('error', () => outgoing.destroy());
      outgoing.on('close', () => passed.destroy());
      incoming.pipe(passed);
    });
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async shut(): Promise<void> {
    if (!this.#server) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    this.#server = undefined;
    await closed;
  }
}

before(async () => {
  [server, browser] = await Promise.all([startServer(), launchBrowser()]);
  ({ cookie } = await administratorOf(server));
  door = new Door();
  await door.open();
});

after(async () => {
  await browser?.close();
  await door?.shut();
  await server?.stop();
});

/** A page whose service worker is active. */
async function openInstalled(path: string): Promise<[BrowserContext, Page]> {
  const context = await newPerson(browser, { ...desktop, isInstalled: true });
  context.setDefaultTimeout(60_000);
  await signInByCookie(context, door.url, cookie);
  const page = await context.newPage();
  await page.goto(`${door.url}/ui${path}`);
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated');
  return [context, page];
}

/** Addresses of all files that a service worker has cached. */
const kept = (page: Page) =>
  page.evaluate(async () => {
    const found: string[] = [];
    for (const name of await caches.keys()) {
      for (const { url } of await (await caches.open(name)).keys()) found.push(new URL(url).pathname);
    }
    return found.sort();
  });

test('[R1.8] the page can be installed: name, icons of every kind, and start address', async () => {
  const html = await (await fetch(`${door.url}/ui/`)).text();
  const href = /rel="manifest" href="([^"]+)"/.exec(html)?.[1] ?? '';
  const reply = await fetch(door.url + href);
  assert.match(reply.headers.get('content-type') ?? '', /^application\/manifest\+json/);
  const manifest = (await reply.json()) as Record<string, unknown> & {
    icons: { src: string; sizes: string; type: string; purpose: string }[];
  };
  const { name, start_url: startUrl, scope, display } = manifest;
  assert.deepEqual([name, startUrl, scope, display], ['Vidette', '/ui/', '/ui/', 'standalone']);
  for (const { src, type, sizes } of manifest.icons) {
    const icon = await fetch(door.url + src);
    assert.ok(icon.headers.get('content-type')?.startsWith(type), src);
    if (type !== 'image/png') continue;
    // Width and height are in the first chunk (PNG, 11.2.2).
    const bytes = Buffer.from(await icon.arrayBuffer());
    assert.equal(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes, src);
  }
  const wanted = ['192x192 any', '512x512 any', '512x512 maskable'];
  const had = manifest.icons.map(({ sizes, purpose }) => `${sizes} ${purpose}`);
  assert.ok(
    wanted.every((one) => had.includes(one)),
    had.join(),
  );
});

test('[R1.8] without its server the page opens with a message, and loads the requested screen when the server is back', async () => {
  const [context, page] = await openInstalled('/help');
  await door.shut();
  await page.goto(`${door.url}/ui/profile/me/info`);
  await page.getByRole('heading', { name: 'Server is not responding.' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Server is not responding.' }).waitFor();
  await door.open();
  await page.getByRole('heading', { name: 'admin', exact: true }).waitFor();
  assert.equal(page.url(), `${door.url}/ui/profile/me/info`);
  await context.close();
});

test('[R1.8] no answer of a call, no image and no screen is cached in the browser', async () => {
  const [context, page] = await openInstalled('/streams');
  await page.getByText('No streams yet').waitFor();
  const files = await kept(page);
  assert.ok(files.includes('/ui/offline.html'), files.join());
  assert.ok(
    files.every((file) => /^\/ui\/(offline\.html$|assets\/)/.test(file)),
    files.join(),
  );
  const offline = await page.evaluate(async () => (await caches.match('/ui/offline.html'))?.text());
  assert.doesNotMatch(offline ?? '', /admin/);
  await context.close();
});

test('[R1.8] a new build replaces the old one when the page is next opened, and nothing old remains', async () => {
  const [context, page] = await openInstalled('/help');
  const before = await page.evaluate(() => caches.keys());
  door.changes.set('/ui/service-worker.js', (text) => text.replace(/offline-\$\{"(\w+)"\}/, 'offline-newer'));
  door.changes.set('/ui/offline.html', (text) => text.replace('"root"', '"root" data-build="newer"'));
  // The screen itself comes from the server each time, so its new parts appear immediately.
  door.changes.set('/ui/help', (text) => text.replace('"root"', '"root" data-build="newer"'));
  await page.goto(`${door.url}/ui/help`);
  await page.locator('#root[data-build=newer]').waitFor();
  await until(
    () => page.evaluate(() => caches.keys()),
    (names) => names.join() === 'offline-newer',
    60_000,
  );
  assert.notDeepEqual(before, ['offline-newer']);
  await door.shut();
  await page.goto(`${door.url}/ui/streams`);
  await page.locator('#root[data-build=newer]').waitFor();
  await page.getByText('Server is not responding.').waitFor();
  door.changes.clear();
  await door.open();
  await page.getByText('No streams yet').waitFor();
  await context.close();
});
