import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { administratorOf, until } from './api.ts';
import { launchBrowser, openPage } from './browser.ts';
import { shownFrame } from './frame.ts';
import { signIn, startServer, type TestServer } from './server.ts';

// A camera that sends H.265, which this Chromium can't decode, with a clock in its video.

const WAIT_MS = 60_000;
const guard = { name: 'guard', password: 'seven quiet otters 5' };
const cameraFile = fileURLToPath(new URL('../bench/clock-camera.py', import.meta.url));

let camera: ChildProcess;
let server: TestServer;
let client: Client;
let cookie: string;
let browser: Browser;
let uid: string;

before(async () => {
  const started = spawn('/usr/bin/python3', [cameraFile, 'h265'], { stdio: ['ignore', 'pipe', 'inherit'] });
  camera = started;
  const [line] = (await once(createInterface({ input: started.stdout }), 'line')) as [string];
  const { port } = JSON.parse(line) as { port: number };
  server = await startServer();
  ({ client, cookie } = await administratorOf(server));
  const body = { name: 'Dock', streamSource: `rtsp://127.0.0.1:${port}/clock` };
  ({ uid } = await client.addStream({ body }));
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  camera?.kill();
});

const openView = (t: TestContext) => open(t, `/stream/${uid}/view`);

const open = (t: TestContext, path: string, as = cookie) =>
  openPage(t, { browser, url: server.url, cookie: as }, path);

const plays = (page: Page, mode: 'live' | 'archive') =>
  page
    .locator(`[data-player-state=playing][data-player-mode=${mode}]`)
    .waitFor({ state: 'attached', timeout: WAIT_MS });

/** How far the time in the frame is from the time that the player reports, once it is read. */
async function clockError(page: Page): Promise<number> {
  const shown = await until(
    () => shownFrame(page),
    (frame) => frame?.clockMs !== undefined && frame.atMs !== undefined,
    WAIT_MS,
  );
  return (shown?.clockMs ?? Number.NaN) - (shown?.atMs ?? Number.NaN);
}

/**
 * Asserts that the frame is that of its moment, within the delay with which the camera draws it on a busy
 * machine.
 */
const showsItsMoment = (page: Page, lateMs: number) =>
  until(
    () => clockError(page),
    (errorMs) => errorMs > Math.min(0, lateMs) - 2_000 && errorMs < Math.max(0, lateMs) + 2_000,
    WAIT_MS,
  );

test('[R2.8] H.265 plays live and from the archive in a browser without a decoder for it, and the page shows that it is transcoded', async (t) => {
  const page = await openView(t);
  assert.equal(
    await page.evaluate(() => MediaSource.isTypeSupported('video/mp4; codecs="hvc1.1.6.L93.B0"')),
    false,
    'this browser decodes H.265: the test shows nothing',
  );
  await plays(page, 'live');
  await page.getByText('converted from H.265').waitFor({ timeout: WAIT_MS });
  const lateMs = await clockError(page);
  const { ranges } = await until(
    () => {
      const nowMs = Date.now();
      return client.getArchiveRanges({
        params: { uid },
        query: { start_time: nowMs - 600_000, end_time: nowMs },
      });
    },
    (answer) => {
      const first = answer.ranges.find(({ status }) => status === 'fragment');
      return first !== undefined && Date.now() - first.date > 8_000;
    },
    WAIT_MS,
  );
  const startMs = ranges.find(({ status }) => status === 'fragment')?.date ?? 0;
  await page.goto(`${server.url}/ui/stream/${uid}/view?t=${startMs + 2_000}`);
  await plays(page, 'archive');
  await page.getByText('converted from H.265').waitFor({ timeout: WAIT_MS });
  await showsItsMoment(page, lateMs);
  await page.keyboard.press('k');
  await page.locator('[data-player-state=paused]').waitFor({ state: 'attached', timeout: WAIT_MS });
  const paused = await until(
    () => shownFrame(page),
    (frame) => frame?.clockMs !== undefined && frame.atMs !== undefined,
    WAIT_MS,
  );
  // An element paused during playback may show a frame that its time has not reached: the first step goes
  // there.
  await page.keyboard.press('d');
  await page.keyboard.press('d');
  await until(
    () => shownFrame(page),
    (frame) => (frame?.clockMs ?? 0) > (paused?.clockMs ?? 0),
    WAIT_MS,
  );
});

