import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { administratorOf, until } from './api.ts';
import { drawn, launchBrowser, newPerson, openPage, signInByCookie } from './browser.ts';
import { readFrame, shownFrame } from './frame.ts';
import { startServer, type TestServer } from './server.ts';

// Real recordings of a source that draws its clock into every frame: the displayed time is read from the
// pixels.

/** Durations of the demo's frames and fragments, ms. */
const FRAME_MS = 40;
const GOP_MS = 1000;
const WAIT_MS = 60_000;

let server: TestServer;
let client: Client;
let cookie: string;
let browser: Browser;
let uid: string;
/** A moment with some seconds recorded before and after it, UTC ms. */
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
      return first !== undefined && Date.now() - first.date > 13_000;
    },
    120_000,
  );
  const startMs = ranges.find(({ status }) => status === 'fragment')?.date ?? 0;
  middleMs = Math.ceil(startMs / GOP_MS) * GOP_MS + 3_000;
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** The stream's view, paused in its archive. */
async function openPaused(t: TestContext): Promise<Page> {
  const page = await openPage(t, { browser, url: server.url, cookie }, `/stream/${uid}/view?t=${middleMs}`);
  await page.locator('[data-player-state=playing][data-player-mode=archive]').waitFor({
    state: 'attached',
    timeout: WAIT_MS,
  });
  await page.keyboard.press('k');
  await page.locator('[data-player-state=paused]').waitFor({ state: 'attached', timeout: WAIT_MS });
  return page;
}

/** Waits until a frame with another time than this is on screen; resolves to its time. */
async function changedFrom(page: Page, clockMs: number): Promise<number> {
  const shown = await until(
    () => shownFrame(page),
    (frame) => frame?.clockMs !== undefined && frame.clockMs !== clockMs,
    WAIT_MS,
  );
  return shown?.clockMs ?? Number.NaN;
}

/**
 * Moves the slider to a moment, as a screen reader does: to the millisecond. Resolves to the time in the frame
 * there.
 */
async function goTo(page: Page, utcMs: number): Promise<number> {
  await page.getByRole('slider', { name: 'Timeline of Gate 2' }).fill(String(utcMs));
  await until(
    () => shownFrame(page),
    (frame) => frame?.clockMs !== undefined && Math.abs((frame.atMs ?? 0) - utcMs) < 0.6,
    WAIT_MS,
  );
  // The element exists shortly before its frame is on the screen.
  await drawn(page);
  const shown = await shownFrame(page);
  return shown?.clockMs ?? Number.NaN;
}

test('[R4.9] the frame shown is the one requested: no frame off, at the beginning, in the middle and at the end of fragments', async (t) => {
  const page = await openPaused(t);
  for (const offsetMs of [1, 39, 500, 999, -1, 3_333]) {
    const requestedMs = middleMs + offsetMs;
    const clockMs = await goTo(page, requestedMs);
    assert.ok(clockMs <= requestedMs, `${clockMs - requestedMs} ms early`);
    // A camera on a busy machine skips frames: the expected one is that whose successor comes after the moment.
    await page.keyboard.press('.');
    const nextMs = await changedFrom(page, clockMs);
    assert.ok(
      nextMs > requestedMs,
      `the frame of ${offsetMs} ms was not ${clockMs}, because ${nextMs} follows`,
    );
  }
});

test('steps move by one frame, across fragment boundaries, and back to the same frames', async (t) => {
  const page = await openPaused(t);
  const seen = [await goTo(page, middleMs + GOP_MS - 2 * FRAME_MS + 1)];
  for (let step = 0; step < 5; step++) {
    const lastMs = seen.at(-1) ?? 0;
    await page.keyboard.press('.');
    const clockMs = await changedFrom(page, lastMs);
    assert.ok(clockMs > lastMs, `${clockMs - lastMs} ms on`);
    seen.push(clockMs);
  }
  for (const wantedMs of seen.toReversed().slice(1)) {
    const lastMs = seen.pop() ?? 0;
    await page.keyboard.press(',');
    assert.equal(await changedFrom(page, lastMs), wantedMs);
  }
  let lastMs = seen[0] ?? 0;
  while (lastMs >= middleMs - 2 * FRAME_MS) {
    await page.keyboard.press(',');
    const clockMs = await changedFrom(page, lastMs);
    assert.ok(clockMs < lastMs, `${clockMs - lastMs} ms back`);
    lastMs = clockMs;
  }
});

