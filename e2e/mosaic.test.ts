import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { until } from './api.ts';
import { consoleErrorsOf, desktop, newPerson, signInByCookie } from './browser.ts';
import { signIn } from './server.ts';
import { TestEnv } from './test-env.ts';
import { allPlaying, tileStates } from './tiles.ts';

// Mosaics as users see them: created, watched and changed in a browser, against real streams.

const patienceMs = 60_000;
const names = ['Dock', 'Gate 2', 'Roof', 'Yard'] as const;
const anna = { name: 'anna', password: 'seven quiet otters 5' };

let testEnv: TestEnv;
let admin: Client;
/** The administrator's page, shared by the tests: the scripts are compiled again for each new context. */
let page: Page;
let consoleErrors: string[];
const uids = new Map<string, string>();

before(async () => {
  testEnv = await TestEnv.start();
  admin = testEnv.client;
  for (const name of names) {
    const body = { name, streamSource: 'demo:tile?fps=10' };
    uids.set(name, (await admin.addStream({ body })).uid);
  }
  await admin.addUser({ body: anna });
  page = await newPage(testEnv.cookie);
  consoleErrors = consoleErrorsOf(page);
});

after(() => testEnv?.close());

async function newPage(cookie: string): Promise<Page> {
  const person = await newPerson(testEnv.browser, desktop);
  person.setDefaultTimeout(patienceMs);
  await signInByCookie(person, testEnv.server.url, cookie);
  return person.newPage();
}

async function open(path: string, where = page): Promise<void> {
  await where.goto(`${testEnv.server.url}/ui${path}`);
}

function uidOf(name: string): string {
  return uids.get(name) ?? '';
}

/** A mosaic of two by two with some of the streams. */
async function makeMosaic(name: string, streams: readonly string[], isShared = false): Promise<number> {
  const cells = streams.map((stream, at) => ({
    x: at % 2,
    y: Math.floor(at / 2),
    width: 1,
    height: 1,
    stream: uidOf(stream),
  }));
  const { id } = await admin.addMosaic({ body: { name, isShared, layout: { columns: 2, rows: 2, cells } } });
  return id;
}

async function dragOnto(page: Page, what: Locator, target: Locator): Promise<void> {
  await what.hover();
  await page.mouse.down();
  const box = await target.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
}

