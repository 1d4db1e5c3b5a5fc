import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Client } from '@vidette/contract/client';
import { until } from './api.ts';
import { seriousFaults } from './axe.ts';
import { overflowOf } from './browser.ts';
import { signIn } from './server.ts';
import { button, TestEnv } from './test-env.ts';

// Records and reference: API documentation, audit log, server log, bookmarks, configuration.

const viewer = { name: 'viewer', password: 'seven quiet otters 5' };

let testEnv: TestEnv;
let client: Client;
let gate: string;

before(async () => {
  testEnv = await TestEnv.start();
  ({ client } = testEnv);
  ({ uid: gate } = await client.addStream({ body: { name: 'Gate 2', streamSource: 'demo:' } }));
  await client.addUser({ body: viewer });
});

after(() => testEnv?.close());

test('[R2.17] the API documentation is for administrators; calls are found, read and tried', async () => {
  await testEnv.open('/swagger', async (page) => {
    await page.getByRole('searchbox').fill('one user {login} GET');
    await until(
      () => page.locator('details > summary').count(),
      (count) => count === 1,
    );
    await page.locator('summary', { hasText: '/v1/user/{login}' }).click();
    await page.getByText('NotFound: Not found.').waitFor();
    await page.getByLabel('login').fill(viewer.name);
    await button(page, 'Send').click();
    await page.locator('output', { hasText: `"name": "${viewer.name}"` }).waitFor();
  });
  await testEnv.openAs(
    await signIn(testEnv.server, viewer.name, viewer.password),
    '/swagger',
    async (page) => {
      await page.getByRole('heading', { name: "You don't have access." }).waitFor();
    },
  );
});

test('[R7.47] the audit log is filtered by its address, expanded, and downloaded as CSV', () =>
  testEnv.open('/administration/audit-logs?action=addUser', async (page) => {
    await until(
      () => page.locator('tbody tr').count(),
      (count) => count === 1,
    );
    await page.locator('tbody button').click();
    await page.getByText('Set: Login, Password').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      button(page, 'Download as CSV').click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
    assert.equal(lines[0], '\ufefftime,user,ip,action,target,targetName,outcome,details');
    assert.match(lines[1] ?? '', /,admin,127\.0\.0\.1,addUser,viewer,,ok,/);
    assert.equal(lines.length, 2);
    await button(page, 'Show all').click();
    const table = page.getByRole('table');
    await table.getByText('admin added the stream Gate 2').waitFor();
    await page.getByLabel('Target').fill('Gate 2');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/audit-logs?target=Gate+2');
    await until(
      () => table.getByText('added the user').count(),
      (count) => count === 0,
    );
    await table.getByText('admin added the stream Gate 2').waitFor();
  }));

test('[R7.47] the audit log tells what people did in sentences, with the names of then; programs only on request', async () => {
  const body = {
    name: 'Dock',
    streamSource: 'demo:',
    live: { onDemand: true },
    archive: { isEnable: false },
  };
  const { uid } = await client.addStream({ body });
  const cells = [gate, uid].map((stream, x) => ({ x, y: 0, width: 1, height: 1, stream }));
  const layout = { columns: 2, rows: 1, cells };
  const { id } = await client.addMosaic({ body: { name: 'Guards', layout } });
  await client.saveMosaic({ params: { id }, body: { layout: { ...layout, cells: cells.slice(0, 1) } } });
  await client.saveUserPermissions({
    params: { login: 'viewer' },
    body: { items: [{ stream: uid, view: true }] },
  });
  await client.saveUserPermissions({ params: { login: 'viewer' }, body: { items: [] } });
  await client.saveStream({ params: { uid }, body: { name: 'Quay' } });
  await client.getConfiguration({});
  await until(
    () =>
      client.getStreamPicture({ params: { uid: gate } }).then(
        () => true,
        () => false,
      ),
    (isThere) => isThere,
  );
  await testEnv.open('/administration/audit-logs', async (page) => {
    const table = page.getByRole('table');
    const words = ['renamed Dock to Quay', 'removed Dock from viewer', 'gave viewer access to Dock'];
    for (const what of [...words, 'removed Dock from Guards', 'created the mosaic Guards'])
      await table.getByText(`admin ${what}`).waitFor();
    const machines = table.getByText('A page of admin showed still images of Gate 2');
    assert.equal(await machines.count(), 0);
    // Each name leads to everything that was done with its object, by whatever name.
    await table.getByText('admin renamed Dock').getByRole('link', { name: 'Dock' }).click();
    await table.getByText('admin added the stream Dock').waitFor();
    await page.getByRole('switch', { name: 'Show entries made by programs' }).click({ force: true });
    await page.waitForURL(`**/audit-logs?target=${uid}&machines=true`);
    await button(page, 'Show all').click();
    await page.getByRole('switch', { name: 'Show entries made by programs' }).click({ force: true });
    await machines.first().waitFor();
    await page.locator('main button[aria-expanded]').first().click();
    assert.deepEqual(await seriousFaults(page), []);
    // Opened entries have no label without a value.
    await table
      .getByRole('row', { name: 'admin viewed the configuration' })
      .getByRole('button')
      .first()
      .click();
    await page.getByText('getConfiguration').waitFor();
    assert.equal(await page.locator('main dd').filter({ hasNotText: /\S/ }).count(), 0);
  });
});

