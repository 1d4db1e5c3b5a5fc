import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { administratorOf, until } from './api.ts';
import { complaintsOf, launchBrowser, newPerson, signInByCookie } from './browser.ts';
import { shownPicture } from './picture.ts';
import { startServer, type TestServer } from './server.ts';

// A camera that sends H.265, which this Chromium can't decode, with a clock in its picture.

const WAIT_MS = 60_000;
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

async function openView(t: TestContext, query = ''): Promise<Page> {
  const person = await newPerson(browser);
  t.after(() => person.close());
  await signInByCookie(person, server.url, cookie);
  const page = await person.newPage();
  const complaints = complaintsOf(page);
  t.after(() => assert.deepEqual(complaints, []));
  await page.goto(`${server.url}/ui/stream/${uid}/view${query}`);
  return page;
}

const plays = (page: Page, mode: 'live' | 'archive') =>
  page
    .locator(`[data-player-state=playing][data-player-mode=${mode}]`)
    .waitFor({ state: 'attached', timeout: WAIT_MS });

/** How far the time in the picture is from the time that the player says, once it is read. */
async function clockError(page: Page): Promise<number> {
  const shown = await until(
    () => shownPicture(page),
    (picture) => picture?.clockMs !== undefined && picture.atMs !== undefined,
    WAIT_MS,
  );
  return Math.abs((shown?.clockMs ?? Number.NaN) - (shown?.atMs ?? Number.NaN));
}

test('[R2.8] H.265 plays live and from the archive where the browser has no decoder for it, and the page says that it is converted', async (t) => {
  const page = await openView(t);
  assert.equal(
    await page.evaluate(() => MediaSource.isTypeSupported('video/mp4; codecs="hvc1.1.6.L93.B0"')),
    false,
    'this browser decodes H.265: the test shows nothing',
  );
  await plays(page, 'live');
  await page.getByText('converted from H.265').waitFor({ timeout: WAIT_MS });
  await until(
    () => clockError(page),
    (ms) => ms < 2_000,
    WAIT_MS,
  );
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
  await until(
    () => clockError(page),
    (ms) => ms < 2_000,
    WAIT_MS,
  );
  await page.keyboard.press('k');
  await page.locator('[data-player-state=paused]').waitFor({ state: 'attached', timeout: WAIT_MS });
  const paused = await until(
    () => shownPicture(page),
    (picture) => picture?.clockMs !== undefined && picture.atMs !== undefined,
    WAIT_MS,
  );
  // An element that was stopped in its course may show a picture that its time has not reached: the first step goes there.
  await page.keyboard.press('d');
  await page.keyboard.press('d');
  await until(
    () => shownPicture(page),
    (picture) => (picture?.clockMs ?? 0) > (paused?.clockMs ?? 0),
    WAIT_MS,
  );
});

test('one conversion too many is refused in words with single pictures, and had when a viewer goes', async (t) => {
  await client.saveConfiguration({ body: { values: { conversion: { for: 'everyone', atOnce: 1 } } } });
  const first = await openView(t);
  await plays(first, 'live');
  const second = await openView(t);
  await second.getByText('for as many viewers as it may').waitFor({ timeout: WAIT_MS });
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

test('switched off, it says so and shows single pictures', async (t) => {
  await client.saveConfiguration({ body: { values: { conversion: { for: 'nobody', atOnce: 2 } } } });
  const page = await openView(t);
  await page.getByText('switched off on this server').waitFor({ timeout: WAIT_MS });
  await page.locator('main img[data-picture=fresh]').waitFor({ timeout: WAIT_MS });
});
