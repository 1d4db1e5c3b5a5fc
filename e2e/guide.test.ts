import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { administratorOf, until } from './api.ts';
import { seriousFaults } from './axe.ts';
import { consoleErrorsOf, desktop, launchBrowser, newPerson, overflowOf, signInByCookie } from './browser.ts';
import type { Look } from './browser.ts';
import { startServer, type TestServer } from './server.ts';

// The guide that every server serves.

let server: TestServer;
let browser: Browser;
let client: Client;
let cookie: string;

before(async () => {
  [server, browser] = await Promise.all([startServer(), launchBrowser()]);
  ({ client, cookie } = await administratorOf(server));
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Opens a page; fails if it logs an error or loads anything from another server. */
async function open(
  path: string,
  body: (page: Page) => Promise<void>,
  { look = desktop, as }: { look?: Look; as?: string } = {},
): Promise<void> {
  const context = await newPerson(browser, look);
  if (as !== undefined) await signInByCookie(context, server.url, as);
  const page = await context.newPage();
  const consoleErrors = consoleErrorsOf(page);
  const elsewhere: string[] = [];
  context.on('request', (request) => {
    if (!request.url().startsWith(server.url)) elsewhere.push(request.url());
  });
  await page.goto(`${server.url}/ui${path}`);
  await body(page);
  assert.deepEqual([consoleErrors, elsewhere], [[], []]);
  await context.close();
}

const theme = (page: Page) => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);

test('everybody can read the guide, under the headers of every page, and all of it comes from the server', async () => {
  const [guide, shell] = await Promise.all(
    ['/ui/help/', '/ui/'].map((path) => fetch(`${server.url}${path}`)),
  );
  assert.equal(guide?.status, 200);
  for (const name of ['content-security-policy', 'x-frame-options', 'referrer-policy'])
    assert.equal(guide?.headers.get(name), shell?.headers.get(name), name);
  const [, style = ''] = /href="(\/ui\/assets\/[^"]+\.css)"/.exec((await guide?.text()) ?? '') ?? [];
  const files = [
    style,
    '/ui/help/vidette.sample.yaml',
    '/ui/help/third-party-licenses.txt',
    '/ui/help/search.json',
  ];
  for (const file of files) assert.equal((await fetch(`${server.url}${file}`)).status, 200, file);
  const again = { headers: { 'if-none-match': guide?.headers.get('etag') ?? '' } };
  assert.equal((await fetch(`${server.url}/ui/help/`, again)).status, 304);
  await open('/help/', async (page) => {
    await page.getByRole('link', { name: 'Install', exact: true }).first().click();
    await page.waitForURL('**/ui/help/install.html');
    assert.equal(await page.title(), 'Install – Vidette');
    await page.getByRole('link', { name: 'HTTPS', exact: true }).click();
    await page.waitForURL('**/install.html#https');
    await page.getByRole('heading', { name: 'HTTPS' }).waitFor();
  });
});

test('the guide is searched with the keyboard', () =>
  open('/help/backup.html', async (page) => {
    await page.keyboard.press('/');
    await page.keyboard.type('overl');
    const results = page.locator('#results a');
    await until(
      () => results.count(),
      (count) => count > 0,
    );
    assert.equal(await results.first().textContent(), 'Monitor: Overload');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/monitoring.html#overload');
    await page.locator('#search').fill('no such words');
    await page.getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    await until(
      () => page.getByText('Nothing found').count(),
      (count) => count === 0,
    );
  }));

test('[R1.7] axe finds nothing serious in the guide, which fits a phone and follows the theme of its reader', async () => {
  const phone = { ...desktop, width: 390, height: 740 };
  for (const look of [desktop, { ...phone, colorScheme: 'light' as const }]) {
    await open(
      '/help/',
      async (page) => {
        assert.equal(await theme(page), look.colorScheme);
        const addresses = await page
          .locator('main li > a')
          .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
        assert.ok(addresses.length >= 15);
        // The themes differ in colours only: a page with a table, code and a list has all of them.
        const isChecked = (address: string) => look === desktop || address.endsWith('/monitoring.html');
        for (const address of addresses) {
          await page.goto(address);
          assert.equal(await overflowOf(page), 0, address);
          if (isChecked(address)) assert.deepEqual(await seriousFaults(page), [], address);
        }
        if (look.width > 800) return;
        await page.getByRole('button', { name: 'Contents' }).click();
        await page.locator('#contents').getByRole('link', { name: 'Nodes' }).click();
        await page.waitForURL('**/cluster.html');
      },
      { look },
    );
  }
  await client.saveProfile({ body: { preferences: { theme: 'light' } } });
  await open('/help/', async (page) => assert.equal(await theme(page), 'light'), { as: cookie });
});

test('[R2.16] [R2.24] the menu and the help screen lead to the guide', () =>
  open(
    '/help',
    async (page) => {
      await page.getByRole('link', { name: 'Open the guide' }).waitFor();
      await page.getByRole('button', { name: /^Menu of/ }).click();
      const opened = page.context().waitForEvent('page');
      await page.getByRole('menuitem', { name: 'Guide' }).click();
      await (await opened).getByRole('heading', { name: 'Guide', level: 1 }).waitFor();
    },
    { as: cookie },
  ));
