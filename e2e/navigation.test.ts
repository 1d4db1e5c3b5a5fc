import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from './api.ts';
import { desktop, newPerson, signInByCookie } from './browser.ts';
import { administrator, startServer, type TestServer } from './server.ts';
import { TestEnv } from './test-env.ts';

// Navigation: after signing in, by Back and Forward, and when the server was reset under an open page.

let testEnv: TestEnv;
let again: TestServer | undefined;
const waitMs = 60_000;
const count = 24;

before(async () => {
  testEnv = await TestEnv.start();
  for (let at = 1; at <= count; at++) {
    const name = `Camera ${String(at).padStart(2, '0')}`;
    // Not recorded, so that no warning above the list moves it.
    await testEnv.client.addStream({
      body: { name, streamSource: 'rtsp://127.0.0.1:9/unreachable', archive: { isEnable: false } },
    });
  }
});

after(async () => {
  await testEnv?.close();
  await again?.stop();
});

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Login or e-mail').fill(administrator.name);
  await page.getByLabel('Password', { exact: true }).fill(administrator.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('[R2.21] the setup of a server that is set up is not stored as a destination, and invalid session storage does not prevent signing in', async () => {
  const person = await newPerson(testEnv.browser);
  const page = await person.newPage();
  page.setDefaultTimeout(waitMs);
  await page.goto(`${testEnv.server.url}/ui/init`);
  await page.waitForURL('**/ui/auth');
  await page.goto(`${testEnv.server.url}/ui/bookmarks`);
  await page.waitForURL('**/ui/auth');
  await signIn(page);
  await page.waitForURL('**/ui/bookmarks');

  for (const text of ['{', 'null', '{"name":"/nowhere"}', '{"name":"/streams","params":7}']) {
    await person.clearCookies();
    await page.goto(`${testEnv.server.url}/ui/auth`);
    await page.evaluate((kept) => sessionStorage.setItem('vidette.destination', kept), text);
    await signIn(page);
    await page.waitForURL('**/ui/streams');
  }
  await person.close();
});

test('[R2.22] Back and Forward restore the scroll position of the list, links start at the top', () =>
  testEnv.open(
    '/streams',
    async (page) => {
      page.setDefaultTimeout(waitMs);
      const top = () => page.evaluate(() => Math.round(window.scrollY));
      const isAt = (px: number) =>
        until(top, (now) => Math.abs(now - px) <= 2, waitMs).catch(async () =>
          assert.fail(`${await top()} px instead of ${px}`),
        );
      await page
        .getByRole('main')
        .getByRole('link', { name: /^Camera 01/ })
        .waitFor();
      await page.evaluate(() => window.scrollTo(0, 3000));
      await isAt(3000);
      const link = page
        .getByRole('main')
        .getByRole('link', { name: /^Camera (1[4-9]|2)/ })
        .first();
      await link.click();
      await page.waitForURL('**/view');
      await page.getByRole('heading', { name: /^Camera/ }).waitFor();
      // A click scrolls its target into view; that is the position at which the list was left.
      const leftAt = await page.evaluate(() => window.scrollY);
      assert.equal(leftAt, 0);
      await page.goBack();
      const backAt = await until(top, (now) => now > 2000, waitMs);
      await page
        .getByRole('main')
        .getByRole('link', { name: /^Camera (1[4-9]|2)/ })
        .first()
        .waitFor();
      await page.goForward();
      await page.getByRole('heading', { name: /^Camera/ }).waitFor();
      await isAt(0);
      await page.goBack();
      await isAt(backAt);
      // After a reload the list is empty at first.
      await page.reload();
      await isAt(backAt);
    },
    { ...desktop, width: 390, height: 844 },
  ));

test('the focus moves to the heading of a new screen, but not within a screen, nor when a page is loaded', () =>
  testEnv.open('/streams', async (page) => {
    page.setDefaultTimeout(waitMs);
    const focused = () =>
      page.evaluate(() => {
        const { activeElement } = document;
        return activeElement?.matches('h1') ? activeElement.textContent : activeElement?.tagName;
      });
    const isFocused = (name: string) =>
      until(focused, (now) => now === name, waitMs).catch(async () =>
        assert.fail(`${await focused()} instead of ${name}`),
      );
    const camera = page.getByRole('main').getByRole('link', { name: /^Camera 01/ });
    await camera.waitFor();
    assert.equal(await focused(), 'BODY');
    await camera.click();
    await isFocused('Camera 01');
    assert.equal(
      await page.evaluate(() => document.activeElement?.matches(':focus-visible')),
      false,
      'a click draws no ring around the heading',
    );
    await page.goBack();
    await isFocused('Streams');
    await page.goForward();
    await isFocused('Camera 01');
    await page.reload();
    await page.getByRole('heading', { name: 'Camera 01' }).waitFor();
    assert.equal(await focused(), 'BODY');
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog');
    await palette.locator('input').fill('Camera 02');
    await palette.getByText('Camera 02').first().waitFor();
    await page.keyboard.press('Enter');
    await isFocused('Camera 02');
    await page.goto(`${testEnv.server.url}/ui/streams`);
    const search = page
      .getByRole('main')
      .getByRole('searchbox')
      .or(page.getByRole('main').getByRole('textbox'))
      .first();
    await search.fill('nothing is named so');
    await camera.waitFor({ state: 'detached' });
    assert.equal(await focused(), 'INPUT');
  }));

test('[R7.52] a server that was reset sends an open page to the setup, with address and screen in step', async () => {
  const person = await newPerson(testEnv.browser);
  await signInByCookie(person, testEnv.server.url, testEnv.cookie);
  const page = await person.newPage();
  await page.goto(`${testEnv.server.url}/ui/streams`);
  page.setDefaultTimeout(waitMs);
  await page
    .getByRole('main')
    .getByRole('link', { name: /^Camera 01/ })
    .waitFor();
  await page
    .getByRole('main')
    .getByRole('link', { name: /^Camera 01/ })
    .click();
  await page.waitForURL('**/view');
  const port = Number(new URL(testEnv.server.url).port);
  // As soon as the address changes, the old screen is gone.
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    const replace = history.pushState.bind(history);
    history.pushState = (...step) => {
      replace(...step);
      setTimeout(() => {
        if (location.pathname === '/ui/init') seen.push(document.querySelector('video') ? 'old' : 'new');
      });
    };
  });
  await testEnv.server.kill();
  again = await startServer({ port });
  await page.waitForURL('**/ui/init');
  await page.getByLabel('Set-up code').waitFor();
  assert.equal(await page.locator('video').count(), 0);
  assert.deepEqual(await page.evaluate(() => (window as unknown as { seen: string[] }).seen), ['new']);
  await page.getByLabel('Set-up code').fill(again.setupCode);
  await page.getByLabel('Password', { exact: true }).fill(administrator.password);
  await page.getByLabel('E-mail').fill(administrator.email);
  await page.getByRole('button', { name: 'Create the account' }).click();
  await page.waitForURL('**/ui/streams');
  await page.getByText('No streams yet').waitFor();
  await person.close();
});
