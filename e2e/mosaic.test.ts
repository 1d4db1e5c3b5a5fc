import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { readDemoClock } from '../server/src/ingest/av/demo-clock.ts';
import { administratorOf, until } from './api.ts';
import { complaintsOf, desktop, launchBrowser, newPerson, signInByCookie } from './browser.ts';
import { signIn, startServer, type TestServer } from './server.ts';

// Mosaics as people use them: made, watched and changed in a browser, against real streams.

const patienceMs = 60_000;
const names = ['Dock', 'Gate 2', 'Roof', 'Yard'] as const;
const anna = { name: 'anna', password: 'seven quiet otters 5' };

let server: TestServer;
let browser: Browser;
let admin: Client;
let cookie: string;
const uids = new Map<string, string>();

before(async () => {
  [server, browser] = await Promise.all([startServer(), launchBrowser()]);
  ({ client: admin, cookie } = await administratorOf(server));
  for (const name of names) {
    const body = { name, streamSource: 'demo:tile?fps=10' };
    uids.set(name, (await admin.addStream({ body })).uid);
  }
  await admin.addUser({ body: anna });
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

async function open(
  t: TestContext,
  path: string,
  as = cookie,
): Promise<{ page: Page; complaints: string[] }> {
  const person = await newPerson(browser, desktop);
  t.after(() => person.close());
  person.setDefaultTimeout(patienceMs);
  await signInByCookie(person, server.url, as);
  const page = await person.newPage();
  const complaints = complaintsOf(page);
  await page.goto(`${server.url}/ui${path}`);
  return { page, complaints };
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

/** What each tile of the page says of itself, by the name of its stream. */
function tileStates(page: Page): Promise<Record<string, string>> {
  return page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll<HTMLElement>('article[data-uid]')].map((tile) => [
        tile.getAttribute('aria-label') ?? '',
        tile.querySelector<HTMLElement>('[data-tile-state]')?.dataset['tileState'] ?? '',
      ]),
    ),
  );
}

function allPlaying(page: Page, count: number) {
  return until(
    () => tileStates(page),
    (states) =>
      Object.keys(states).length === count && Object.values(states).every((state) => state === 'playing'),
    patienceMs,
  );
}

async function dragOnto(page: Page, what: Locator, target: Locator): Promise<void> {
  await what.hover();
  await page.mouse.down();
  const box = await target.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
}

test('[R2.1] [R2.11] [R7.42] a mosaic is made from presets by dragging and clicking, and opens', async (t) => {
  const { page, complaints } = await open(t, '/mosaics');
  await page.getByRole('heading', { name: 'No mosaics yet' }).waitFor();
  await page.getByRole('link', { name: 'Create a mosaic' }).click();
  await page.waitForURL('**/create-mosaic');
  const create = page.getByRole('button', { name: 'Create the mosaic' });
  await create.click();
  await page.getByText('Give the mosaic a name.').waitFor();
  await page.getByLabel('Name').fill('Front wall');
  await page.getByRole('button', { name: 'Divide into 1+5' }).click();
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
  assert.deepEqual(complaints, []);
});

test('[R2.13] [R7.43] [R7.44] a mosaic is changed by keys alone and deleted', async (t) => {
  const id = await makeMosaic('Keys', ['Dock', 'Gate 2']);
  const { page, complaints } = await open(t, `/mosaic/${id}/edit`);
  const tiles = page.getByRole('group', { name: 'Tiles of the page' });
  await tiles.getByRole('button', { name: 'Dock, 12 by 12' }).focus();
  await page.keyboard.press('ArrowRight');
  await until(
    () => page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
    (label) => label === 'Gate 2, 12 by 12',
  );
  await page.keyboard.press('Alt+ArrowLeft');
  await page.keyboard.press('Shift+ArrowDown');
  await tiles.getByRole('button', { name: 'Gate 2, 12 by 13' }).waitFor();
  await page.keyboard.press('Control+z');
  await tiles.getByRole('button', { name: 'Gate 2, 12 by 12' }).waitFor();
  await page.getByLabel('Everybody sees this mosaic').check();
  await page.getByLabel('Turn the pages every').selectOption('10');
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
  assert.deepEqual(complaints, []);
});

