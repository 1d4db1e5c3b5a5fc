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
  ['sign-in', '/auth', 'input[type=password]', false, 134_000],
  ['the list of streams', '/streams', 'main a[href*="/stream/"]', true, 149_250],
] as const) {
  // `most` is the gzip size in bytes; the limits keep what has been saved.
  test(`${name} is shown after at most ${most / 1000} kB of script`, async () => {
    const scripts = await scriptsOf(path, selector, isSignedIn ? cookie : null);
    const total = scripts.reduce((sum, [, bytes]) => sum + bytes, 0);
    assert.ok(total > most / 10, 'no script was counted');
    assert.ok(total <= most, `${total} bytes: ${scripts.map((one) => one.join(' ')).join(', ')}`);
  });
}

for (const [name, path, selector, isSignedIn, most] of [
  ['sign-in', () => '/auth', 'input[type=password]', false, 12],
  ['the list of streams', () => '/streams', 'main a[href*="/stream/"]', true, 16],
  ['the view', () => `/stream/${uid}/view`, 'canvas[data-timeline]', true, 18],
] as const) {
  test(`${name} is made of few files, which the page names`, async () => {
    const context = await newPerson(browser);
    if (isSignedIn) await signInByCookie(context, server.url, cookie);
    const page = await context.newPage();
    const files = new Set<string>();
    page.on('request', (request) => {
      const file = /^\/ui\/(assets\/.*\.(?:js|css))$/.exec(new URL(request.url()).pathname)?.[1];
      // Loaded once the screen is drawn.
      if (file !== undefined && !/\/(?:follow|failed-strip)-/.test(file)) files.add(file);
    });
    const html = (await (await page.goto(`${server.url}/ui${path()}`))?.text()) ?? '';
    await page.locator(selector).first().waitFor();
    const all = [...files];
    assert.ok(all.length > 5 && all.length <= most, all.join(' '));
    assert.deepEqual(
      all.filter((file) => !html.includes(`href="/ui/${file}"`) && !html.includes(`src="/ui/${file}"`)),
      [],
    );
    await context.close();
  });
}

test('the view’s still is requested together with its script, once, and not for a moment of the archive', async () => {
  const context = await newPerson(browser);
  await signInByCookie(context, server.url, cookie);
  const page = await context.newPage();
  const stills: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/picture?width=1280')) stills.push(request.url());
  });
  const link = `<link rel="preload" as="image" href="/v1/stream/${uid}/picture?width=1280">`;
  const live = await page.goto(`${server.url}/ui/stream/${uid}/view`);
  assert.ok((await live?.text())?.includes(link));
  await page.locator('video[poster]').waitFor();
  await page.locator('canvas[data-timeline]').first().waitFor();
  assert.equal(stills.length, 1);
  const past = await page.goto(`${server.url}/ui/stream/${uid}/view?t=${Date.now() - 60_000}`);
  assert.ok(!(await past?.text())?.includes('as="image"'));
  await page.locator('canvas[data-timeline]').first().waitFor();
  assert.equal(stills.length, 1);
  await context.close();
});

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
