import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { administratorOf, clientOf, until } from './api.ts';
import { consoleErrorsOf, desktop, launchBrowser, newPerson, signInByCookie } from './browser.ts';
import { administrator, signIn, startServer, type TestServer } from './server.ts';
import { button } from './test-env.ts';

// The page's shell and its first screens against the real server. Watching is tested in main-path and
// stream-view.

const viewer = { name: 'viewer', password: 'seven quiet otters 5' };

let server: TestServer;
let browser: Browser;
let client: Client;
let cookie: string;
let gate: string;

before(async () => {
  [server, browser] = await Promise.all([startServer(), launchBrowser()]);
  ({ client, cookie } = await administratorOf(server));
  const add = async (name: string, tags: string[], place: string) =>
    (await client.addStream({ body: { name, streamSource: 'demo:', tags, location: { name: place } } })).uid;
  gate = await add('Gate 2', ['yard'], 'North');
  const dock = await add('Loading dock', ['inside'], 'North');
  await client.pauseStream({ body: { uid: dock } });
  await client.addUser({ body: { ...viewer, maxStreamCreation: 0 } });
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Opens a page as a given user; fails the test when the page logged an error. */
async function open(path: string, as: string | null, body: (page: Page) => Promise<void>): Promise<void> {
  const context: BrowserContext = await newPerson(browser, desktop);
  if (as !== null) await signInByCookie(context, server.url, as);
  const page = await context.newPage();
  const consoleErrors = consoleErrorsOf(page);
  await page.goto(server.url + path);
  await body(page);
  assert.deepEqual(consoleErrors, []);
  await context.close();
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor();

test('[R1.1] [R2.1] / redirects to /ui/streams, and every screen opens by deep link on a hard reload', () =>
  open('/', cookie, async (page) => {
    await page.waitForURL(`${server.url}/ui/streams`);
    for (const [path, name] of [
      [`/stream/${gate}`, 'Gate 2'],
      ['/add-stream', 'Add stream'],
      ['/profile/me', administrator.name],
      ['/settings', 'Settings'],
      ['/help', 'Help'],
      ['/administration', 'Administration'],
    ] as const) {
      await page.goto(`${server.url}/ui${path}`);
      await heading(page, name);
      await page.reload();
      await heading(page, name);
    }
  }));

test('[R1.2] the first screen waits for neither the settings nor the profile call', async () => {
  const context = await newPerson(browser, desktop);
  await signInByCookie(context, server.url, cookie);
  await context.route(/\/v1\/(profile|system\/internal\/ui\/settings)$/, () => new Promise(() => undefined));
  const page = await context.newPage();
  await page.goto(`${server.url}/ui/streams`);
  await page.getByRole('link', { name: /^Gate 2/ }).waitFor();
  await context.close();
});

test('[R1.5] the title contains the names of the page and the application, or the name of a stream', () =>
  open('/ui/streams', cookie, async (page) => {
    await until(
      () => page.title(),
      (title) => title === 'Streams – Vidette',
    );
    await page.goto(`${server.url}/ui/stream/${gate}/info`);
    await heading(page, 'Gate 2');
    await until(
      () => page.title(),
      (title) => title === 'Gate 2 – Vidette',
    );
  }));

test('[R2.2] [R2.21] [R2.24] signing in leads to the requested screen; the header appears only then', () =>
  open(`/ui/stream/${gate}/info`, null, async (page) => {
    await page.waitForURL('**/ui/auth');
    assert.equal(await page.getByRole('banner').count(), 0);
    await page.getByLabel('Login or e-mail').fill(administrator.name);
    await page.getByLabel('Password', { exact: true }).fill('not this one');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Incorrect login or password.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(administrator.password);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/ui/stream/${gate}/info`);
    await page.getByRole('banner').waitFor();
  }));

test('[R2.23] [R2.24] the menu contains the administrator’s entries, and Log out leads to sign-in', async () => {
  const own = await signIn(server);
  await open('/ui/streams', own, async (page) => {
    await page.getByRole('button', { name: 'Menu of admin' }).click();
    await page.getByRole('menuitem', { name: 'Profile' }).waitFor();
    const items = await page.getByRole('menuitem').allTextContents();
    assert.ok(items.includes('Profile') && items.includes('Administration'), items.join());
    assert.ok(items.includes('API documentation') && !items.includes('Switch server'), items.join());
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.waitForURL('**/ui/auth');
    await page.goto(`${server.url}/ui/streams`);
    await page.waitForURL('**/ui/auth');
  });
});

test('[R1.3] [R2.25] [R2.31] [R6.1] [R6.2] a read-only user can add nothing, and is notified when access ends', async () => {
  const own = await signIn(server, viewer.name, viewer.password);
  await open('/ui/streams', own, async (page) => {
    await page.getByText('No streams yet').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Add stream' }).count(), 0);
    for (const path of ['/add-stream', '/administration/stats', '/swagger', `/stream/${gate}/info`]) {
      await page.goto(`${server.url}/ui${path}`);
      await heading(page, "You don't have access.");
    }
  });
});

test('[R2.18] [R7.50] unknown addresses and missing streams lead to “Page not found”', () =>
  open('/ui/nowhere/at/all', cookie, async (page) => {
    await heading(page, 'Page not found');
    await until(
      () => page.title(),
      (title) => title === 'Page not found – Vidette',
    );
    await page.goto(`${server.url}/ui/stream/nosuchstream/info`);
    await page.waitForURL('**/ui/not-found');
    await heading(page, 'Page not found');
  }));

test('[R2.20] [R2.22] every navigation requests the settings and starts at the top', () =>
  open('/ui/help', cookie, async (page) => {
    await page.setViewportSize({ width: 1000, height: 300 });
    await page.evaluate(() => window.scrollTo(0, 200));
    const asked = page.waitForRequest('**/v1/system/internal/ui/settings');
    await page.getByRole('link', { name: 'All streams' }).click();
    await asked;
    await heading(page, 'Streams');
    assert.equal(await page.evaluate(() => window.scrollY), 0);
  }));

test('[R2.26] [R5.4] grid or table, groups, only available and the search narrow the list and survive a reload', () =>
  open('/ui/streams', cookie, async (page) => {
    await page.getByRole('button', { name: 'Table' }).click();
    await page.getByRole('table').waitFor();
    await page.getByRole('button', { name: 'Group by tag' }).click();
    await page.getByRole('heading', { name: /^inside/ }).waitFor();
    await page.getByRole('searchbox').fill('NORTH yar');
    await page.getByRole('link', { name: /^Loading dock/ }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /^Gate 2/ }).waitFor();
    await page.reload();
    await page.getByRole('table').waitFor();
    await page.getByRole('link', { name: /^Gate 2/ }).waitFor();
    assert.equal(await page.getByRole('link', { name: /^Loading dock/ }).count(), 0);
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await page.getByRole('link', { name: /^Loading dock/ }).waitFor();
    await page.getByRole('button', { name: 'Only available' }).click();
    await page.getByRole('link', { name: /^Loading dock/ }).waitFor({ state: 'detached' });
  }));

test('[R2.26] a healthy tile shows only its name, plays while the mouse rests on it, and keeps its last still', () =>
  open('/ui/streams', cookie, async (page) => {
    const tile = page.getByRole('article').filter({ hasText: 'Gate 2' });
    await tile.locator('[data-status=running]').waitFor();
    await until(
      async () => (await tile.innerText()).trim(),
      (words) => words === 'Gate 2',
    );
    await tile.hover();
    await tile.locator('video[data-hover-video=playing]').waitFor();
    await page.getByRole('heading', { name: 'Streams', exact: true }).hover();
    await tile.locator('video').waitFor({ state: 'detached' });
    // The next snapshot never arrives: the list opens with the last one.
    await page.context().route('**/v1/stream/*/picture*', () => new Promise(() => undefined));
    await page.getByRole('link', { name: 'Mosaics' }).first().click();
    await heading(page, 'Mosaics');
    await page.goBack();
    await tile.locator('img[data-picture=fresh]').waitFor();
  }));

test('[R2.26] the table is sorted by its headings; its columns are chosen, and survive a reload', () =>
  open('/ui/streams', cookie, async (page) => {
    await button(page, 'Table').click();
    const first = page.getByRole('row').nth(1);
    await first.getByText('Gate 2').waitFor();
    await first.getByText(/\d\sMbit\/s$/).waitFor();
    // Added a moment ago: no judgement yet.
    assert.equal(await first.getByText('%').count(), 0);
    assert.equal((await first.boundingBox())?.height, 36);
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
    await first.getByText('Loading dock').waitFor();
    await button(page, 'Columns').click();
    await page.getByRole('menuitemcheckbox', { name: 'Location' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Viewers' }).click();
    await page.reload();
    await page.getByRole('columnheader', { name: 'Location' }).waitFor();
    assert.equal(await page.getByRole('columnheader', { name: 'Viewers' }).count(), 0);
    await first.getByText('Loading dock').waitFor();
    const sort = await page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort');
    assert.equal(sort, 'descending');
    // Each column sorts, first so that what matters is on top, and the list of orders says which one it is.
    const order = page.getByRole('combobox', { name: 'Order', exact: true });
    for (const [name, first, second] of [
      ['Last 24 h', 'ascending', 'descending'],
      ['Oldest footage', 'ascending', 'descending'],
      ['Bit rate', 'descending', 'ascending'],
      ['Tags', 'ascending', 'descending'],
      ['Location', 'ascending', 'descending'],
      ['State', 'ascending', 'descending'],
    ] as const) {
      const heading = page.getByRole('columnheader', { name });
      for (const direction of [first, second]) {
        const answer = page.waitForResponse((response) => response.url().includes('sortType='));
        await heading.getByRole('button').click();
        assert.equal((await answer).status(), 200);
        assert.equal(await heading.getAttribute('aria-sort'), direction);
        const chosen = await order.evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.label);
        assert.match(
          chosen ?? '',
          name === 'Location' || name === 'State' ? /^By/ : new RegExp(`^${name}, ${direction}$`),
        );
      }
    }
    await page.getByRole('columnheader', { name: 'Tags' }).getByRole('button').click();
    await page.reload();
    await page.locator('th[aria-sort=ascending]').filter({ hasText: 'Tags' }).waitFor();
    // What the table leaves out in a narrow window is no business of the header.
    await page.setViewportSize({ width: 768, height: 1024 });
    await page.getByRole('columnheader', { name: 'Location' }).waitFor({ state: 'hidden' });
    assert.equal(await button(page, 'Columns').isVisible(), false);
    assert.ok(await page.getByRole('banner').getByRole('link', { name: 'Mosaics' }).isVisible());
  }));

test('[R9.1] a status that changes elsewhere is updated in the list automatically', () =>
  open('/ui/streams', cookie, async (page) => {
    const tile = page.getByRole('article').filter({ hasText: 'Gate 2' });
    await tile.locator('[data-status=running]').waitFor();
    await tile.locator('img[data-picture=fresh]').waitFor();
    await client.pauseStream({ body: { uid: gate } });
    await tile.getByText('Paused', { exact: true }).waitFor();
    await client.resumeStream({ body: { uid: gate } });
    await tile.locator('[data-status=running]').waitFor();
  }));

test('[R7.53] a server that does not answer is reported, and recovers by itself', () =>
  open('/ui/streams', cookie, async (page) => {
    await page.getByRole('link', { name: /^Gate 2/ }).waitFor();
    await page.context().route('**/v1/**', (route) => route.abort());
    // The page gives up the event stream, which is open already.
    await page.context().setOffline(true);
    await page.getByText('Server is not responding.').waitFor();
    await page.context().unroute('**/v1/**');
    await page.context().setOffline(false);
    await page.getByText('Server is not responding.').waitFor({ state: 'detached' });
  }));

test('[R7.53] while the server does not answer, no camera is said to wait for a viewer', async () => {
  const body = {
    name: 'Attic',
    streamSource: 'demo:',
    live: { onDemand: true },
    archive: { isEnable: false },
  };
  const { uid } = await client.addStream({ body });
  await open('/ui/streams', cookie, async (page) => {
    const tile = page.getByRole('article').filter({ hasText: 'Attic' });
    await tile.getByText('Connects when you open it').waitFor();
    await page.context().route('**/v1/**', (route) => route.abort());
    await page.context().setOffline(true);
    await tile.getByText('Unknown').waitFor();
    assert.equal(await tile.getByText('Connects when you open it').count(), 0);
  });
  await client.deleteStream({ params: { uid } });
});

test('[R7.51] after a session ends elsewhere, the page leads to sign-in and back', async () => {
  const own = await signIn(server);
  await open(`/ui/stream/${gate}/info`, own, async (page) => {
    await heading(page, 'Gate 2');
    // Ending all sessions would renew the secret of the one that the other tests use.
    const { items } = await clientOf(server, own).listSessions();
    await client.deleteSession({ params: { id: items.find(({ isCurrent }) => isCurrent)?.id ?? '' } });
    await page.waitForURL('**/ui/auth?expired=true');
    await page.getByText('Your session has ended').waitFor();
    await page.getByLabel('Login or e-mail').fill(administrator.name);
    await page.getByLabel('Password', { exact: true }).fill(administrator.password);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/ui/stream/${gate}/info`);
  });
});

test('[R1.4] [R2.19] settings take effect immediately and follow the user to another browser', async () => {
  await open('/ui/settings', cookie, async (page) => {
    await page.getByText('Light', { exact: true }).click();
    await page.locator('html[data-mantine-color-scheme=light]').waitFor();
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
    await until(
      async () => (await client.getProfile()).preferences.timeZone,
      (zone) => zone === 'Asia/Tokyo',
    );
    await page.getByText('Русский', { exact: true }).click();
    await heading(page, 'Настройки');
    await page.getByText('Настройки сохранены').first().waitFor();
  });
  await open('/ui/profile/me/info', cookie, async (page) => {
    await page.getByText('GMT+9').first().waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'ru');
    assert.equal(await page.locator('html').getAttribute('data-mantine-color-scheme'), 'light');
  });
  const preferences = { theme: 'auto', timeZone: 'viewer' } as const;
  await client.saveProfile({ body: { language: 'en', preferences } });
});