test('[R2.12] [R7.41] all tiles show their streams over one socket; one is enlarged; only the pictures remain on a kiosk', async (t) => {
  const id = await makeMosaic('All four', names);
  const { page, complaints } = await open(t, '/mosaics');
  const sockets: string[] = [];
  page.on('websocket', (socket) => sockets.push(new URL(socket.url()).pathname));
  const asked = page.waitForRequest((request) =>
    request.url().includes(`/v1/mosaic/${id}?extend_lease=true`),
  );
  await page.getByRole('link', { name: /^All four/ }).click();
  await asked;
  await allPlaying(page, 4);
  assert.deepEqual(sockets, ['/v1/wall']);
  const widths = await page.evaluate(() =>
    [...document.querySelectorAll('video')].map((one) => one.videoWidth),
  );
  assert.ok(
    widths.every((width) => width > 0),
    String(widths),
  );

  await page.getByRole('button', { name: 'Enlarge Roof' }).focus();
  await page.keyboard.press('Enter');
  const states = await until(
    () => tileStates(page),
    (seen) => seen['Roof'] === 'playing' && Object.values(seen).filter((one) => one === 'idle').length === 3,
    patienceMs,
  );
  assert.equal(Object.keys(states).length, 4);
  await page.keyboard.press('Escape');
  await allPlaying(page, 4);

  await page.getByRole('button', { name: 'Only the pictures' }).click();
  await page.waitForURL(/kiosk=true/);
  await page.getByRole('banner').waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('link', { name: 'Mosaic settings' }).count(), 0);
  const frame = await page.getByRole('group', { name: 'Pictures of All four' }).boundingBox();
  assert.deepEqual(frame, { x: 0, y: 0, width: desktop.width, height: desktop.height });
  await page.keyboard.press('Escape');
  await page.getByRole('banner').waitFor();
  assert.deepEqual(sockets, ['/v1/wall']);
  assert.deepEqual(complaints, []);
});

test('[R2.28] [R6.5] [R6.6] another person sees of a shared mosaic what they may watch, without its settings, and is cut when a right goes', async (t) => {
  const id = await makeMosaic('Shared', names, true);
  const grant = (streams: readonly string[]) =>
    admin.saveUserPermissions({
      params: { login: anna.name },
      body: { items: streams.map((name) => ({ stream: uidOf(name), view: true })) },
    });
  await grant(['Dock', 'Yard']);
  const as = await signIn(server, anna.name, anna.password);
  const { page } = await open(t, `/mosaic/${id}`, as);
  await page.getByRole('heading', { name: 'Shared' }).waitFor();
  await allPlaying(page, 2);
  assert.deepEqual(Object.keys(await tileStates(page)).sort(), ['Dock', 'Yard']);
  assert.equal(await page.getByRole('link', { name: 'Mosaic settings' }).count(), 0);

  // Held back: the page learns of it from the picture that is cut, not from asking.
  await page.route('**/v1/mosaic/*', () => new Promise(() => undefined));
  await grant(['Yard']);
  await until(
    () => tileStates(page),
    (states) => states['Dock'] === 'failed',
    patienceMs,
  );
  await page.getByRole('article', { name: 'Dock' }).getByText("You don't have access.").waitFor();
  assert.equal((await tileStates(page))['Yard'], 'playing');

  const other = await open(t, `/mosaic/${id}/edit`, as);
  await other.page.getByText("You don't have access.").waitFor();
});

test('[R4.13] an id that is none, and one of nothing, lead to page not found', async (t) => {
  for (const path of ['/mosaic/front-door', '/mosaic/987654', '/mosaic/front-door/edit']) {
    const { page } = await open(t, path);
    await page.waitForURL('**/ui/not-found');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  }
});

test('[R2.12] pages are turned by hand, by themselves, and by the address', async (t) => {
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
  const shows = (page: Page, name: string) =>
    until(
      () => tileStates(page),
      (states) => states[name] === 'playing' && Object.keys(states).length === 1,
      patienceMs,
    );
  const { page } = await open(t, `/mosaic/${id}?page=3`);
  // Whichever page is in sight, it goes on by itself.
  await page.getByRole('article', { name: 'Dock' }).waitFor();
  await page.getByRole('article', { name: 'Gate 2' }).waitFor();
  await page.getByRole('button', { name: 'Stay on this page' }).click();
  await page.getByRole('button', { name: 'Turn the pages by themselves' }).waitFor();
  while (!new URL(page.url()).search.includes('page=2')) {
    const before = page.url();
    await page.getByRole('button', { name: 'Next page' }).click();
    await page.waitForURL((url) => url.href !== before);
  }
  await shows(page, 'Gate 2');
  await page.getByRole('button', { name: 'Previous page' }).click();
  await shows(page, 'Dock');
});