test('[R2.14] the server’s log is searched, and followed until it is paused', () =>
  testEnv.open('/administration/server-debug', async (page) => {
    await page.getByRole('searchbox').fill('Connecting to');
    const lines = page.locator('ol > li');
    await until(
      () => lines.count(),
      (count) => count === 1,
    );
    await client.addStream({ body: { name: 'Second', streamSource: 'demo:' } });
    await until(
      () => lines.count(),
      (count) => count === 2,
    );
    await page.getByRole('searchbox').fill('no such line at all');
    await page.getByText('No line matches.').waitFor();
  }));

test('[R2.16] a moment on screen is bookmarked, found again, opened, renamed and deleted', () =>
  testEnv.open(`/stream/${gate}/view`, async (page) => {
    await page.locator('video').waitFor();
    await until(
      () => page.locator('video').evaluate((video: HTMLVideoElement) => video.currentTime),
      (seconds) => seconds > 0,
    );
    await button(page, 'Bookmark this moment').click();
    await page.getByPlaceholder('What can be seen').fill('red car');
    await button(page, 'Add the bookmark').click();
    await page.getByText('Bookmark has been added').waitFor();
    const { items } = await client.listBookmarks();
    assert.equal(items[0]?.note, 'red car');
    await page.goto(`${testEnv.server.url}/ui/bookmarks?q=red`);
    await page.getByRole('button', { name: /^Edit the note/ }).click();
    await page.getByLabel('Note', { exact: true }).fill('blue car');
    await button(page, 'Save').click();
    await page.getByText('No bookmark matches all the words.').waitFor();
    await button(page, 'Clear the search').click();
    await page.getByText('blue car').waitFor();
    await page.getByRole('link', { name: 'Gate 2' }).click();
    await page.waitForURL(`**/ui/stream/${gate}/view?t=${items[0]?.startTime}`);
    await page.goBack();
    await page.getByRole('button', { name: /^Delete the bookmark/ }).click();
    await page.getByText('No bookmarks yet').waitFor();
  }));

test('[R7.46] the configuration is changed in its form; errors appear at their keys', () =>
  testEnv.open('/administration/config', async (page) => {
    const percent = page.getByLabel('archive.warnPercent');
    await percent.fill('200');
    await button(page, 'Save').click();
    await until(
      () => percent.getAttribute('aria-invalid'),
      (invalid) => invalid === 'true',
    );
    await percent.fill('80');
    await page.getByLabel('app.title').fill('My house');
    assert.ok(await page.getByLabel('Port port', { exact: true }).isDisabled());
    await button(page, 'Save').click();
    await page.getByText('Configuration has been saved').waitFor();
    const { values } = await client.getConfiguration();
    assert.equal((values['archive'] as Record<string, unknown>)['warnPercent'], 80);
    await page.getByRole('banner').getByText('My house').waitFor();
  }));