test('[R8.11] an unavailable source is refused at its field, with a text', () =>
  open('/ui/add-stream', cookie, async (page) => {
    const source = page.getByLabel('Address of the camera');
    await source.fill('rtsp://127.0.0.1:9/nothing');
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.locator('input[aria-invalid=true]').waitFor();
    const words = await source.evaluate(
      (input) =>
        document.getElementById(input.getAttribute('aria-describedby')?.split(' ')[0] ?? '')?.textContent,
    );
    assert.ok(words && words.length > 10, `says only: ${words}`);
    await source.fill('gopher://example.org');
    await page.getByRole('button', { name: 'Add the stream' }).click();
    await page.getByText('The address must start with one of rtsp:').waitFor();
  }));

test('[R8.11] the server’s error about a new stream appears at its field', () =>
  open('/ui/add-stream', cookie, async (page) => {
    await page.getByLabel('Address of the camera').fill('demo:');
    for (const [code, label] of [
      ['EHOSTUNREACH', 'Address of the camera'],
      ['HTTP_NOT_FOUND', 'Address of the camera'],
      ['HTTP_UNAUTHORIZED', 'Address of the camera'],
      ['ProbeError', 'Address of the camera'],
      ['STREAM_SOURCE_ERR', 'Address of the camera'],
      ['CREDENTIALS_ERR', 'Address of the camera'],
      ['STREAM_NAME_ERR', 'Name'],
      ['ARCHIVE_DEPTH_ERR', 'Keep recordings'],
    ] as const) {
      const words = `Said of ${code}`;
      await page.route('**/v1/stream', (route) =>
        route.fulfill({ status: 400, json: { code, error: words } }),
      );
      await page.getByRole('button', { name: 'Add the stream' }).click();
      await page.getByText(words).waitFor();
      const field = page.getByLabel(label, { exact: true });
      assert.equal(await field.getAttribute('aria-invalid'), 'true', code);
      const described = (await field.getAttribute('aria-describedby')) ?? '';
      const texts = await page
        .locator(
          described
            .split(' ')
            .map((id) => `[id="${id}"]`)
            .join(),
        )
        .allTextContents();
      assert.ok(texts.includes(words), `${code}: ${texts.join()}`);
      await page.unroute('**/v1/stream');
    }
  }));