test('J plays backwards, faster with each press, and L reverses', async (t) => {
  const page = await openPaused(t);
  let lastMs = await goTo(page, middleMs + 6_001);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  while (lastMs > middleMs + 3_000) {
    const shown = await until(
      () => shownFrame(page),
      (frame) => frame?.clockMs !== undefined && frame.clockMs !== lastMs,
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
  const turnedMs = (await shownFrame(page))?.clockMs ?? lastMs;
  await until(
    () => shownFrame(page),
    (frame) => (frame?.clockMs ?? 0) > turnedMs + 200,
    WAIT_MS,
  );
});

test('a moment under the pointer shows its preview; dragging the playhead shows the key frames on the way, and the exact frame where it is released', async (t) => {
  const page = await openPaused(t);
  const zoomIn = page.getByRole('button', { name: 'Zoom in', exact: true });
  while (await zoomIn.isEnabled()) await zoomIn.click();
  await goTo(page, middleMs + 1);
  const canvas = await page.locator('canvas[data-timeline]').boundingBox();
  assert.ok(canvas);
  const scale = await page.getByRole('slider', { name: 'Timeline of Gate 2' }).evaluate((input) => ({
    fromMs: Number(input.getAttribute('aria-valuemin')),
    toMs: Number(input.getAttribute('aria-valuemax')),
  }));
  const msPerPx = (scale.toMs - scale.fromMs) / canvas.width;
  const pxOf = (ms: number) => Math.round((ms - scale.fromMs) / msPerPx);
  const hoveredMs = scale.fromMs + pxOf(middleMs + 3_500) * msPerPx;
  await page.mouse.move(canvas.x + pxOf(middleMs + 3_500), canvas.y + 40);
  const hovered = await until(
    () => readFrame(page, '[data-timeline-tip] canvas[data-still-ms]'),
    (frame) => Math.abs((frame?.clockMs ?? 0) - hoveredMs) < 1.5 * GOP_MS,
    WAIT_MS,
  );
  assert.ok((hovered?.clockMs ?? Number.NaN) <= hoveredMs, 'the one before the moment');
  await page.mouse.move(canvas.x + pxOf(middleMs), canvas.y + 10);
  await page.mouse.down();
  // A frame between two readings differs from both.
  for (const offsetMs of [2_500, 4_500, 3_500, 5_000]) {
    const px = pxOf(middleMs + offsetMs);
    const requestedMs = scale.fromMs + px * msPerPx;
    await page.mouse.move(canvas.x + px, canvas.y + 10);
    await until(
      () => readFrame(page, 'canvas[data-still-ms]'),
      (frame) => {
        const beforeMs = requestedMs - (frame?.clockMs ?? Number.NaN);
        return beforeMs >= 0 && beforeMs < 1.5 * GOP_MS;
      },
      WAIT_MS,
    );
  }
  const requestedMs = scale.fromMs + pxOf(middleMs + 5_000) * msPerPx;
  await page.mouse.up();
  const shown = await until(
    () => shownFrame(page),
    (frame) => Math.abs((frame?.clockMs ?? 0) - requestedMs) < GOP_MS / 2,
    WAIT_MS,
  );
  assert.ok(shown);
  await page.locator('canvas[data-still-ms]').waitFor({ state: 'detached', timeout: WAIT_MS });
});

test('[R9.5] every speed plays, and bookmarks, zoom and the list of keys are available by keyboard', async (t) => {
  const page = await openPaused(t);
  for (const [turn, speed] of ['0.25', '16'].entries()) {
    const fromMs = middleMs + (turn + 1) * GOP_MS;
    await goTo(page, fromMs);
    await page.getByLabel('Speed').selectOption(speed);
    await page.keyboard.press('k');
    await until(
      () => page.evaluate(() => document.querySelector('video')?.playbackRate),
      (rate) => rate === Number(speed),
      WAIT_MS,
    );
    await until(
      () => shownFrame(page),
      (frame) => (frame?.clockMs ?? 0) > fromMs,
      WAIT_MS,
    );
    await page.keyboard.press('k');
  }
  await page.keyboard.press('z');
  await page.locator('[data-zoomed=true]').first().waitFor({ timeout: WAIT_MS });
  await page.keyboard.press('r');
  await page.locator('[data-zoomed=false]').first().waitFor({ timeout: WAIT_MS });
  await page.keyboard.press('i');
  await page
    .getByText('HTTP ranges, fMP4')
    .or(page.getByText('WebSocket, fMP4'))
    .waitFor({ timeout: WAIT_MS });
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ timeout: WAIT_MS });
  await page.keyboard.press('Escape');
});

