import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { administratorOf, until } from './api.ts';
import { complaintsOf, launchBrowser, newPerson, signInByCookie } from './browser.ts';
import { readPicture, shownPicture } from './picture.ts';
import { startServer, type TestServer } from './server.ts';

// Real recordings of a source that draws its clock into every picture: what is shown is read from the pixels.

/** The demo's pictures and fragments, ms. */
const PICTURE_MS = 40;
const GOP_MS = 1000;
const WAIT_MS = 60_000;

let server: TestServer;
let client: Client;
let cookie: string;
let browser: Browser;
let uid: string;
/** A moment before which some seconds and after which some more are recorded, UTC ms. */
let middleMs: number;

before(async () => {
  server = await startServer();
  ({ client, cookie } = await administratorOf(server));
  ({ uid } = await client.addStream({ body: { name: 'Gate 2', streamSource: 'demo:' } }));
  browser = await launchBrowser();
  const { ranges } = await until(
    () => {
      const nowMs = Date.now();
      const query = { start_time: nowMs - 3_600_000, end_time: nowMs };
      return client.getArchiveRanges({ params: { uid }, query });
    },
    (answer) => {
      const first = answer.ranges.find(({ status }) => status === 'fragment');
      return first !== undefined && Date.now() - first.date > 25_000;
    },
    120_000,
  );
  const startMs = ranges.find(({ status }) => status === 'fragment')?.date ?? 0;
  middleMs = Math.ceil(startMs / GOP_MS) * GOP_MS + 8_000;
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** The stream's view, paused in its archive. */
async function openPaused(t: TestContext): Promise<Page> {
  const person = await newPerson(browser);
  t.after(() => person.close());
  await signInByCookie(person, server.url, cookie);
  const page = await person.newPage();
  const complaints = complaintsOf(page);
  t.after(() => assert.deepEqual(complaints, []));
  await page.goto(`${server.url}/ui/stream/${uid}/view?t=${middleMs}`);
  await page.locator('[data-player-state=playing][data-player-mode=archive]').waitFor({
    state: 'attached',
    timeout: WAIT_MS,
  });
  await page.keyboard.press('k');
  await page.locator('[data-player-state=paused]').waitFor({ state: 'attached', timeout: WAIT_MS });
  return page;
}

/** Waits until the picture with this time in it is on the screen. */
function shows(page: Page, clockMs: number) {
  return until(
    () => shownPicture(page),
    (picture) => picture?.clockMs === clockMs,
    WAIT_MS,
  );
}

/** Sends the slider to a moment, as a screen reader does: to the millisecond. */
async function goTo(page: Page, utcMs: number): Promise<void> {
  await page.getByRole('slider', { name: 'Timeline of Gate 2' }).fill(String(utcMs));
}

test('[R4.9] the picture shown is the one asked for: no picture off, at the beginning, in the middle and at the end of fragments', async (t) => {
  const page = await openPaused(t);
  for (const offsetMs of [1, 20, 39, 500, 979, 999, -1, -960, 3_333]) {
    const wishedMs = middleMs + offsetMs;
    await goTo(page, wishedMs);
    await shows(page, Math.floor(wishedMs / PICTURE_MS) * PICTURE_MS);
  }
});

test('steps go by one picture, over the beginnings of fragments, and back to the same picture', async (t) => {
  const page = await openPaused(t);
  await goTo(page, middleMs + GOP_MS - 2 * PICTURE_MS + 1);
  const fromMs = middleMs + GOP_MS - 2 * PICTURE_MS;
  await shows(page, fromMs);
  for (let step = 1; step <= 4; step++) {
    await page.keyboard.press('d');
    await shows(page, fromMs + step * PICTURE_MS);
  }
  for (let step = 3; step >= -26; step--) {
    await page.keyboard.press('a');
    await shows(page, fromMs + step * PICTURE_MS);
  }
});

test('J plays backwards, faster with each press, and L turns round', async (t) => {
  const page = await openPaused(t);
  await goTo(page, middleMs + 6_001);
  await shows(page, middleMs + 6_000);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  let lastMs = middleMs + 6_000;
  while (lastMs > middleMs + 3_000) {
    const shown = await until(
      () => shownPicture(page),
      (picture) => picture?.clockMs !== undefined && picture.clockMs !== lastMs,
      WAIT_MS,
    );
    const clockMs = shown?.clockMs ?? Number.NaN;
    assert.ok(clockMs < lastMs, `${clockMs - lastMs} ms on`);
    lastMs = clockMs;
  }
  await page.keyboard.press('k');
  await page.locator('[data-player-state=paused]').waitFor({ state: 'attached', timeout: WAIT_MS });
  await page.keyboard.press('l');
  await page.locator('[data-player-state=playing]').waitFor({ state: 'attached', timeout: WAIT_MS });
  const turnedMs = (await shownPicture(page))?.clockMs ?? lastMs;
  await until(
    () => shownPicture(page),
    (picture) => (picture?.clockMs ?? 0) > turnedMs + 200,
    WAIT_MS,
  );
});

test('leading the playhead shows the key pictures on the way, and where it is let go the exact one', async (t) => {
  const page = await openPaused(t);
  const zoomIn = page.getByRole('button', { name: 'Zoom in', exact: true });
  while (await zoomIn.isEnabled()) await zoomIn.click();
  await goTo(page, middleMs + 1);
  await shows(page, middleMs);
  const canvas = await page.locator('canvas[data-dragging]').boundingBox();
  assert.ok(canvas);
  const scale = await page.getByRole('slider', { name: 'Timeline of Gate 2' }).evaluate((input) => ({
    fromMs: Number(input.getAttribute('aria-valuemin')),
    toMs: Number(input.getAttribute('aria-valuemax')),
  }));
  const msPerPx = (scale.toMs - scale.fromMs) / canvas.width;
  const pxOf = (ms: number) => Math.round((ms - scale.fromMs) / msPerPx);
  await page.mouse.move(canvas.x + pxOf(middleMs), canvas.y + 10);
  await page.mouse.down();
  for (const offsetMs of [2_000, 5_000]) {
    const px = pxOf(middleMs + offsetMs);
    const wishedMs = scale.fromMs + px * msPerPx;
    await page.mouse.move(canvas.x + px, canvas.y + 10);
    const still = await until(
      () => readPicture(page, 'canvas[data-still-ms]'),
      (picture) => Math.abs((picture?.clockMs ?? 0) - wishedMs) < GOP_MS,
      WAIT_MS,
    );
    const clockMs = still?.clockMs ?? Number.NaN;
    assert.equal(clockMs % GOP_MS, 0, 'a key picture');
    assert.ok(clockMs <= wishedMs, 'the one before the moment');
  }
  const wishedMs = scale.fromMs + pxOf(middleMs + 5_000) * msPerPx;
  await page.mouse.up();
  const shown = await until(
    () => shownPicture(page),
    (picture) => Math.abs((picture?.clockMs ?? 0) - wishedMs) < 2 * PICTURE_MS,
    WAIT_MS,
  );
  assert.ok(shown);
  await page.locator('canvas[data-still-ms]').waitFor({ state: 'detached', timeout: WAIT_MS });
});

test('[R9.5] every speed plays, and a bookmark, a zoomed picture and the list of keys are there by keyboard', async (t) => {
  const page = await openPaused(t);
  for (const speed of ['0.25', '16']) {
    await goTo(page, middleMs);
    await page.getByLabel('Speed').selectOption(speed);
    await page.keyboard.press('k');
    await until(
      () => page.evaluate(() => document.querySelector('video')?.playbackRate),
      (rate) => rate === Number(speed),
      WAIT_MS,
    );
    await until(
      () => shownPicture(page),
      (picture) => (picture?.clockMs ?? 0) > middleMs,
      WAIT_MS,
    );
    await page.keyboard.press('k');
  }
  await page.keyboard.press('z');
  await page.locator('[data-zoomed=true]').waitFor({ timeout: WAIT_MS });
  await page.keyboard.press('0');
  await page.locator('[data-zoomed=false]').waitFor({ timeout: WAIT_MS });
  await page.keyboard.press('i');
  await page
    .getByText('HTTP ranges, fMP4')
    .or(page.getByText('WebSocket, fMP4'))
    .waitFor({ timeout: WAIT_MS });
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ timeout: WAIT_MS });
  await page.keyboard.press('Escape');
});