test('[R7.3] [R7.4] [R8.9] [R8.10] a stream is renamed, and deleted with its archive once its name is typed', async () => {
  const { uid } = await client.addStream({ body: { name: 'Shed', streamSource: 'demo:' } });
  await open(`/ui/stream/${uid}/setting`, cookie, async (page) => {
    await page.getByLabel('Name').fill('Old shed');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Stream settings has been saved').waitFor();
    await heading(page, 'Old shed');
    await page.getByRole('button', { name: 'Delete Old shed…' }).click();
    await page.getByLabel('Delete the recordings too').check();
    const submit = page.getByRole('button', { name: 'Delete Old shed and its archive' });
    assert.ok(await submit.isDisabled());
    await page.getByLabel('Type “Old shed” to confirm').fill('Old shed');
    await submit.click();
    await page.waitForURL('**/ui/streams');
    await page.getByText('Old shed has been deleted').waitFor();
  });
  await assert.rejects(client.getStream({ params: { uid } }), { code: 'NotFound' });
});

test('unsaved changes require confirmation before they are lost', () =>
  open(`/ui/stream/${gate}/setting`, cookie, async (page) => {
    await page.getByLabel('Name').fill('Something else');
    await page.getByRole('link', { name: 'All streams' }).click();
    await page.getByRole('button', { name: 'Stay here' }).click();
    assert.equal(await page.getByLabel('Name').inputValue(), 'Something else');
    await page.getByRole('link', { name: 'All streams' }).click();
    await page.getByRole('button', { name: 'Leave without saving' }).click();
    await heading(page, 'Streams');
  }));