/** The times on the badge and in the player, sampled with each painted frame, over this period. */
function momentsShown(page: Page, forMs: number): Promise<{ badge: string[]; utcMs: string[] }> {
  return page.evaluate(
    (lengthMs) =>
      new Promise((done) => {
        const badge = new Set<string>();
        const utcMs = new Set<string>();
        const fromMs = performance.now();
        const look = () => {
          badge.add(document.querySelector('main time')?.textContent ?? '');
          utcMs.add(document.querySelector<HTMLElement>('[data-player-state]')?.dataset['utcMs'] ?? '');
          if (performance.now() - fromMs < lengthMs) requestAnimationFrame(look);
          else done({ badge: [...badge], utcMs: [...utcMs] });
        };
        look();
      }),
    forMs,
  );
}

test('[R4.7] [R4.8] playing faster than the archive grows switches to the live video, at speed 1, from speeds 8 and 16', async (t) => {
  const page = await openPaused(t);
  const speed = page.getByRole('combobox', { name: 'Speed' });
  await page.keyboard.press('k');
  for (const [times, backMs] of [
    [8, 20_000],
    [16, 24_000],
    [8, 9_000],
  ] as const) {
    await page.getByRole('slider', { name: 'Timeline of Gate 2' }).fill(String(Date.now() - backMs));
    await page.locator('[data-player-mode=archive]').waitFor({ state: 'attached', timeout: WAIT_MS });
    await speed.selectOption(String(times));
    await page.locator('[data-player-mode=live][data-player-state=playing]').waitFor({
      state: 'attached',
      timeout: WAIT_MS,
    });
    assert.equal(await speed.inputValue(), '1');
    // What is shown is of now.
    await until(
      async () => Date.now() - ((await shownFrame(page))?.clockMs ?? 0),
      (ageMs) => Math.abs(ageMs) < 5_000,
      WAIT_MS,
    );
  }
});

test('while it buffers the clock stops, and continues with the next frame', async (t) => {
  const person = await newPerson(browser);
  t.after(() => person.close());
  await signInByCookie(person, server.url, cookie);
  const page = await person.newPage();
  let deliver = () => {};
  const held = new Promise<void>((resolve) => (deliver = resolve));
  let batches = 0;
  await page.route('**/archive/segment/**', async (route) => {
    const isInit = route.request().headers()['range']?.startsWith('bytes=0-') ?? false;
    if (!isInit && ++batches > 2) await held;
    await route.continue();
  });
  await page.goto(`${server.url}/ui/stream/${uid}/view?t=${middleMs}`);
  await page.locator('[data-player-state=buffering][data-player-mode=archive]').waitFor({
    state: 'attached',
    timeout: WAIT_MS,
  });
  await page.getByText('Loading…').waitFor({ timeout: WAIT_MS });
  const stood = await momentsShown(page, 1_500);
  assert.equal(stood.badge.length, 1, stood.badge.join());
  assert.equal(stood.utcMs.length, 1, stood.utcMs.join());
  const stoodMs = Number(stood.utcMs[0]);
  assert.ok(stoodMs > middleMs + 500, 'it had been playing');
  deliver();
  const shown = await until(
    () => shownFrame(page),
    (frame) => (frame?.clockMs ?? 0) > stoodMs,
    WAIT_MS,
  );
  assert.ok((shown?.clockMs ?? 0) < stoodMs + 3 * GOP_MS, 'and leaves nothing out');
});

test('video that this browser can’t decode is shown as snapshots, live and in the archive, with the reason as text', async (t) => {
  const person = await newPerson(browser);
  t.after(() => person.close());
  await signInByCookie(person, server.url, cookie);
  const page = await person.newPage();
  await page.addInitScript(() => {
    MediaSource.isTypeSupported = () => false;
  });
  await page.goto(`${server.url}/ui/stream/${uid}/view`);
  await page.getByText('This browser can’t play H.264').waitFor({ timeout: WAIT_MS });
  const still = page.locator('main img[data-picture=fresh]');
  await still.waitFor({ timeout: WAIT_MS });
  const first = await still.getAttribute('src');
  await until(
    () => still.getAttribute('src'),
    (source) => source !== first,
    WAIT_MS,
  );
  const slider = page.getByRole('slider', { name: 'Timeline of Gate 2' });
  await slider.fill(String(middleMs + 1_500));
  const wanted = page.waitForResponse(
    (response) => response.url().includes(`time=${middleMs + 2_500}`) && response.ok(),
    { timeout: WAIT_MS },
  );
  await slider.fill(String(middleMs + 2_500));
  const taken = Number((await wanted).headers()['x-picture-time']);
  assert.ok(Math.abs(taken - middleMs - 2_000) < GOP_MS, `${taken - middleMs} ms`);
  await page.locator('[data-player-mode=archive][data-player-state=unsupported]').waitFor({
    state: 'attached',
    timeout: WAIT_MS,
  });
});
