import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { addressOf } from '@vidette/contract/routes';
import { until } from './api.ts';
import { administrator, signIn, startServer, type TestServer } from './server.ts';
import { button, TestEnv } from './test-env.ts';

// Two simultaneous users: an action of one leads to a clear state for the other, without a manual reload.

const guard = { name: 'guard', password: 'seven quiet otters 5' };

let dataDir: string;
let testEnv: TestEnv;
let client: Client;
let gate: string;
let again: TestServer | undefined;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'vidette-two-'));
  testEnv = await TestEnv.start({ dataDir });
  ({ client } = testEnv);
  ({ uid: gate } = await client.addStream({ body: { name: 'Gate 2', streamSource: 'demo:' } }));
  await client.addUser({ body: { ...guard, maxStreamCreation: 0 } });
});

after(async () => {
  await testEnv?.close();
  await again?.stop();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

const allow = (rights: object) =>
  client.saveUserPermissions({
    params: { login: guard.name },
    body: { items: [{ stream: gate, ...rights }] },
  });

const denied = (page: Page) => page.getByRole('heading', { name: "You don't have access." }).waitFor();

/** Waits until the video has advanced by some of its own time. */
async function plays(page: Page): Promise<void> {
  const shown = () => page.locator('video').evaluate((video: HTMLVideoElement) => video.currentTime);
  const since = await shown();
  await until(shown, (seconds) => seconds > since + 1, 60_000);
}

test('[R4.12] [R6.5] revoking a right ends watching, the stream’s pages and its entry in the list', async () => {
  await allow({ view: true, archive: true });
  const own = await signIn(testEnv.server, guard.name, guard.password);
  const context = await testEnv.browser.newContext({
    locale: 'en-GB',
    viewport: { width: 1024, height: 768 },
  });
  const [name = '', value = ''] = own.split('=');
  await context.addCookies([{ name, value, url: testEnv.server.url }]);
  const [list, info, view] = [await context.newPage(), await context.newPage(), await context.newPage()];
  await list.goto(`${testEnv.server.url}/ui/streams`);
  await list.getByRole('link', { name: /^Gate 2/ }).waitFor();
  await info.goto(`${testEnv.server.url}/ui/stream/${gate}/info`);
  await info.getByRole('heading', { name: 'Gate 2' }).waitFor();
  await view.goto(`${testEnv.server.url}/ui/stream/${gate}/view`);
  await plays(view);
  await client.saveUserPermissions({ params: { login: guard.name }, body: { items: [] } });
  for (const page of [view, info, list]) {
    // Polls pause in a hidden tab.
    await page.bringToFront();
    if (page === list) await page.getByText('No streams yet').waitFor();
    else await denied(page);
  }
  assert.equal(await view.locator('video').count(), 0);
  await context.close();
});

test('[R6.5] footage that one user watched is not shown from the browser’s cache to the next user who signs in there', async () => {
  const stranger = { name: 'stranger', password: 'nine dry lanterns 8' };
  await client.addUser({ body: { ...stranger, maxStreamCreation: 0 } });
  await allow({ view: true, archive: true });
  const params = { uid: gate };
  const query = { start_time: Date.now() - 600_000, end_time: Date.now() + 600_000 };
  const isFootage = ({ status }: { status: string }) => status !== 'gap';
  const { ranges } = await until(
    () => client.getArchiveRanges({ params, query }),
    (found) => found.ranges.some(isFootage),
  );
  const from = ranges.find(isFootage)?.date ?? 0;
  const playlist = addressOf('getArchivePlaylist', params, { start_time: from, end_time: from + 1_000 });
  const own = await signIn(testEnv.server, guard.name, guard.password);
  const context = await testEnv.browser.newContext();
  try {
    const [name = '', value = ''] = own.split('=');
    await context.addCookies([{ name, value, url: testEnv.server.url }]);
    const page = await context.newPage();
    await page.goto(`${testEnv.server.url}/ui/profile`);
    const statusOf = (address: string) =>
      page.evaluate(async (url) => {
        const answer = await fetch(url);
        await answer.arrayBuffer();
        return answer.status;
      }, address);
    const post = (address: string, body: object) =>
      page.evaluate(
        async ([url, text]) =>
          (await fetch(url, { method: 'POST', body: text, headers: { 'content-type': 'application/json' } }))
            .status,
        [address, JSON.stringify(body)] as const,
      );
    const text = await page.evaluate(async (url) => (await fetch(url)).text(), playlist);
    const segment = text.split('\n').find((line) => line !== '' && !line.startsWith('#')) ?? '';
    const footage = [
      addressOf('getArchivePicture', params, { time: from, width: 320 }),
      new URL(segment, testEnv.server.url + playlist).href,
    ];
    for (const address of footage) assert.equal(await statusOf(address), 200, address);
    assert.equal(await post(addressOf('signOut'), {}), 200);
    for (const address of footage) assert.equal(await statusOf(address), 401, address);
    assert.equal(await post(addressOf('signIn'), stranger), 200);
    for (const address of footage) assert.equal(await statusOf(address), 403, address);
  } finally {
    await context.close();
  }
});

test('[R7.50] a stream deleted while another edits it leads to “Page not found”, without a confirmation in the way', async () => {
  const { uid } = await client.addStream({ body: { name: 'Shed', streamSource: 'demo:' } });
  await testEnv.open(`/stream/${uid}/setting`, async (page) => {
    await page.getByLabel('Name').fill('Never to be saved');
    await client.deleteStream({ params: { uid } });
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    assert.equal(await page.getByRole('dialog').count(), 0);
  });
});

test('[R7.3] a stream saved while another edits it is not overwritten; the form reports it', async () => {
  await testEnv.open(`/stream/${gate}/setting`, async (page) => {
    await page.getByLabel('Name').fill('Gate 3');
    await client.saveStream({ params: { uid: gate }, body: { location: { name: 'North' } } });
    await button(page, 'Save').click();
    await page.getByRole('main').getByRole('alert').filter({ hasText: /./ }).waitFor();
    assert.equal(await page.getByLabel('Name').inputValue(), 'Gate 3');
    assert.equal((await client.getStream({ params: { uid: gate } })).name, 'Gate 2');
  });
});

test('[R7.51] a session ended elsewhere leads to sign-in, even from a form, and back to the same screen', async () => {
  const own = await signIn(testEnv.server);
  await testEnv.openAs(own, `/stream/${gate}/setting`, async (page) => {
    await page.getByLabel('Name').fill('Half typed');
    const { items } = await client.listSessions();
    const other = items.filter(({ isCurrent }) => !isCurrent);
    await Promise.all(other.map(({ id }) => client.deleteSession({ params: { id } })));
    await page.waitForURL('**/ui/auth?expired=true');
    await page.getByLabel('Login or e-mail').fill(administrator.name);
    await page.getByLabel('Password', { exact: true }).fill(administrator.password);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/ui/stream/${gate}/setting`);
  });
});

test('[R7.53] [R1.8] a server restarted under open pages is shown as unreachable, and both pages recover by themselves', async () => {
  await testEnv.open('/streams', async (list) => {
    await list.getByRole('link', { name: /^Gate 2/ }).waitFor();
    const view = await list.context().newPage();
    await view.goto(`${testEnv.server.url}/ui/stream/${gate}/view`);
    await plays(view);
    await testEnv.server.stop();
    await view.getByText('Server is not responding.', { exact: true }).waitFor();
    again = await startServer({ dataDir, port: Number(new URL(testEnv.server.url).port) });
    await view.getByText('Server is not responding.', { exact: true }).waitFor({ state: 'detached' });
    await plays(view);
    await list.bringToFront();
    const tile = list.getByRole('article').filter({ hasText: 'Gate 2' });
    await tile.locator('[data-status=running]').waitFor();
    await list.getByText('Server is not responding.', { exact: true }).waitFor({ state: 'detached' });
  });
});