test('[R2.30] a missing license is shown as a banner on every screen, with a link to upload one', async () => {
  const settings = await client.getSettings();
  await open('/ui/help', cookie, async (page) => {
    await page
      .context()
      .route('**/v1/system/internal/ui/settings', (route) =>
        route.fulfill({ json: { ...settings, isLicenseExpired: true } }),
      );
    await page.getByRole('link', { name: 'All streams' }).click();
    await page.getByText('License is missing or expired. Addition streams').waitFor();
    await page.getByRole('link', { name: 'Upload a license' }).click();
    await page.waitForURL('**/ui/administration/license');
    await page.getByLabel('License key').fill('not a license');
    await page.getByRole('button', { name: 'Upload a license' }).click();
    await page.getByText('License is incorrect.').waitFor();
  });
});

test('[R4.11] a server warning can be dismissed permanently, a drained node can’t', async () => {
  const warning = (code: string) => ({
    code,
    expiresAt: null,
    usedPercent: 91,
    recordedPercent: null,
    subject: null,
  });
  const context = await newPerson(browser, desktop);
  await signInByCookie(context, server.url, cookie);
  await context.route('**/v1/system/health', (route) =>
    route.fulfill({
      json: {
        version: '1',
        warnings: [
          warning('archive-disk-usage'),
          { ...warning('stream-recorded-low'), recordedPercent: 87.5, subject: 'gate' },
          warning('cluster-node-drained'),
        ],
      },
    }),
  );
  const page = await context.newPage();
  await page.goto(`${server.url}/ui/help`);
  // The drained node has a banner; the others are counted in the header.
  await page.getByText('This node is drained.').waitFor();
  await button(page, '2 problems').click();
  await page.getByText('The archive directory is running out of memory, more than 91% used').waitFor();
  await page.getByText('Only 87.5% of the last 24 hours were recorded.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Dismiss' }).count(), 2);
  await page.getByRole('button', { name: 'Dismiss' }).last().click();
  await page.getByText('Only 87.5%').waitFor({ state: 'detached' });
  await button(page, '1 problem').waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByText('The archive directory').waitFor({ state: 'detached' });
  await page.reload();
  await page.getByText('This node is drained.').waitFor();
  assert.equal(await page.getByRole('button', { name: /problem/ }).count(), 0);
  await context.close();
});