test('[R7.46] every key describes its purpose, and is found by that text', () =>
  testEnv.open('/administration/config', async (page) => {
    await page.getByLabel('archive.rangesMaxSeconds').waitFor();
    const described = await page.locator('main form [id$=-description]').allTextContents();
    assert.ok(described.length > 40, `${described.length} keys`);
    const isAbout = (text: string) => /^[A-Z0-9][^·]+\. /.test(text) && !text.includes('config.about');
    assert.deepEqual(
      described.filter((text) => !isAbout(text)),
      [],
    );
    const texts = await page.locator('main form label:has(code)').allInnerTexts();
    // The label of a switch contains its description.
    const labels = texts.map((text) => text.split('\n')[0] ?? '');
    assert.equal(labels.length, described.length);
    // A name, and the key.
    assert.deepEqual(
      labels.filter((text) => !/^\p{Lu}.* [\w.]+\*?$/u.test(text) || text.includes('config.name')),
      [],
    );
    assert.equal(await page.getByRole('heading', { level: 2, name: /^[a-z]/ }).count(), 0);
    await page.getByLabel('Only changed').check({ force: true });
    await page.getByLabel('archive.rangesMaxSeconds').waitFor({ state: 'detached' });
    await page.getByLabel('Only changed').uncheck({ force: true });
    await page.getByRole('navigation', { name: 'Groups' }).getByRole('button', { name: 'E-mail' }).click();
    await page.waitForFunction(() => document.activeElement?.id === 'config-smtp');
    await page.getByLabel('Search settings').fill('mail server');
    await page.getByLabel('archive.rangesMaxSeconds').waitFor({ state: 'detached' });
    assert.ok(await page.getByLabel('smtp.host').isVisible());
  }));

test('[R7.46] changes are listed before they are saved, with those that need a restart; secrets are not shown', () =>
  testEnv.open('/administration/config', async (page) => {
    await page.getByLabel('log.level').selectOption('debug');
    await page.getByLabel('archive.folder').fill('/video');
    await page.getByLabel('smtp.password').fill('not for the screen');
    const changes = page.getByRole('region', { name: '3 unsaved changes' });
    await changes.getByText('from info to debug').waitFor();
    await changes.getByText('archive.folder').waitFor();
    await changes.getByText('Needs a restart').first().waitFor();
    assert.doesNotMatch((await changes.textContent()) ?? '', /not for the screen/);
    await button(page, 'Discard changes').click();
    await changes.waitFor({ state: 'detached' });
  }));

test('[R2.15] [R8.7] a license is uploaded as a file or by dropping one; its errors appear at its field', () =>
  testEnv.open('/administration/license', async (page) => {
    const field = page.getByLabel('License key');
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      button(page, 'Choose a file…').click(),
    ]);
    await chooser.setFiles({
      name: 'a.license',
      mimeType: 'text/plain',
      buffer: Buffer.from(' not a license\n'),
    });
    await until(
      () => field.inputValue(),
      (text) => text === 'not a license',
    );
    await button(page, 'Upload a license').click();
    await page.getByText('License is incorrect.').waitFor();
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    const dropped = await page.evaluateHandle(() => {
      const data = new DataTransfer();
      data.items.add(new File(['another one'], 'b.license', { type: 'text/plain' }));
      return data;
    });
    await field.dispatchEvent('drop', { dataTransfer: dropped });
    await until(
      () => field.inputValue(),
      (text) => text === 'another one',
    );
    await page.getByText('License is incorrect.').waitFor({ state: 'detached' });
    const [longer] = await Promise.all([
      page.waitForEvent('filechooser'),
      button(page, 'Choose a file…').click(),
    ]);
    await longer.setFiles({ name: 'c.mp4', mimeType: 'video/mp4', buffer: Buffer.alloc(100_000, 'x') });
    await page.getByText('This file is too large for a license.').waitFor();
  }));

