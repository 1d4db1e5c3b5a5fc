import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { administratorOf } from './api.ts';
import { launchBrowser, newPerson, signInByCookie } from './browser.ts';
import { startServer, type TestServer } from './server.ts';

// How much script a browser fetches before the first screens are shown, and whether their layout is then
// stable.

let server: TestServer;
let browser: Browser;
let cookie: string;
let uid: string;

before(async () => {
  [server, browser] = await Promise.all([startServer(), launchBrowser()]);
  const { client, cookie: own } = await administratorOf(server);
  cookie = own;
  ({ uid } = await client.addStream({ body: { name: 'Gate 2', streamSource: 'demo:' } }));
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/**
 * The scripts that a screen has fetched by the time `selector` appears: name and gzip size in bytes. What follows changes is loaded
 * once the screen is drawn, and may arrive before the test sees it.
 */
async function scriptsOf(path: string, selector: string, as: string | null): Promise<[string, number][]> {
  const context = await newPerson(browser);
  if (as !== null) await signInByCookie(context, server.url, as);
  const page = await context.newPage();
  const scripts: Promise<[string, number]>[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'script') return;
    const name = response.url().split('/').at(-1) ?? '';
    if (name.startsWith('follow-')) return;
    scripts.push(response.body().then((body) => [name, gzipSync(body, { level: 9 }).length]));
  });
  await page.goto(`${server.url}/ui${path}`);
  await page.locator(selector).first().waitFor();
  const weights = await Promise.all(scripts);
  await context.close();
  return weights.sort(([, a], [, b]) => b - a);
}

for (const [name, path, selector, isSignedIn, most] of [
  ['sign-in', '/auth', 'input[type=password]', false, 136_250],
  ['the list of streams', '/streams', 'main a[href*="/stream/"]', true, 153_250],
] as const) {
  // `most` is the gzip size in bytes; the limits keep what has been saved.
  test(`${name} is shown after at most ${most / 1000} kB of script`, async () => {
    const scripts = await scriptsOf(path, selector, isSignedIn ? cookie : null);
    const total = scripts.reduce((sum, [, bytes]) => sum + bytes, 0);
    assert.ok(total > most / 10, 'no script was counted');
    assert.ok(total <= most, `${total} bytes: ${scripts.map((one) => one.join(' ')).join(', ')}`);
  });
}

/** How far the layout moved without user input: the sum that browsers call cumulative layout shift; 0 is none. */
const shiftOf = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as PerformanceEntry & { value: number }).value;
        }).observe({ type: 'layout-shift', buffered: true });
        // Buffered entries are delivered before the next frame but one.
        requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
      }),
  );

for (const [name, path, selector, isSignedIn] of [
  ['sign-in', () => '/auth', 'input[type=password]', false],
  ['the list of streams', () => '/streams', 'img[data-picture=fresh]', true],
  ['the view', () => `/stream/${uid}/view`, 'canvas[data-timeline]', true],
] as const) {
  test(`nothing moves by itself while ${name} arrives`, async () => {
    const context = await newPerson(browser);
    context.setDefaultTimeout(60_000);
    if (isSignedIn) await signInByCookie(context, server.url, cookie);
    const page = await context.newPage();
    await page.goto(`${server.url}/ui${path()}`);
    await page.locator(selector).first().waitFor();
    const shift = await shiftOf(page);
    assert.ok(shift < 0.001, `moved by ${shift}`);
    await context.close();
  });
}