test('[R4.11] warnings whose code failed to load appear once it can be loaded', async () => {
  const context = await newPerson(browser, desktop);
  await signInByCookie(context, server.url, cookie);
  const warning = { expiresAt: null, usedPercent: 91, recordedPercent: null, subject: null };
  const warnings = [{ ...warning, code: 'archive-disk-usage' }];
  await context.route('**/v1/system/health', (route) => route.fulfill({ json: { version: '1', warnings } }));
  let requests = 0;
  await context.route('**/health-indicator*.js', (route) =>
    ++requests < 3 ? route.abort('connectionreset') : route.continue(),
  );
  const page = await context.newPage();
  await page.goto(`${server.url}/ui/help`);
  await button(page, '1 problem').click();
  await page.getByText('The archive directory is running out of memory, more than 91% used').waitFor();
  assert.equal(requests, 3);
  await context.close();
});

test('[R7.53] a part of the list that failed to load appears with its style once it can be loaded, and the list stays', async () => {
  const context = await newPerson(browser, desktop);
  await signInByCookie(context, server.url, cookie);
  let requests = 0;
  await context.route('**/picked-bar*.css', (route) =>
    ++requests < 3 ? route.abort('connectionreset') : route.continue(),
  );
  const page = await context.newPage();
  await page.goto(`${server.url}/ui/streams`);
  await button(page, 'Select streams').click();
  const bar = page.getByRole('region', { name: 'Selected streams' });
  await until(
    () => bar.evaluate((element) => getComputedStyle(element).position),
    (position) => position === 'sticky',
  );
  assert.equal(requests, 3);
  await page.getByRole('heading', { name: 'Streams', exact: true }).waitFor();
  await context.close();
});