test('one transcoding too many is refused with a text and snapshots, and granted when a viewer leaves', async (t) => {
  await client.saveConfiguration({ body: { values: { conversion: { for: 'everyone', atOnce: 1 } } } });
  const first = await openView(t);
  await plays(first, 'live');
  const second = await openView(t);
  await second.getByText('for the maximum number of viewers').waitFor({ timeout: WAIT_MS });
  await second.getByText('This browser can’t play H.265').waitFor({ timeout: WAIT_MS });
  await second.locator('main img[data-picture=fresh]').waitFor({ timeout: WAIT_MS });
  await first.close();
  const playing = second.locator('[data-player-state=playing]');
  await until(
    async () => {
      const retry = second.getByRole('button', { name: 'Try again' });
      if (await retry.isVisible()) await retry.click();
      return playing.count();
    },
    (count) => count > 0,
    WAIT_MS,
  );
});

test('when disabled, the page shows that, with snapshots', async (t) => {
  await client.saveConfiguration({ body: { values: { conversion: { for: 'nobody', atOnce: 2 } } } });
  const page = await openView(t);
  await page.getByText('off on this server').waitFor({ timeout: WAIT_MS });
  await page.locator('main img[data-picture=fresh]').waitFor({ timeout: WAIT_MS });
});

/** A wall of the camera twice, as two streams, for the administrator and the guard. */
async function makeWall(): Promise<number> {
  const { streamSource } = await client.getStream({ params: { uid } });
  const other = await client.addStream({ body: { name: 'Pier', streamSource } });
  const cells = [uid, other.uid].map((stream, x) => ({ x, y: 0, width: 1, height: 1, stream }));
  const items = [uid, other.uid].map((stream) => ({ stream, view: true, archive: true }));
  await client.addUser({ body: guard });
  await client.saveUserPermissions({ params: { login: guard.name }, body: { items } });
  const layout = { columns: 2, rows: 1, cells };
  return (await client.addMosaic({ body: { name: 'Quay', layout, isShared: true } })).id;
}

/** Waits until so many tiles are transcoded and moving, and so many show single frames. */
const wallTiles = (page: Page, expected: { converted: number; frames: number }) =>
  until(
    () =>
      page.evaluate(() => ({
        converted: document.querySelectorAll('[data-tile-state=playing][data-converted="H.265"]').length,
        frames: document.querySelectorAll('[data-tile-state=unsupported] img[data-picture=fresh]').length,
      })),
    (tiles) => isDeepStrictEqual(tiles, expected),
    WAIT_MS,
  );

test('[R2.8] on a wall as many tiles are transcoded as the server allows, live and from the archive; the others show snapshots and the reason', async (t) => {
  const startMs = Date.now();
  const id = await makeWall();
  await client.saveConfiguration({ body: { values: { conversion: { for: 'everyone', atOnce: 1 } } } });
  const page = await open(t, `/mosaic/${id}`);
  const isBusy = page.getByText('This browser can’t play H.265. The server already converts');
  await wallTiles(page, { converted: 1, frames: 1 });
  await page.getByText('from H.265').waitFor();
  await isBusy.waitFor();
  const lateMs = await clockError(page);

  await page.goto(`${server.url}/ui/mosaic/${id}?t=${startMs}`);
  await page.locator('[data-shared-ms]').waitFor({ timeout: WAIT_MS });
  await wallTiles(page, { converted: 1, frames: 1 });
  await showsItsMoment(page, lateMs);
  await isBusy.waitFor();
});

test('[R4.4] a user who loses the right to transcoding sees snapshots from then on, with the reason', async (t) => {
  // More than two: one is still reserved for the viewer of the archive a moment ago.
  await client.saveConfiguration({ body: { values: { conversion: { for: 'everyone', atOnce: 4 } } } });
  const { items } = await client.listMosaics({ query: { searchingValues: ['quay'] } });
  const as = await signIn(server, guard.name, guard.password);
  const page = await open(t, `/mosaic/${items[0]?.id}`, as);
  await wallTiles(page, { converted: 2, frames: 0 });
  await client.saveUser({ params: { login: guard.name }, body: { canConvert: false } });
  await page.locator('[data-tile-state=unsupported]').nth(1).waitFor({ timeout: WAIT_MS });
  await wallTiles(page, { converted: 0, frames: 2 });
  await page.getByText('Conversion is off on this server or not allowed for you').first().waitFor();
});