test('[R2.1] [R2.11] [R7.42] a mosaic is created from presets by dragging and clicking, and opens', async () => {
  await open('/mosaics');
  await page.getByRole('heading', { name: 'No mosaics yet' }).waitFor();
  await page.getByRole('link', { name: 'Create a mosaic' }).click();
  await page.waitForURL('**/create-mosaic');
  const create = page.getByRole('button', { name: 'Create the mosaic' });
  await create.click();
  await page.getByText('Give the mosaic a name.').waitFor();
  await page.getByLabel('Name').fill('Front wall');
  await page.getByRole('button', { name: 'Use layout 1+5' }).click();
  const tiles = page.getByRole('group', { name: 'Tiles of the page' });
  const empty = tiles.getByRole('button', { name: /^Empty tile/ });
  assert.equal(await empty.count(), 6);
  const streams = page.getByRole('region', { name: 'Streams' });
  await dragOnto(page, streams.getByRole('button', { name: 'Gate 2' }), empty.first());
  await tiles.getByRole('button', { name: 'Gate 2, 16 by 16' }).waitFor();
  await page.getByLabel('Search streams').fill('yar');
  await streams.getByRole('button', { name: 'Dock' }).waitFor({ state: 'detached' });
  await streams.getByRole('button', { name: 'Yard' }).click();
  await tiles.getByRole('button', { name: 'Yard, 8 by 8' }).waitFor();
  await dragOnto(
    page,
    tiles.getByRole('button', { name: 'Yard, 8 by 8' }),
    tiles.getByRole('button', { name: 'Gate 2, 16 by 16' }),
  );
  await tiles.getByRole('button', { name: 'Yard, 16 by 16' }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  const corner = page.locator('[data-filled=true]', { hasText: 'Yard' }).getByTitle('Change the size');
  const grip = await corner.boundingBox();
  assert.ok(grip);
  await page.mouse.move(grip.x + grip.width / 2, grip.y + grip.height / 2);
  await page.mouse.down();
  await page.mouse.move(grip.x + grip.width / 2, grip.y - grip.height * 2, { steps: 5 });
  await page.mouse.up();
  await tiles.getByRole('button', { name: /^Yard, 8 by [1-7]$/ }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await tiles.getByRole('button', { name: 'Yard, 8 by 8' }).waitFor();
  await tiles.getByRole('button', { name: 'Gate 2, 16 by 16' }).waitFor();
  await create.click();
  await page.waitForURL(/\/ui\/mosaic\/\d+$/);
  await until(
    () => page.title(),
    (title) => title === 'Front wall – Vidette',
    patienceMs,
  );
  const { items } = await admin.listMosaics({ query: { searchingValues: ['front'] } });
  assert.deepEqual(
    items[0]?.layout.cells.map(({ stream }) => stream),
    [uidOf('Gate 2'), uidOf('Yard'), null, null, null, null],
  );
  assert.deepEqual(consoleErrors, []);
});

test('[R2.13] [R7.43] [R7.44] a mosaic is changed by keyboard alone and deleted', async () => {
  const id = await makeMosaic('Keys', ['Dock', 'Gate 2']);
  await open(`/mosaic/${id}/edit`);
  const tiles = page.getByRole('group', { name: 'Tiles of the page' });
  await tiles.getByRole('button', { name: 'Dock, 12 by 12' }).focus();
  await page.keyboard.press('ArrowRight');
  await until(
    () => page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
    (label) => label === 'Gate 2, 12 by 12',
  );
  const rules = page.getByText('Arrow keys: go to the next tile');
  await page.keyboard.press('?');
  await rules.waitFor();
  await page.keyboard.press('Escape');
  await rules.waitFor({ state: 'hidden' });
  await page.keyboard.press('Alt+ArrowLeft');
  await page.keyboard.press('Shift+ArrowDown');
  await tiles.getByRole('button', { name: 'Gate 2, 12 by 13' }).waitFor();
  await page.keyboard.press('Control+z');
  await tiles.getByRole('button', { name: 'Gate 2, 12 by 12' }).waitFor();
  await page.getByLabel('All users see this mosaic').check();
  await page.getByLabel('Switch pages every').selectOption('10');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL(new RegExp(`/ui/mosaic/${id}$`));
  const saved = await admin.getMosaic({ params: { id } });
  assert.deepEqual([saved.isShared, saved.rotationSeconds], [true, 10]);
  assert.deepEqual(
    [...saved.layout.cells].sort((a, b) => a.x - b.x).map(({ stream }) => stream),
    [uidOf('Gate 2'), uidOf('Dock')],
  );
  await page.getByRole('link', { name: 'Mosaic settings' }).click();
  await page.getByRole('button', { name: 'Delete the mosaic' }).click();
  await page.getByRole('button', { name: 'Delete Keys' }).click();
  await page.waitForURL('**/ui/mosaics');
  await assert.rejects(admin.getMosaic({ params: { id } }));
  assert.deepEqual(consoleErrors, []);
});

test('[R2.28] [R6.5] [R6.6] another user sees the streams of a shared mosaic that they may watch, without its settings, and is disconnected when a right is revoked', async () => {
  const id = await makeMosaic('Shared', names, true);
  const grant = (streams: readonly string[]) =>
    admin.saveUserPermissions({
      params: { login: anna.name },
      body: { items: streams.map((name) => ({ stream: uidOf(name), view: true })) },
    });
  await grant(['Dock', 'Yard']);
  const hers = await newPage(await signIn(testEnv.server, anna.name, anna.password));
  await open(`/mosaic/${id}`, hers);
  await hers.getByRole('heading', { name: 'Shared' }).waitFor();
  await allPlaying(hers, 2);
  assert.deepEqual(Object.keys(await tileStates(hers)).sort(), ['Dock', 'Yard']);
  assert.equal(await hers.getByRole('link', { name: 'Mosaic settings' }).count(), 0);

  // Held back: the page detects it by the closed video connection, not by a request.
  await hers.route('**/v1/mosaic/*', () => new Promise(() => undefined));
  await grant(['Yard']);
  await until(
    () => tileStates(hers),
    (states) => states['Dock'] === 'failed' && states['Yard'] === 'playing',
    patienceMs,
  );
  await hers
    .getByRole('article', { name: 'Dock' })
    .getByText('You can no longer watch this stream.')
    .waitFor();

  await hers.unroute('**/v1/mosaic/*');
  await open(`/mosaic/${id}/edit`, hers);
  await hers.getByText("You don't have access.").waitFor();
  await hers.context().close();
});

test('[R4.13] an invalid id, and one of no mosaic, lead to “Page not found”', async () => {
  for (const path of ['/mosaic/front-door', '/mosaic/987654', '/mosaic/front-door/edit']) {
    await open(path);
    await page.waitForURL('**/ui/not-found');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  }
});

test('[R2.12] pages are changed manually, automatically, and by the address', async () => {
  const cell = (stream: string, page: number) => ({
    x: 0,
    y: 0,
    width: 1,
    height: 1,
    stream: uidOf(stream),
    page,
  });
  const layout = { columns: 1, rows: 1, cells: [cell('Dock', 0), cell('Gate 2', 1), cell('Roof', 2)] };
  const { id } = await admin.addMosaic({ body: { name: 'Round', layout, rotationSeconds: 1 } });
  const shows = (name: string) =>
    until(
      () => tileStates(page),
      (states) => states[name] === 'playing' && Object.keys(states).length === 1,
      patienceMs,
    );
  await open(`/mosaic/${id}?page=3`);
  // Whichever page is visible, rotation continues automatically.
  await page.getByRole('article', { name: 'Dock' }).waitFor();
  await page.getByRole('article', { name: 'Gate 2' }).waitFor();
  await page.getByRole('button', { name: 'Stay on this page' }).click();
  await page.getByRole('button', { name: 'Switch pages automatically' }).waitFor();
  while (!new URL(page.url()).search.includes('page=2')) {
    const before = page.url();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.waitForURL((url) => url.href !== before);
  }
  await shows('Gate 2');
  await page.getByRole('button', { name: 'Previous page' }).click();
  await shows('Dock');
});