test('[R7.53] once the server has another version of the page, a part that is not loaded yet leads to an offer to reload, and a screen loads it', async () => {
  const context = await newPerson(browser, desktop);
  await signInByCookie(context, server.url, cookie);
  const page = await context.newPage();
  await page.goto(`${server.url}/ui/streams`);
  const select = button(page, 'Select streams');
  await select.waitFor();
  // The server's own answer for files that it no longer has; the page that it sends then names others.
  let isReplaced = true;
  await context.route(`${server.url}/ui/assets/*`, (route) =>
    route.continue(isReplaced ? { url: `${server.url}/ui/assets/gone-4f2a81c0.js` } : {}),
  );
  page.on('request', (request) => {
    if (request.isNavigationRequest()) isReplaced = false;
  });
  await select.click();
  await page.getByText('The server has been updated.').waitFor();
  await page.getByRole('heading', { name: 'Streams', exact: true }).waitFor();
  await Promise.all([page.waitForEvent('load'), button(page, 'Reload the page').click()]);
  await select.waitFor();
  assert.equal(await page.getByText('The server has been updated.').count(), 0);

  isReplaced = true;
  await Promise.all([page.waitForEvent('load'), page.getByRole('link', { name: 'Mosaics' }).first().click()]);
  await page.getByRole('heading', { name: 'Mosaics', exact: true }).waitFor();
  await context.close();
});

