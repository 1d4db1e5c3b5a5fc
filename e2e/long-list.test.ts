import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { administratorOf, until } from './api.ts';
import { desktop } from './browser.ts';
import { startServer } from './server.ts';
import { inStore } from './stored.ts';
import { button, TestEnv } from './test-env.ts';

// A list of thousands of streams, of which the page only has the rows near the viewport: its scroll position is
// restored.

let dataDir: string;
let testEnv: TestEnv;
const waitMs = 60_000;
const count = 5_000;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'vidette-long-list-'));
  const first = await startServer({ dataDir });
  const { client, cookie } = await administratorOf(first);
  // Not recorded, so that no warning above the list moves it.
  const { uid } = await client.addStream({
    body: { name: 'Camera 10000', streamSource: 'rtsp://127.0.0.1:9/none', archive: { isEnable: false } },
  });
  await client.pauseStream({ body: { uid } });
  await first.stop();
  await multiply(first);
  testEnv = await TestEnv.over(await startServer({ dataDir }), cookie);
});

after(async () => {
  await testEnv?.close();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

/** Copies the only stream of a stopped server: `Camera 10001` and so on. */
async function multiply(server: { readonly dataDir: string }): Promise<void> {
  const [row = {}] = await inStore(server, 'SELECT * FROM streams');
  const own: Record<string, string> = {
    id: 'id + n',
    uid: `'copy' || (10000 + n)`,
    name: `'Camera ' || (10000 + n)`,
    name_key: `'camera ' || (10000 + n)`,
  };
  const columns = Object.keys(row);
  await inStore(
    server,
    `INSERT INTO streams (${columns.join()})
     WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count - 1})
     SELECT ${columns.map((column) => own[column] ?? column).join()} FROM streams, numbers`,
  );
}

/** The visible part of the list: the scroll position, and the stream in the middle of the window. */
interface Sight {
  readonly scrollPx: number;
  readonly name: string;
  readonly topPx: number;
}

/** Undefined while the streams in the middle of the window are still loading. */
const sightOf = (page: Page): Promise<Sight | undefined> =>
  page.evaluate(() => {
    const links = [...document.querySelectorAll('main a')].filter(({ textContent }) =>
      textContent.includes('Camera 1'),
    );
    const inMiddle = links.find((link) => link.getBoundingClientRect().top >= window.innerHeight / 2);
    const name = /Camera \d+/.exec(inMiddle?.textContent ?? '')?.[0];
    if (!inMiddle || !name) return undefined;
    return { scrollPx: window.scrollY, name, topPx: inMiddle.getBoundingClientRect().top };
  });

async function isSeen(page: Page, wanted: Sight): Promise<void> {
  await until(
    () => sightOf(page),
    (now) =>
      now?.name === wanted.name &&
      Math.abs(now.scrollPx - wanted.scrollPx) <= 2 &&
      Math.abs(now.topPx - wanted.topPx) <= 2,
    waitMs,
  ).catch(async () =>
    assert.fail(`${JSON.stringify(await sightOf(page))} in place of ${JSON.stringify(wanted)}`),
  );
}

/** Scrolls there as soon as the list is long enough, and waits until its rows are loaded and stable. */
async function scrolledTo(page: Page, px: number): Promise<Sight> {
  let last: Sight | undefined;
  const seen = await until(
    async () => {
      await page.evaluate((top) => window.scrollTo(0, top), px);
      const before = last;
      last = await sightOf(page);
      return last && last.topPx === before?.topPx && last.name === before.name ? last : undefined;
    },
    (now) => now !== undefined && Math.abs(now.scrollPx - px) <= 2,
    waitMs,
  );
  assert.ok(seen);
  return seen;
}

/** Follows the link in place, without scrolling to it. */
async function open(page: Page, sight: Sight): Promise<void> {
  await page
    .locator(`main a[href="/ui/stream/${uidOf(sight)}/view"]`)
    .first()
    .evaluate((link: HTMLElement) => link.click());
  await isOpen(page, sight.name);
}

async function isOpen(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { name }).waitFor();
  await until(
    () => page.evaluate(() => window.scrollY),
    (px) => px === 0,
    waitMs,
  );
}

for (const [view, width, height] of [
  ['grid', 390, 844],
  ['grid', 1440, 900],
  ['table', 390, 844],
  ['table', 1440, 900],
] as const)
  test(`[R2.22] Back, Forward and reloads return to the same streams of ${count}, in a ${view} ${width} px wide`, () =>
    testEnv.open(
      '/streams',
      async (page) => {
        page.setDefaultTimeout(waitMs);
        if (view === 'table') await button(page, 'Table').click();
        for (const px of [60_000, 3_000]) {
          const left = await scrolledTo(page, px);
          await open(page, left);
          await page.goBack();
          await isSeen(page, left);
          // It is also left by Forward, from another position.
          const further = await scrolledTo(page, px + 1_500);
          await page.goForward();
          await isOpen(page, left.name);
          if (px === 3_000) await reloadAndReturn(page, left, further);
          else await page.goBack();
          await isSeen(page, further);
          if (px === 3_000 && width === desktop.width) await leaveWhileLoading(page, left, further);
        }
      },
      { ...desktop, width, height },
    ));

test('[R2.29] the strip beside the player has the cameras around the one on screen, wherever it is in the list', () =>
  testEnv.open('/stream/copy13059/view', async (page) => {
    page.setDefaultTimeout(waitMs);
    const strip = page.locator('[data-camera-strip]');
    await strip.getByText('Camera 13059', { exact: true }).waitFor();
    // Keys count from the camera that the strip marks.
    const isMarked = async (name: string) => {
      await isOpen(page, name);
      await strip.locator('[aria-current=page]').getByText(name, { exact: true }).waitFor();
    };
    // The strip has one page of the list, and Down goes on to the next one.
    await page.keyboard.press('ArrowDown');
    await isMarked('Camera 13060');
    await strip.getByText('Camera 13069', { exact: true }).waitFor({ state: 'attached' });
    await page.keyboard.press('0');
    await isMarked('Camera 13069');
    await page.keyboard.press('ArrowUp');
    await isMarked('Camera 13068');
  }));

test('[R2.29] the strip shows no other cameras until those around the one on screen are known', () =>
  testEnv.open('/stream/copy13059/view', async (page) => {
    page.setDefaultTimeout(waitMs);
    await page.addInitScript(() => {
      const shown = new Set<string>();
      new MutationObserver(() => {
        for (const item of document.querySelectorAll('[data-camera-strip] [title]'))
          shown.add(item.textContent);
      }).observe(document, { childList: true, subtree: true });
      Object.assign(window, { shownInStrip: shown });
    });
    await page.reload();
    await page
      .locator('[data-camera-strip] [aria-current=page]')
      .getByText('Camera 13059', { exact: true })
      .waitFor();
    const names = await page.evaluate(() => [...(Reflect.get(window, 'shownInStrip') as Set<string>)]);
    const others = names.filter((name) => Math.abs(Number(name.slice('Camera '.length)) - 13_059) > 500);
    assert.equal(names.length > 1, true);
    assert.deepEqual(others, []);
  }));

/** From the screen of a stream, back to the list through pages that are loaded again. */
async function reloadAndReturn(page: Page, left: Sight, further: Sight): Promise<void> {
  await page.reload();
  await isOpen(page, left.name);
  await page.goBack();
  await isSeen(page, further);
  // A new document, as from an external link.
  await page.goto(`${testEnv.server.url}/ui/stream/${uidOf(left)}/view`);
  await isOpen(page, left.name);
  await page.goBack();
}

/** A slow server: the list is loaded again, and left before it has loaded. */
async function leaveWhileLoading(page: Page, left: Sight, further: Sight): Promise<void> {
  const slow = Promise.withResolvers<void>();
  const streams = '**/streams?**';
  await page.route(streams, async (route) => {
    await slow.promise;
    await route.fallback();
  });
  await page.reload();
  await page.getByRole('heading', { name: 'Streams' }).waitFor();
  await page.goForward();
  await isOpen(page, left.name);
  await page.goBack();
  await page.getByRole('heading', { name: 'Streams' }).waitFor();
  slow.resolve();
  await isSeen(page, further);
  await page.unroute(streams);
}

function uidOf({ name }: Sight): string {
  return name.replace('Camera ', 'copy');
}

test('[R2.7] all of thousands of streams are ticked with one click for a user, and the last one can be reached', async () => {
  const { client } = testEnv;
  await client.addUser({ body: { name: 'ticks', password: 'a long enough one' } });
  await testEnv.open('/user/ticks/permission', async (page) => {
    await page.getByRole('checkbox', { name: 'Select all' }).check({ timeout: waitMs });
    const box = page.getByRole('group', { name: 'Streams that the user may watch' });
    const last = box.getByRole('checkbox', { name: `Camera ${10_000 + count - 1}` });
    await until(
      async () => {
        await box.getByRole('checkbox').last().scrollIntoViewIfNeeded();
        return last.count();
      },
      (found) => found === 1,
      waitMs,
    );
    await last.uncheck();
    await button(page, 'Save').click();
    await page.getByText('Permissions have been saved').waitFor({ timeout: waitMs });
  });
  const { items } = await client.getUserPermissions({ params: { login: 'ticks' } });
  assert.equal(items.length, count - 1);
  await client.deleteUser({ params: { login: 'ticks' } });
});
