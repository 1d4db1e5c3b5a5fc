import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { administratorOf, until } from './api.ts';
import { desktop } from './browser.ts';
import { recordPast } from './past-footage.ts';
import { startServer } from './server.ts';
import { button, TestEnv } from './test-env.ts';

// How many clicks the most common tasks take, starting with the list of streams. Typing is not counted, and only fields that
// have the focus are typed into.

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Yesterday, 14:00 in UTC, which is the time of the browser's clock. */
const eventMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS + 14 * 60 * MINUTE_MS;
const names = Array.from({ length: 9 }, (_, at) => `Camera ${at + 1}`);

let testEnv: TestEnv;
let dataDir: string;
const uids: string[] = [];

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'vidette-clicks-'));
  const server = await startServer({ dataDir });
  const { client, cookie } = await administratorOf(server);
  for (const name of names) {
    // They have no viewer, so none of them ever connects.
    const body = { name, streamSource: 'demo:', live: { onDemand: true }, archive: { isEnable: false } };
    uids.push((await client.addStream({ body })).uid);
  }
  await server.stop();
  const span = { startMs: eventMs - 2 * MINUTE_MS, endMs: eventMs + 2 * MINUTE_MS };
  await recordPast(dataDir, uids[0] ?? '', [span]);
  testEnv = await TestEnv.over(await startServer({ dataDir }), cookie);
});

after(async () => {
  await testEnv?.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** Counts the clicks of one task. */
class Mouse {
  clicks = 0;

  async click(what: Locator, options: Parameters<Locator['click']>[0] = {}): Promise<void> {
    this.clicks++;
    await what.click(options);
  }
}

/** The list of streams, with the side bar that is open where there is room. */
function openList(body: (page: Page) => Promise<void>): Promise<void> {
  return testEnv.open('/streams', body, { ...desktop, hasSideBar: true });
}

/** Types into the field that has the focus, in place of what is in it. */
async function typeInto(page: Page, label: string, text: string): Promise<void> {
  const field = page.getByLabel(label, { exact: true });
  await until(
    () => field.evaluate((one) => one === document.activeElement),
    (hasFocus) => hasFocus,
  );
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

/** Types a moment into the field that has just opened. */
async function goTo(page: Page, text: string): Promise<void> {
  await typeInto(page, 'Date and time', text);
  await page.keyboard.press('Enter');
}

test('[R2.6] a guard with three cameras takes at most seven clicks', () =>
  openList(async (page) => {
    const mouse = new Mouse();
    await mouse.click(page.getByRole('link', { name: 'Users', exact: true }));
    await mouse.click(page.getByRole('link', { name: 'Add a user', exact: true }));
    // The list of users has a field of that name, too.
    await page.getByRole('heading', { name: 'Add a user' }).waitFor();
    await typeInto(page, 'Login', 'guard');
    await mouse.click(page.getByLabel('Password', { exact: true }));
    await typeInto(page, 'Password', 'seven quiet otters 5');
    await page.keyboard.press('Enter');
    for (const name of names.slice(0, 3)) await mouse.click(page.getByRole('checkbox', { name }));
    await mouse.click(button(page, 'Save'));
    await page.getByText('Permissions have been saved').waitFor();
    const { items } = await testEnv.client.getUserPermissions({ params: { login: 'guard' } });
    assert.deepEqual(items.map(({ streamName }) => streamName).sort(), names.slice(0, 3));
    assert.ok(mouse.clicks <= 7, `${mouse.clicks} clicks`);
    // All streams with one more click, and none of them with another.
    const all = page.getByRole('checkbox', { name: 'Select all' });
    await all.check();
    assert.equal(await page.getByRole('group', { name: 'Camera 9', exact: true }).count(), 1);
    await all.uncheck();
    assert.equal(await page.getByRole('group', { name: 'Camera 1', exact: true }).count(), 0);
    await all.check();
    await button(page, 'Save').click();
    await until(
      () => testEnv.client.getUserPermissions({ params: { login: 'guard' } }),
      (saved) => saved.items.length === names.length,
    );
  }));

test('[R2.12] a wall of nine cameras, and its archive at 14:00, takes at most five clicks', () =>
  openList(async (page) => {
    const mouse = new Mouse();
    await page.getByRole('link', { name: /^Camera 1/ }).hover();
    await mouse.click(page.getByRole('checkbox', { name: 'Select Camera 1' }));
    await mouse.click(page.getByRole('link', { name: /^Camera 9/ }), { modifiers: ['Shift'] });
    await mouse.click(button(page, 'Watch together'));
    await page.getByRole('heading', { name: '9 streams' }).waitFor();
    await until(
      () => page.locator('article[data-uid]').count(),
      (count) => count === names.length,
    );
    await mouse.click(button(page, 'Watch the archive of all streams'));
    await mouse.click(button(page, 'Go to a date and time'));
    await goTo(page, 'yesterday 14:00');
    const shared = page.locator('[data-shared-ms]');
    await until(
      async () => Number(await shared.getAttribute('data-shared-ms')),
      (ms) => ms >= eventMs && ms < eventMs + MINUTE_MS,
    );
    assert.ok(mouse.clicks <= 5, `${mouse.clicks} clicks`);
    // The moment is in the address, and so are the cameras.
    await until(
      () => new URL(page.url()).searchParams,
      (search) => search.has('t') && search.get('streams') === uids.join('-'),
    );
  }));

test('[R9.3] two minutes of an event of yesterday are saved with at most four clicks, in a file with the given name', () =>
  openList(async (page) => {
    const mouse = new Mouse();
    await mouse.click(page.getByRole('link', { name: /^Camera 1/ }));
    await mouse.click(button(page, 'Go to a date and time'));
    await goTo(page, 'yesterday 14:00');
    const mark = page.locator('[data-utc-ms]');
    await until(
      async () => Number(await mark.getAttribute('data-utc-ms')),
      (ms) => ms >= eventMs && ms < eventMs + MINUTE_MS / 2,
    );
    await mouse.click(button(page, 'Save footage'));
    const side = page.getByRole('region', { name: 'Save footage' });
    await side.getByText(/^Recorded: 2\smin of 2\smin/).waitFor();
    assert.equal(await side.getByRole('button', { name: '2 min' }).getAttribute('aria-pressed'), 'true');
    // A busy server sends the frames later; their times are known without them.
    for (const label of ['First frame', 'Last frame'])
      await side.locator('figcaption', { hasText: label }).locator('time').waitFor();
    await side.getByLabel('File name').fill('Broken window: 14/00');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      mouse.click(button(page, 'Download MP4')),
    ]);
    assert.equal(file.suggestedFilename(), 'Broken window 14 00.mp4');
    await side
      .getByRole('status')
      .getByText(/^Saved: /)
      .waitFor();
    assert.ok(mouse.clicks <= 4, `${mouse.clicks} clicks`);
    await side.getByRole('button', { name: '30 s' }).click();
    await side.getByText(/^Recorded: 30\ss of 30\ss/).waitFor();
  }));
