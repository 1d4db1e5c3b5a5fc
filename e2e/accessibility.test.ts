import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { administratorOf, until } from './api.ts';
import { seriousFaults } from './axe.ts';
import { desktop, goWithin, launchBrowser, newPerson, signInByCookie } from './browser.ts';
import { routePaths } from './routes.ts';
import { startServer, type TestServer } from './server.ts';

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

let gate: Promise<string> | undefined;

/** The one stream, added when a test first needs it: the uid. */
function gateUid(): Promise<string> {
  gate ??= client
    .addStream({ body: { name: 'Gate 2', streamSource: 'demo:', tags: ['yard'] } })
    .then(({ uid }) => uid);
  return gate;
}

/** Both themes and both languages; the findings in one don't depend on the other. */
const looks = [
  { colorScheme: 'light', language: 'en' },
  { colorScheme: 'dark', language: 'ru' },
] as const;

/** Checks each path with axe, in both themes and languages; `act` runs on each before the check. */
async function look(
  paths: readonly string[],
  as: string | null,
  act: (page: Page) => Promise<unknown> = async () => undefined,
  { url }: TestServer = server,
): Promise<void> {
  const faults: string[] = [];
  for (const { colorScheme, language } of looks) {
    if (as !== null) await client.saveProfile({ body: { language } });
    const context = await newPerson(browser, { ...desktop, colorScheme, language });
    if (as !== null) await signInByCookie(context, url, as);
    const page = await context.newPage();
    for (const [index, path] of paths.entries()) {
      if (index === 0) await page.goto(`${url}/ui${path}`);
      else await goWithin(page, path);
      await page.locator('main :is(h1, h2, video)').first().waitFor();
      await until(
        () => page.locator('[aria-busy=true]').count(),
        (count) => count === 0,
      );
      await act(page);
      for (const fault of await seriousFaults(page))
        faults.push(`${path} ${colorScheme} ${language} ${fault}`);
    }
    await context.close();
  }
  assert.deepEqual(faults, []);
}

test('[R1.7] axe finds nothing serious on the setup screen', async (t) => {
  const empty = await startServer();
  t.after(() => empty.stop());
  await look(['/init'], null, undefined, empty);
});

test('[R1.7] axe finds nothing serious on the screens of a signed-in user', async () => {
  await look(['/streams'], cookie);
  const uid = await gateUid();
  await client.addUser({ body: { name: 'guard', password: 'seven quiet otters 5' } });
  await client.saveUserPermissions({
    params: { login: 'guard' },
    body: { items: [{ stream: uid, archive: true }] },
  });
  await client.addBookmark({ body: { stream: uid, startTime: Date.now(), note: 'red car' } });
  const { id } = await client.addMosaic({
    body: {
      name: 'All gates',
      layout: { columns: 1, rows: 1, cells: [{ x: 0, y: 0, width: 1, height: 1, stream: uid }] },
    },
  });
  await look(
    [...routePaths({ uid, login: 'guard', id: String(id) }), '/swagger#addUser', '/nowhere'],
    cookie,
  );
});

test('[R1.7] axe finds nothing serious on sign-in and recovery', () =>
  look(['/auth', '/auth?expired=true', '/recover-password'], null));

test('[R1.7] sign-in, the menu and the list work by keyboard alone', async () => {
  await gateUid();
  const context = await newPerson(browser, desktop);
  await signInByCookie(context, server.url, cookie);
  const page = await context.newPage();
  await client.saveProfile({ body: { language: 'en' } });
  await page.goto(`${server.url}/ui/streams`);
  await page.getByRole('link', { name: /^Gate 2/ }).waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Skip to content');
  await page.getByRole('button', { name: 'Menu of admin' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Profile' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/ui/profile/me/info');
  await context.close();
});

test('[R1.7] [R2.29] axe finds nothing serious in the side bar, nor in the palette with results', async () => {
  await gateUid();
  await look(['/help'], cookie, async (page) => {
    await page.locator('[aria-controls=side-bar]').click();
    await page.locator('#side-bar').waitFor();
  });
  await look(['/help'], cookie, async (page) => {
    await page.locator('[aria-keyshortcuts]').click();
    await page.getByRole('combobox').fill('gate');
    await page.locator('dialog [role=option]').first().waitFor();
  });
  await client.saveProfile({ body: { language: 'en' } });
});