test('one indicator lists the problems: which camera, what, since when, and what to do', async () => {
  const context = await newPerson(browser, desktop);
  await signInByCookie(context, server.url, cookie);
  const warning = { expiresAt: null, usedPercent: null, recordedPercent: 50 };
  const since = Date.UTC(2026, 10, 21, 12, 16);
  const warnings = [
    { ...warning, code: 'stream-recorded-low', subject: 'gone' },
    { ...warning, code: 'stream-not-recording', subject: gate, since },
    { ...warning, code: 'trust-proxy', subject: null },
  ];
  await context.route('**/v1/system/health', (route) => route.fulfill({ json: { version: '1', warnings } }));
  const page = await context.newPage();
  await page.goto(`${server.url}/ui/help`);
  const indicator = button(page, '3 problems');
  await indicator.press('Enter');
  const list = page.getByRole('region', { name: 'Server warnings' });
  const first = list.getByRole('listitem').first();
  await first.getByRole('link', { name: 'Gate 2' }).waitFor();
  await first.getByText('Not recorded.').waitFor();
  await first.getByText('Since 21 Nov 2026, 12:16:00').waitFor();
  assert.equal(await first.getByRole('button', { name: 'Dismiss' }).count(), 0);
  // A deleted stream is named by its uid.
  await list.getByRole('link', { name: 'gone' }).waitFor();
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  assert.equal(await indicator.evaluate((one) => one === document.activeElement), true);
  await indicator.click();
  await first.getByRole('link', { name: 'Test', exact: true }).click();
  await page.waitForURL(`**/ui/stream/${gate}/setting?test=true`);
  await list.waitFor({ state: 'detached' });
  // The test begins without another click.
  await page.getByText(/Contacting the camera|The camera answers/).waitFor();
  await context.close();
});

test('on a phone the list of problems fits the screen, and nothing is above the screen’s heading', async () => {
  const context = await newPerson(browser, { ...desktop, width: 390, height: 844 });
  await signInByCookie(context, server.url, cookie);
  const warning = { expiresAt: null, usedPercent: 91, recordedPercent: 50, subject: null };
  const codes = ['trust-proxy', 'archive-disk-usage', 'tls-certificate', 'tunnel-down', 'data-disk-full'];
  const warnings = codes.map((code) => ({ ...warning, code }));
  await context.route('**/v1/system/health', (route) => route.fulfill({ json: { version: '1', warnings } }));
  const page = await context.newPage();
  await page.goto(`${server.url}/ui/help`);
  const indicator = button(page, '5 problems');
  await indicator.waitFor();
  const heading = await page.getByRole('heading', { level: 1 }).boundingBox();
  assert.ok(heading && heading.y < 120, `the screen begins at ${heading?.y}`);
  await indicator.tap();
  const box = await page.getByRole('region', { name: 'Server warnings' }).boundingBox();
  assert.ok(box && box.x >= 0 && box.x + box.width <= 390 && box.y + box.height <= 844, JSON.stringify(box));
  assert.equal(await page.getByRole('listitem').filter({ hasText: 'trustProxy' }).count(), 1);
  await context.close();
});

test('[R2.5] [R3.3] [R7.23] a token’s secret is shown once, and the token works until it is revoked', () =>
  open('/ui/profile/me/tokens', cookie, async (page) => {
    await page.getByLabel('Name').fill('Backup script');
    await page.getByRole('button', { name: 'Create a token' }).click();
    const secret = await page.getByLabel('Secret of Backup script').textContent();
    const ask = () => fetch(`${server.url}/v1/profile`, { headers: { authorization: `Bearer ${secret}` } });
    assert.equal((await ask()).status, 200);
    await page.reload();
    await page.getByRole('button', { name: 'Delete Backup script' }).click();
    await page.getByText('Token has been deleted').waitFor();
    assert.equal((await ask()).status, 401);
  }));