/** The shared moment, and what the clocks in the pictures of the tiles that play say; ms. */
function shownMoments(page: Page): Promise<{ sharedMs: number; clocksMs: number[] }> {
  return page.evaluate((readerSource) => {
    const read = new Function(`return (${readerSource})`)() as typeof readDemoClock;
    const tiles = [...document.querySelectorAll('article[data-uid]')].filter((tile) =>
      tile.querySelector('[data-tile-state="playing"], [data-tile-state="paused"]'),
    );
    // All pictures are taken before any is read: reading takes longer than a picture lasts.
    const pictures = tiles.flatMap((tile) => {
      const video = tile.querySelector('video');
      const canvas = document.createElement('canvas');
      const context = canvas.getContext('2d', { willReadFrequently: true });
      if (!video || !context) return [];
      canvas.width = video.videoWidth;
      canvas.height = video.videoHeight;
      context.drawImage(video, 0, 0);
      return [context];
    });
    const shared = document.querySelector<HTMLElement>('[data-shared-ms]')?.dataset['sharedMs'];
    const clocksMs = pictures.map((context) => {
      const { width, height } = context.canvas;
      return read(context.getImageData(0, 0, width, height).data, width, height) ?? Number.NaN;
    });
    return { sharedMs: Number(shared), clocksMs };
  }, readDemoClock.toString());
}

const frameMs = 100;

/** Waits until so many tiles show pictures at most one frame apart. @returns the first of their moments, ms */
async function inStep(page: Page, count: number, isFarFrom = Number.NaN): Promise<number> {
  const { clocksMs } = await until(
    () => shownMoments(page),
    ({ clocksMs: seen }) =>
      seen.length === count &&
      Math.max(...seen) - Math.min(...seen) <= frameMs &&
      !(Math.abs(Math.min(...seen) - isFarFrom) < frameMs),
    patienceMs,
  );
  return Math.min(...clocksMs);
}

test('the archive of all tiles plays by one clock; a gap says so on its tile alone, and a link opens the same moment', async (t) => {
  const id = await makeMosaic('Archive', names);
  await admin.pauseStream({ body: { uid: uidOf('Roof') } });
  const ranges = (name: string) =>
    admin.getArchiveRanges({
      params: { uid: uidOf(name) },
      query: { start_time: Date.now() - 600_000, end_time: Date.now() },
    });
  const pausedMs = Date.now();
  // The others go on; then the one that was paused is recorded again.
  await until(
    () => ranges('Dock'),
    ({ period }) => (period?.endTime ?? 0) > pausedMs + 12_000,
    patienceMs,
  );
  await admin.resumeStream({ body: { uid: uidOf('Roof') } });
  const resumedMs = Date.now();
  await until(
    () => ranges('Roof'),
    ({ period }) => (period?.endTime ?? 0) > resumedMs + 8_000,
    patienceMs,
  );

  const { page, complaints } = await open(t, `/mosaic/${id}`);
  await allPlaying(page, 4);
  await page.getByRole('button', { name: 'Watch the archive of all streams at once' }).click();
  await page.waitForURL(/t=\d+/);
  await page.goto(`${server.url}/ui/mosaic/${id}?t=${pausedMs + 5_000}`);
  await until(
    () => tileStates(page),
    (states) => states['Roof'] === 'gap' && states['Dock'] === 'playing',
    patienceMs,
  );
  await page.getByRole('article', { name: 'Roof' }).getByText('Not recorded: stream paused').waitFor();
  const startedMs = await inStep(page, 3);
  assert.ok(startedMs >= pausedMs + 4_800 && startedMs < resumedMs, `${startedMs - pausedMs} ms after`);

  await page.getByRole('img', { name: 'Recordings, stream by stream' }).waitFor();

  // The clock comes to where it is recorded again, and the fourth joins the others.
  const joinedMs = await inStep(page, 4);
  await inStep(page, 4, joinedMs);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Play' }).waitFor();
  const { sharedMs } = await until(
    () => shownMoments(page),
    ({ sharedMs: moment, clocksMs }) =>
      clocksMs.length === 4 && clocksMs.every((ms) => ms <= moment + 1 && moment - ms <= frameMs + 1),
    patienceMs,
  );
  await until(
    () => Number(new URL(page.url()).searchParams.get('t')),
    (moment) => Math.abs(moment - sharedMs) < 5,
    patienceMs,
  );
  await page.getByRole('button', { name: 'Back to live' }).last().click();
  await page.waitForURL((url) => !url.search.includes('t='));
  await allPlaying(page, 4);
  assert.deepEqual(complaints, []);
});