test('[R7.47] printed, the audit log has all its columns, dark on white, and no controls', () =>
  testEnv.open('/administration/audit-logs', async (page) => {
    await page.getByRole('table').waitFor();
    const sideBar = page.locator('nav#side-bar');
    await button(page, 'Side bar').click();
    await sideBar.waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.getByText(/^Audit log, printed /).waitFor();
    assert.equal(await sideBar.isVisible(), false);
    assert.equal((await page.getByRole('main').boundingBox())?.x, 0);
    assert.equal(await page.getByRole('banner').isVisible(), false);
    assert.equal(await page.getByLabel('Target').isVisible(), false);
    assert.equal(await page.getByRole('columnheader', { name: 'Address' }).isVisible(), true);
    const colours = await page.evaluate(() => {
      const { backgroundColor, color } = getComputedStyle(document.body);
      return `${color} on ${backgroundColor}`;
    });
    assert.equal(colours, 'rgb(0, 0, 0) on rgb(255, 255, 255)');
    const paper = await page.pdf({ preferCSSPageSize: true });
    // A4 landscape: 297 by 210 mm in points of 1/72 inch.
    assert.match(paper.toString('latin1'), /MediaBox \[\s*0 0 84[12][.\d]* 59[45][.\d]*/);
  }));

test('[R7.47] printed at any width, no column of the audit log exceeds the page, however long its words', async () => {
  const guard = { name: 'x'.repeat(64), password: viewer.password };
  await client.addUser({ body: guard });
  await signIn(testEnv.server, guard.name, guard.password);
  await client.saveUser({ params: { login: guard.name }, body: { fullName: 'Guard' } });
  await testEnv.open('/administration/audit-logs', async (page) => {
    await page
      .getByRole('cell', { name: `${guard.name} signed in` })
      .first()
      .waitFor();
    await page.locator('main button[aria-expanded]').first().click();
    await page.emulateMedia({ media: 'print' });
    await page.getByText(/^Audit log, printed /).waitFor();
    for (const width of [360, 800, 1100]) {
      await page.setViewportSize({ width, height: 740 });
      assert.equal(await overflowOf(page), 0, `on paper of ${width} px`);
      const lines = await page
        .getByRole('cell', { name: '127.0.0.1', exact: true })
        .first()
        .evaluate((cell) => {
          const text = document.createRange();
          text.selectNodeContents(cell);
          return text.getClientRects().length;
        });
      assert.equal(lines, 1, `an address on paper of ${width} px`);
    }
  });
});

test('[R8.10] a double click on a busy machine submits a form once', () =>
  testEnv.open('/user/add', async (page) => {
    let posts = 0;
    await page.context().route('**/v1/user', async (route) => {
      posts += 1;
      await route.continue();
    });
    await page.getByLabel('Login').fill('twice');
    await page.getByLabel('Password', { exact: true }).fill(viewer.password);
    // Both in one turn, as from a full queue.
    await button(page, 'Add the user').evaluate((submit: HTMLButtonElement) => {
      submit.click();
      submit.click();
    });
    await page.waitForURL('**/ui/user/twice/permission');
    assert.equal(posts, 1);
  }));

test('[R11.4] when all events are reviewed, the inbox says so', async () => {
  await client.reviewJournal({ body: { until: Date.now() + 60_000 } });
  await testEnv.open('/events?unreviewed=true', async (page) => {
    await page.getByRole('heading', { name: 'All events are reviewed' }).waitFor();
    assert.equal(await page.getByText('No event matches the filters').count(), 0);
    await button(page, 'Show all').waitFor();
  });
});

const keepsUp = 'The server keeps up';

test('[R2.14] a server whose event loop or disk is slow is not said to keep up', () =>
  testEnv.open('/administration/stats', async (page) => {
    for (const [figures, words] of [
      [{ eventLoopDelayMs: 5, writeLatencyMs: 5 }, keepsUp],
      [{ eventLoopDelayMs: 1_341, writeLatencyMs: 5 }, 'answers and live video waited for up to 1.3 s'],
      [{ eventLoopDelayMs: 5, writeLatencyMs: 2_000 }, 'footage waited for up to 2 s to be written'],
    ] as const) {
      await page.route('**/v1/admin/stats', async (route) => {
        const reply = await route.fetch();
        const stats = (await reply.json()) as { now: object };
        const now = { ...stats.now, overload: { level: 0, waiting: [] }, ...figures };
        await route.fulfill({ response: reply, json: { ...stats, now } });
      });
      await page.reload();
      await page.getByText(words).waitFor();
      assert.equal(await page.getByText(keepsUp).count(), words === keepsUp ? 1 : 0);
    }
  }));
