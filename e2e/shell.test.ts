import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { administratorOf, until } from './api.ts';
import {
  consoleErrorsOf,
  desktop,
  drawn,
  goWithin,
  launchBrowser,
  newPerson,
  openPage,
  signInByCookie,
  type Look,
} from './browser.ts';
import { signIn, startServer, type TestServer } from './server.ts';

// The frame around the screens: side bar, palette, persistent state, redirects. The rest is in page.test.ts.

const viewer = { name: 'viewer', password: 'seven quiet otters 5' };

let server: TestServer;
let browser: Browser;
let client: Client;
let cookie: string;
let gate: string;

before(async () => {
  [server, browser] = await Promise.all([startServer(), launchBrowser()]);
  ({ client, cookie } = await administratorOf(server));
  ({ uid: gate } = await client.addStream({
    body: { name: 'Gate 2', streamSource: 'demo:', tags: ['yard'], location: { name: 'North' } },
  }));
  await client.addUser({ body: { ...viewer, maxStreamCreation: 0 } });
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Opens a page as a given user; fails the test when the page logged an error. */
async function open(
  path: string,
  body: (page: Page) => Promise<void>,
  { as = cookie, look = desktop }: { as?: string; look?: Look } = {},
): Promise<void> {
  const context = await newPerson(browser, look);
  context.setDefaultTimeout(60_000);
  await signInByCookie(context, server.url, as);
  const page = await context.newPage();
  const consoleErrors = consoleErrorsOf(page);
  await page.goto(`${server.url}/ui${path}`);
  await body(page);
  assert.deepEqual(consoleErrors, []);
  await context.close();
}

const sideBar = (page: Page) => page.getByRole('navigation', { name: 'All pages' });
const sideButton = (page: Page) => page.getByRole('button', { name: 'Side bar' });
const field = (page: Page) => page.getByRole('combobox', { name: 'Search or go to' });
const option = (page: Page, name: RegExp) => page.getByRole('option', { name });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor();

for (const [width, height] of [
  [614, 900],
  [1200, 600],
] as const) {
  test(`[R2.29] at ${width}x${height} the side bar covers the screen and closes on a click outside`, () =>
    open(
      '/help',
      async (page) => {
        assert.equal(await sideBar(page).count(), 0);
        await sideButton(page).click();
        await sideBar(page).waitFor();
        await page.mouse.click(width - 40, height - 40);
        await sideBar(page).waitFor({ state: 'detached' });
        await sideButton(page).click();
        await sideBar(page).getByRole('link', { name: 'All streams' }).waitFor();
        await page.keyboard.press('Escape');
        await sideBar(page).waitFor({ state: 'detached' });
        await page.waitForFunction(
          () => document.activeElement?.getAttribute('aria-controls') === 'side-bar',
        );
        await sideButton(page).click();
        await sideBar(page).getByRole('link', { name: 'Bookmarks' }).click();
        await page.waitForURL('**/ui/bookmarks');
        await sideBar(page).waitFor({ state: 'detached' });
      },
      { look: { ...desktop, width, height } },
    ));
}

test('[R2.29] at 615x601 the side bar is next to the screen and stays open, even after a reload', () =>
  open(
    '/help',
    async (page) => {
      await sideButton(page).click();
      await sideBar(page).waitFor();
      await page.mouse.click(575, 560);
      await sideBar(page).getByRole('link', { name: 'Users' }).click();
      await heading(page, 'Administration');
      await sideBar(page).waitFor();
      await page.reload();
      await sideBar(page).waitFor();
      await sideButton(page).click();
      await sideBar(page).waitFor({ state: 'detached' });
    },
    { look: { ...desktop, width: 615, height: 601 } },
  ));

test('the side bar marks where the screen belongs, also for screens with addresses elsewhere', () =>
  open(
    '/streams',
    async (page) => {
      for (const [path, entry] of [
        ['/streams', 'All streams'],
        [`/stream/${gate}/info`, 'All streams'],
        ['/create-mosaic', 'Mosaics'],
        ['/profile/me/tokens', 'Profile'],
        [`/user/${viewer.name}/permission`, 'Users'],
        ['/administration/users', 'Users'],
      ] as const) {
        await page.goto(`${server.url}/ui${path}`);
        await sideBar(page).waitFor();
        assert.deepEqual(await sideBar(page).locator('a[aria-current]').allInnerTexts(), [entry], path);
      }
    },
    { look: { ...desktop, hasSideBar: true } },
  ));

for (const width of [1199, 1200]) {
  test(`a new user has the side bar ${width < 1200 ? 'closed' : 'open'} at ${width} px, and it stays as they leave it`, () =>
    open(
      '/help',
      async (page) => {
        const isOpen = width >= 1200;
        await heading(page, 'Help');
        const shows = (shown: boolean) => sideBar(page).waitFor({ state: shown ? 'visible' : 'detached' });
        await shows(isOpen);
        await sideButton(page).click();
        await shows(!isOpen);
        await page.reload();
        await heading(page, 'Help');
        await shows(!isOpen);
      },
      { look: { ...desktop, width, hasSideBar: true } },
    ));
}

for (const width of [1440, 390]) {
  test(`all screens with a title above their content have it at the same left edge at ${width} px`, () =>
    open(
      '/streams',
      async (page) => {
        const edges = new Map<string, number | undefined>();
        for (const path of [
          '/streams',
          '/add-stream',
          `/stream/${gate}/info`,
          '/mosaics',
          '/create-mosaic',
          '/events',
          '/notifications',
          '/bookmarks',
          '/exports',
          '/settings',
          '/help',
          '/profile/me/info',
          '/user/add',
          '/swagger',
          '/administration/stats',
          '/administration/audit-logs',
        ]) {
          await page.goto(`${server.url}/ui${path}`);
          const title = page.getByRole('heading', { level: 1 });
          await title.waitFor();
          edges.set(path, (await title.boundingBox())?.x);
        }
        assert.equal(new Set(edges.values()).size, 1, JSON.stringify([...edges]));
      },
      { look: { ...desktop, width } },
    ));
}

test('[R7.31] Ctrl+K finds a stream by words, opens it, and lists it first the next time', () =>
  open('/help', async (page) => {
    await heading(page, 'Help');
    await page.keyboard.press('Control+k');
    await field(page).waitFor();
    await page.keyboard.type('yard gate');
    await option(page, /^Gate 2/).waitFor();
    const chosen = await field(page).getAttribute('aria-activedescendant');
    assert.equal(await option(page, /^Gate 2/).getAttribute('id'), chosen);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/ui/stream/${gate}/view`);
    await heading(page, 'Gate 2');
    await page.keyboard.press('Control+k');
    await page
      .getByRole('group', { name: 'Recent' })
      .getByRole('option', { name: /^Gate 2/ })
      .waitFor();
    await page.keyboard.press('Escape');
    await field(page).waitFor({ state: 'detached' });
  }));

test('[R7.31] Enter right after typing opens what those words find, not the results shown before', () =>
  open('/help', async (page) => {
    let isHeld = true;
    await page.context().route('**/ui/search?*', async (route) => {
      await until(
        () => isHeld,
        (held) => !held,
      );
      await route.continue();
    });
    await page.getByRole('button', { name: 'Search or go to' }).click();
    await field(page).fill('gate');
    await page.keyboard.press('Enter');
    assert.ok(page.url().endsWith('/ui/help'));
    isHeld = false;
    await page.waitForURL(`**/ui/stream/${gate}/view`);
  }));

test('[R1.7] the palette opens screens and runs actions by keyboard alone, and returns the focus', () =>
  open('/help', async (page) => {
    const button = page.getByRole('button', { name: 'Search or go to' });
    await button.focus();
    await page.keyboard.press('Enter');
    await field(page).fill('no such thing anywhere');
    await page.getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.activeElement?.hasAttribute('aria-keyshortcuts'));
    await page.keyboard.press('Enter');
    await field(page).fill('theme light');
    await option(page, /^Light/).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('html[data-mantine-color-scheme=light]').waitFor();
    await client.saveProfile({ body: { preferences: { theme: 'auto' } } });
    await page.keyboard.press('Control+k');
    await field(page).fill('administration');
    await option(page, /^Statistics/).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/ui/administration/config');
  }));

test('[R6.1] [R6.2] side bar and palette offer a read-only user only screens that they may see', async () => {
  const own = await signIn(server, viewer.name, viewer.password);
  await open(
    '/help',
    async (page) => {
      await sideButton(page).click();
      await sideBar(page).getByRole('link', { name: 'Settings' }).waitFor();
      assert.equal(
        await sideBar(page)
          .getByRole('link', { name: /Users|Add stream/ })
          .count(),
        0,
      );
      await page.keyboard.press('Control+k');
      await option(page, /^Settings/).waitFor();
      assert.equal(await option(page, /^(Users|Add stream)/).count(), 0);
      await field(page).fill('gate');
      await page.getByText('Nothing found').waitFor();
    },
    { as: own },
  );
});

test('[R2.15] /license redirects to the license page of the administration', () =>
  open('/license', async (page) => {
    await page.waitForURL('**/ui/administration/license');
    await page.getByLabel('License key').waitFor();
  }));

test('[R2.27] the pages of a stream show its name, and link from the video to its data and back', () =>
  open(`/stream/${gate}/view`, async (page) => {
    await heading(page, 'Gate 2');
    await page.locator(`main a[href$="/stream/${gate}/info"]`).first().click();
    await page.waitForURL(`**/ui/stream/${gate}/info`);
    await heading(page, 'Gate 2');
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.waitForURL(`**/ui/stream/${gate}/setting`);
    await heading(page, 'Gate 2');
    await page.locator(`main a[href$="/stream/${gate}/view"]`).first().click();
    await page.waitForURL(`**/ui/stream/${gate}/view`);
  }));

test('behind a dialog the page keeps its place and its width', async (t) => {
  const desk = await launchBrowser({ hasScrollbars: true });
  t.after(() => desk.close());
  const page = await openPage(t, { browser: desk, url: server.url, cookie }, `/stream/${gate}/setting`);
  const place = () =>
    page.evaluate(() => [
      scrollY,
      document.body.scrollTop,
      document.querySelector('header')?.getBoundingClientRect().width,
    ]);
  const locked = page.locator('body[data-scroll-locked]');
  const remove = page.getByRole('button', { name: 'Delete Gate 2…' });
  await remove.waitFor();
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  const before = await place();
  assert.ok((before[0] ?? 0) > 100 && (before[2] ?? 0) < desktop.width, before.join());
  await remove.click();
  await page.getByRole('dialog').waitFor();
  assert.deepEqual(await place(), before);
  await page.keyboard.press('Home');
  await page.keyboard.press('PageUp');
  await drawn(page);
  assert.deepEqual(await place(), before);
  await page.keyboard.press('Escape');
  await locked.waitFor({ state: 'detached' });
  assert.deepEqual(await place(), before);
  await page.keyboard.press('Control+k');
  await field(page).waitFor();
  await page.mouse.wheel(0, -200);
  await drawn(page);
  assert.deepEqual(await place(), before);
  await page.keyboard.press('Escape');
  await field(page).waitFor({ state: 'detached' });
  await page.keyboard.press('PageUp');
  await page.waitForFunction((y) => scrollY < y, before[0] ?? 0);

  // Shorter than its window, with a list that opens below the end of the page.
  await goWithin(page, '/streams');
  await page.getByRole('button', { name: 'Select streams' }).click();
  await page.getByRole('checkbox', { name: 'Select Gate 2' }).check();
  const short = await place();
  await page.getByRole('button', { name: 'Tags…' }).click();
  await page.getByRole('combobox', { name: 'Remove the tags' }).press('ArrowDown');
  await page.getByRole('option', { name: 'yard' }).waitFor();
  await drawn(page);
  assert.deepEqual(await place(), short);
});

test('[R7.54] polls stop in a hidden tab and continue when it is visible again', async () => {
  const context = await newPerson(browser);
  context.setDefaultTimeout(60_000);
  await signInByCookie(context, server.url, cookie);
  const page = await context.newPage();
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().includes('/v1/streams/statuses')) asked += 1;
  });
  await page.clock.install();
  await page.goto(`${server.url}/ui/streams`);
  await page.getByRole('link', { name: /^Gate 2/ }).waitFor();
  const setHidden = (isHidden: boolean) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, 'visibilityState', {
        configurable: true,
        get: () => (hidden ? 'hidden' : 'visible'),
      });
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    }, isHidden);
  // The clock advances step by step, so that each answer has arrived before the next request is due.
  const pass = async () => {
    await page.clock.runFor(1_000);
    await page.evaluate(() => fetch('/v1/system/health'));
  };
  await until(
    async () => {
      await pass();
      return asked;
    },
    (count) => count >= 3,
    60_000,
  );
  await setHidden(true);
  await pass();
  const hiddenAt = asked;
  for (let step = 0; step < 10; step += 1) await pass();
  assert.equal(asked, hiddenAt);
  await setHidden(false);
  await until(
    async () => {
      await pass();
      return asked;
    },
    (count) => count >= hiddenAt + 3,
    60_000,
  );
  await context.close();
});
