import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test, type TestContext } from 'node:test';
import type * as Axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { administratorOf, until } from './api.ts';
import { desktop, launchBrowser, newPerson, type Look } from './browser.ts';
import { recordedFor } from './footage.ts';
import { assertMoves, playerState, shownFrame } from './frame.ts';
import { startServer, type TestServer } from './server.ts';

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

let server: TestServer;
let client: Client;
let cookie: string;
let browser: Browser;
let uid: string;

before(async () => {
  server = await startServer();
  ({ client, cookie } = await administratorOf(server));
  ({ uid } = await client.addStream({ body: { name: 'Gate 2', streamSource: 'demo:' } }));
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Opens the stream's view, signed in. */
async function open(t: TestContext, search = '', look: Look = desktop): Promise<Page> {
  const person = await newPerson(browser, look);
  t.after(() => person.close());
  const [name = '', value = ''] = cookie.split('=');
  await person.addCookies([{ name, value, url: server.url }]);
  const page = await person.newPage();
  await page.goto(`${server.url}/ui/stream/${uid}/view${search}`);
  return page;
}

/** Adds another camera, so that the player has a strip of them. */
async function besideYard(t: TestContext): Promise<void> {
  const { uid: other } = await client.addStream({
    body: { name: 'Yard', streamSource: 'demo:', live: { onDemand: true }, archive: { isEnable: false } },
  });
  t.after(() => client.deleteStream({ params: { uid: other } }));
}

function playing(page: Page, mode: 'live' | 'archive') {
  return until(
    () => playerState(page),
    (mark) => mark.mode === mode && mark.state === 'playing' && mark.utcMs > 0,
  );
}

/** UTC ms from the clock that is drawn into the frame. */
async function drawnMs(page: Page): Promise<number> {
  const shown = await until(
    () => shownFrame(page),
    (frame) => frame?.clockMs !== undefined,
  );
  return shown?.clockMs ?? Number.NaN;
}

/** Waits until this much of a stream is recorded in one piece; resolves to its beginning. */
async function recordingOf(ms: number, of = uid): Promise<number> {
  const pieces = await recordedFor(client, of, ms);
  const piece = pieces.find(({ startMs, endMs }) => endMs - startMs >= ms);
  assert.ok(piece);
  return piece.startMs;
}

// Tests that need no recording come first, and those that need most of it last: no test waits for the archive
// to grow.

test('[R2.8] [R4.7] the live video moves, shows the present, and the page is named after the stream', async (t) => {
  const page = await open(t);
  await playing(page, 'live');
  await assertMoves(page);
  await until(
    async () => Date.now() - (await drawnMs(page)),
    (behindMs) => behindMs < 3000,
  );
  assert.equal(await page.title(), 'Gate 2 – Vidette');
});

/** The video has at least three quarters of the window's width, and the timeline is in view. */
async function assertFits(page: Page): Promise<void> {
  const { widthPx, timelineBottomPx } = await page.evaluate(() => {
    const video = document.querySelector('main video')?.getBoundingClientRect();
    const timeline = document.querySelector('canvas[data-timeline]')?.getBoundingClientRect();
    const { width = 0, height = 0 } = video ?? {};
    return {
      widthPx: Math.min(width, (height * 16) / 9),
      timelineBottomPx: timeline?.bottom ?? Number.NaN,
    };
  });
  assert.ok(widthPx >= 0.75 * desktop.width, `${widthPx} px wide`);
  assert.ok(timelineBottomPx <= desktop.height, `the timeline ends at ${timelineBottomPx} px`);
}

test('[R2.8] the video has at least three quarters of a 1440x900 window’s width, and the timeline is in view', async (t) => {
  const page = await open(t);
  await playing(page, 'live');
  await page.getByRole('slider', { name: 'Timeline of Gate 2' }).waitFor();
  await assertFits(page);
  assert.ok(await page.getByRole('heading', { name: 'Gate 2' }).isVisible());
});

test('[R2.8] so it has beside the side bar and the other cameras, which a new user sees, and the steps are among the controls', async (t) => {
  await besideYard(t);
  t.after(() => client.saveProfile({ body: { language: 'en' } }));
  for (const [language, steps] of [
    ['en', ['−1 h', '−1 min', '+1 min', '+1 h']],
    ['ru', ['−1 ч', '−1 мин', '+1 мин', '+1 ч']],
  ] as const) {
    await client.saveProfile({ body: { language } });
    const page = await open(t, '', { ...desktop, hasSideBar: true });
    await playing(page, 'live');
    await page.locator('[data-camera-strip]').waitFor();
    await page.locator('nav#side-bar').waitFor();
    await assertFits(page);
    for (const step of steps) await page.getByText(step, { exact: true }).waitFor();
  }
});

test('[R2.8] in both languages the controls are one row, with or without the side bar, the other cameras and a range to save', async (t) => {
  await besideYard(t);
  t.after(() => client.saveProfile({ body: { language: 'en' } }));
  const rows = new Set<string>();
  for (const language of ['en', 'ru'] as const) {
    await client.saveProfile({ body: { language } });
    const page = await open(t);
    const controls = page.getByRole('group', { name: /^(Playback|Воспроизведение)$/ });
    await page.getByRole('group', { name: /^(Archive navigation|Навигация по архиву)$/ }).waitFor();
    const cameras = page.getByRole('button', { name: /^(Cameras|Камеры)$/ });
    const sideBar = page.getByRole('button', { name: /^(Side bar|Боковая панель)$/ });
    const save = page.getByRole('button', { name: /^(Save footage|Сохранить запись)$/ });
    for (const [what, toggle] of Object.entries({
      'no cameras': cameras,
      'no cameras, side bar': sideBar,
      'side bar': cameras,
      'nothing else': sideBar,
      'a range': save,
      'a range, side bar': sideBar,
    })) {
      await page.setViewportSize({ width: 1920, height: 900 });
      await toggle.click();
      if (toggle === save) await page.locator('[data-save-side]').waitFor();
      for (let width = 1120; width <= 1920; width += 40) {
        await page.setViewportSize({ width, height: 900 });
        const box = await controls.boundingBox();
        if (!box || box.height > 40) rows.add(`${language}, ${what}, ${width}: ${box?.height}`);
      }
    }
  }
  assert.deepEqual([...rows], []);
});

test('[R2.8] the video: audio, aspect ratio, zoom and pan, a saved frame, full screen, picture in picture', async (t) => {
  const page = await open(t);
  await playing(page, 'live');
  const video = page.locator('main video').first();
  const isMuted = () => video.evaluate((element: HTMLVideoElement) => element.muted);
  assert.equal(await isMuted(), true);
  await page.keyboard.press('m');
  await until(isMuted, (muted) => !muted);

  await page.getByRole('button', { name: 'View', exact: true }).click();
  await page.getByRole('menuitemradio', { name: 'Stretch' }).click();
  await until(
    () => video.evaluate((element) => getComputedStyle(element).objectFit),
    (fit) => fit === 'fill',
  );

  await page.keyboard.press('z');
  const box = page.locator('[data-zoomed=true]').first();
  await box.waitFor();
  const place = () => video.evaluate((element) => element.getBoundingClientRect().left);
  const before = await place();
  const frame = await box.boundingBox();
  assert.ok(frame);
  await page.mouse.move(frame.x + frame.width / 2, frame.y + frame.height / 2);
  await page.mouse.down();
  await page.mouse.move(frame.x + frame.width / 2 + 60, frame.y + frame.height / 2, { steps: 4 });
  await page.mouse.up();
  await until(place, (left) => left > before + 20);
  await page.keyboard.press('r');
  await page.locator('[data-zoomed=false]').first().waitFor();
  await page.getByRole('button', { name: 'Enlarge' }).click();
  await page.getByRole('button', { name: 'Reset zoom' }).click();
  await until(
    () => page.locator('[data-zoomed=true]').count(),
    (count) => count === 0,
  );

  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save a snapshot' }).click();
  assert.match((await saved).suggestedFilename(), /^Gate 2 \d{4}-\d{2}-\d{2}T.*\.png$/);

  await page.keyboard.press('f');
  await until(
    () => page.evaluate(() => document.fullscreenElement !== null),
    (isFull) => isFull,
  );
  await page.keyboard.press('f');
  await until(
    () => page.evaluate(() => document.fullscreenElement === null),
    (isOut) => isOut,
  );

  // A browser without support has no button for it.
  const floats = page.getByRole('button', { name: 'Picture in picture' });
  const canFloat = await page.evaluate(() => document.pictureInPictureEnabled);
  assert.equal(await floats.count(), canFloat ? 1 : 0);
  if (!canFloat) return;
  await floats.click();
  await until(
    () => page.evaluate(() => document.pictureInPictureElement?.tagName),
    (name) => name === 'VIDEO',
  );
});

test('[R4.12] a stream that the user may not view shows that, and is not requested again', async (t) => {
  const page = await open(t);
  await playing(page, 'live');
  let asked = 0;
  await page.route(`**/v1/stream/${uid}?*`, (route) => {
    asked += 1;
    return route.fulfill({
      status: 403,
      contentType: 'application/json',
      body: JSON.stringify({ code: 'Forbidden', error: "You don't have access." }),
    });
  });
  // The page asks again when it is told that a stream was saved, or rights on it have changed.
  await client.saveStream({ params: { uid }, body: {} });
  await page.getByRole('heading', { name: "You don't have access." }).waitFor();
  const refused = asked;
  const polled = page.waitForRequest(`**/v1/stream/${uid}?*`, { timeout: 3000 });
  await assert.rejects(polled, /Timeout/);
  assert.equal(asked, refused);
  assert.equal(await page.locator('video').count(), 0);
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const [width, language] of [
    [360, 'ru'],
    [1280, 'en'],
  ] as const) {
    test(`[R1.6] [R1.7] axe finds nothing serious and nothing is cut off: ${colorScheme}, ${width} px, ${language}`, async (t) => {
      await client.saveProfile({ body: { language } });
      t.after(() => client.saveProfile({ body: { language: 'en' } }));
      const page = await open(t, '', { width, height: 800, colorScheme, language });
      await playing(page, 'live');
      await page.evaluate(await readFile(axeFile, 'utf8'));
      const serious = await page.evaluate(async () => {
        const { axe } = window as unknown as { axe: typeof Axe };
        const { violations } = await axe.run('main');
        return violations
          .filter(({ impact }) => impact === 'serious' || impact === 'critical')
          .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
      });
      assert.deepEqual(serious, []);
      const tooWidePx = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(tooWidePx <= 0, `${tooWidePx} px too wide`);
    });
  }
}

test('digits and Up and Down change the camera and keep the moment, live or recorded', async (t) => {
  const { uid: other } = await client.addStream({ body: { name: 'Yard', streamSource: 'demo:' } });
  t.after(() => client.deleteStream({ params: { uid: other } }));
  const page = await open(t);
  await playing(page, 'live');
  const strip = page.getByRole('navigation', { name: 'Cameras' });
  await strip.getByRole('link', { name: 'Yard' }).waitFor();
  await page.keyboard.press('2');
  await page.waitForURL(`**/stream/${other}/view`);
  await page.getByRole('heading', { name: 'Yard' }).waitFor();
  await playing(page, 'live');
  await page.keyboard.press('ArrowUp');
  await page.waitForURL(`**/stream/${uid}/view`);
  // Where Yard has no recording, it plays from its next one, which would soon be live.
  const startMs = await recordingOf(8_000, other);
  await page.goto(`${server.url}/ui/stream/${uid}/view?t=${startMs + 1000}`);
  const { utcMs } = await playing(page, 'archive');
  await strip.getByRole('link', { name: 'Yard' }).click();
  await page.waitForURL(`**/stream/${other}/view?t=*`);
  const moment = Number(new URL(page.url()).searchParams.get('t'));
  assert.ok(moment >= utcMs && moment < Date.now() - 5000, `${moment - utcMs} ms later`);
  // Without the strip the keys work as well.
  await page.getByRole('button', { name: 'Cameras' }).click();
  await strip.waitFor({ state: 'detached' });
  await page.keyboard.press('1');
  await page.waitForURL(`**/stream/${uid}/view?t=*`);
});

test('a link with a time opens the archive at that time', async (t) => {
  const startMs = await recordingOf(20_000);
  const page = await open(t, `?t=${startMs + 5000}`);
  const { utcMs } = await playing(page, 'archive');
  const shownMs = await drawnMs(page);
  assert.ok(utcMs >= startMs + 4900 && utcMs < startMs + 15_000, `${utcMs - startMs} ms after the start`);
  // A busy machine draws the clock before the frame gets its time; the key frame before is at 4 s.
  assert.ok(
    shownMs > startMs + 4100 && shownMs < startMs + 15_000,
    `${shownMs - startMs} ms after the start`,
  );
});

test('[R4.8] [R4.7] [R9.5] a step back plays the archive there, at the requested speed, and live returns at speed 1', async (t) => {
  await recordingOf(25_000);
  const page = await open(t);
  const live = await playing(page, 'live');
  const back = page.getByRole('button', { name: '10 seconds back' });
  await back.click();
  await back.click();
  const archive = await playing(page, 'archive');
  assert.ok(archive.utcMs < live.utcMs - 5000, `${live.utcMs - archive.utcMs} ms back`);
  await assertMoves(page);
  await page.getByLabel('Speed').selectOption('0.5');
  assert.equal(await page.evaluate(() => document.querySelector('video')?.playbackRate), 0.5);
  await page.getByRole('button', { name: 'Go to live' }).click();
  await playing(page, 'live');
  assert.equal(await page.getByLabel('Speed').inputValue(), '1');
  await until(
    async () => Date.now() - (await drawnMs(page)),
    (behindMs) => behindMs < 3000,
  );
});

test('[R4.9] a click on the timeline shows that moment, not the key frame before it', async (t) => {
  await assertClickShowsMoment(t, desktop);
});

test('[R4.9] on a screen that hangs on a wall, the timeline is as much larger as the text, and a click on it is as exact', async (t) => {
  const heightPx = await assertClickShowsMoment(t, { ...desktop, width: 3840, height: 2160 });
  assert.equal(heightPx, 1.5 * 84);
});

/** @returns the height of the timeline */
async function assertClickShowsMoment(t: TestContext, look: Look): Promise<number> {
  const startMs = await recordingOf(25_000);
  const page = await open(t, '', look);
  await playing(page, 'live');
  const zoomIn = page.getByRole('button', { name: 'Zoom in' });
  while (await zoomIn.isEnabled()) await zoomIn.click();
  const box = await page.locator('canvas[data-timeline]').boundingBox();
  assert.ok(box);
  // Paused, so that the frame shown stays the requested one.
  await page.getByRole('button', { name: '10 seconds back' }).click();
  await playing(page, 'archive');
  await page.getByRole('button', { name: 'Pause' }).click();
  const scale = await page.getByRole('slider', { name: 'Timeline of Gate 2' }).evaluate((input) => ({
    fromMs: Number(input.getAttribute('aria-valuemin')),
    toMs: Number(input.getAttribute('aria-valuemax')),
  }));
  const msPerPx = (scale.toMs - scale.fromMs) / box.width;
  const px = Math.round((startMs + 13_345 - scale.fromMs) / msPerPx);
  const wantedMs = scale.fromMs + px * msPerPx;
  await page.mouse.click(box.x + px, box.y + box.height / 2);
  await until(
    () => drawnMs(page),
    (ms) => Math.abs(ms - wantedMs) < 2 * msPerPx + 100,
  );
  return box.height;
}

test('[R1.7] by keyboard alone: pause, play, back, live; and the slider announces its position', async (t) => {
  await recordingOf(25_000);
  const page = await open(t);
  await playing(page, 'live');
  await page.keyboard.press('k');
  await page.locator('[data-player-state=paused]').waitFor({ state: 'attached' });
  await page.keyboard.press('k');
  await playing(page, 'live');
  const slider = page.getByRole('slider', { name: 'Timeline of Gate 2' });
  await slider.focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await playing(page, 'archive');
  await until(
    () => slider.getAttribute('aria-valuetext'),
    (text) => /recorded from .* to/.test(text ?? ''),
  );
  await page.keyboard.press('End');
  await playing(page, 'live');
});

test('[R4.8] the time before a camera’s first recording is not a gap: it is marked as such, and not counted', async (t) => {
  await recordingOf(2_000);
  const page = await open(t);
  await playing(page, 'live');
  const box = await page.locator('canvas[data-timeline]').boundingBox();
  assert.ok(box);
  const tip = page.getByText('recording had not started');
  await until(
    async () => {
      await page.mouse.move(box.x + box.width / 4, box.y + 40);
      await page.mouse.move(box.x + box.width / 4 + 2, box.y + 40);
      return tip.count();
    },
    (count) => count === 1,
  );
  await page.getByRole('button', { name: 'Gaps', exact: true }).click();
  const none = page.getByText('Everything in view is recorded');
  const listed = page.getByRole('list', { name: 'Gaps in view' });
  await none.or(listed).waitFor();
  // The wait for the first frame may be a gap, the hours before are not.
  if (await listed.isVisible()) assert.doesNotMatch((await listed.textContent()) ?? '', /\d\sh\b/);
});

test('[R9.1] a paused stream shows a message within moments, and the button there resumes it', async (t) => {
  const page = await open(t);
  await playing(page, 'live');
  await client.pauseStream({ body: { uid } });
  const resume = page.getByRole('button', { name: 'Resume the stream' });
  await resume.waitFor();
  await resume.click();
  await playing(page, 'live');
  await assertMoves(page);
});
