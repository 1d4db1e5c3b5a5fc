import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { until } from './api.ts';
import { consoleErrorsOf, desktop, launchBrowser, newPerson } from './browser.ts';
import { assertMoves, shownFrame } from './frame.ts';
import { gstAudio, gstVideo, startGstServer, type GstServer } from './rtsp/gst-server.ts';
import { administrator, startServer, type TestServer } from './server.ts';

/** How long the two streams are recorded before their timelines are tested. */
const recordedMs = 30_000;
/** How far before the live video the timeline is clicked. */
const backMs = 25_000;

let server: TestServer;
let camera: GstServer;
let browser: Browser;
let page: Page;
let consoleErrors: string[];

before(async () => {
  camera = await startGstServer({ mounts: { '/gate': `( ${gstVideo('h264')} ${gstAudio('aac')} )` } });
  // FFmpeg, which makes the snapshot of a probe, has the lowest priority: on a busy machine it is late.
  server = await startServer({ env: { VIDETTE_SOURCE_PROBE_SECONDS: '60' } });
  browser = await launchBrowser();
  page = await (await newPerson(browser, desktop)).newPage();
  consoleErrors = consoleErrorsOf(page);
});

after(async () => {
  await browser?.close();
  await server?.stop();
  await camera?.stop();
});

test('the path of a new user, from the setup to the archive, on one page', async (t) => {
  /** When live frames of both streams were seen. */
  let startedMs = 0;
  /** Addresses of the two streams' views. */
  const views = { camera: '', demo: '' };
  /** Each step depends on the one before: after a failed step no further ones run. */
  const step = async (title: string, run: () => Promise<void>) => {
    let isDone = false;
    await t.test(title, async () => {
      await run();
      isDone = true;
    });
    assert.ok(isDone, `the path ends at: ${title}`);
  };

  await step(
    '[R2.4, R8.13] a new user is sent to the setup and creates the administrator with the printed code',
    async () => {
      await page.goto(server.url);
      await page.waitForURL('**/ui/init');
      await page.getByLabel('Set-up code').fill(server.setupCode);
      await page.getByLabel('Login').fill(administrator.name);
      await page.getByLabel('Password', { exact: true }).fill(administrator.password);
      await page.getByRole('button', { name: 'Create the account' }).click();
      await page.waitForURL('**/ui/streams');
      await page.getByText('No streams yet').waitFor();
    },
  );

  await step('[R16.4] a checklist leads to what recordings need, until it is closed', async () => {
    await page.getByRole('link', { name: 'First steps' }).click();
    const steps = page.getByRole('main').getByRole('listitem');
    const stateOf = async (title: string) => {
      const item = steps.filter({ has: page.getByRole('heading', { name: title }) });
      return { state: await item.getAttribute('data-state'), text: await item.locator('p').textContent() };
    };
    await until(
      () => steps.evaluateAll((all) => all.map((one) => one.getAttribute('data-state'))),
      (states) => states.length === 6 && states.every((state) => state !== null),
    );
    assert.equal((await stateOf('Add cameras')).state, 'open');
    assert.match((await stateOf('Disk space')).text ?? '', /\d.* of \d.* free/);
    assert.equal((await stateOf('Date and time')).state, 'done');
    assert.equal((await stateOf('Be notified')).state, 'open');
    await page.getByRole('button', { name: 'Close the checklist' }).click();
    await page.getByText('No streams yet').waitFor();
    assert.equal(await page.getByRole('link', { name: 'First steps' }).count(), 0);
  });

  await step(
    '[R2.8, R2.10, R7.2, R7.7, R7.8, R10.1] a camera is probed, added and watched live by clicking only',
    async () => {
      await page.getByRole('link', { name: 'Add stream' }).first().click();
      await page.getByLabel('Address of the camera').fill(camera.url('/gate'));
      await page.getByRole('button', { name: 'Test', exact: true }).click();
      await page.getByText('The camera answers').waitFor();
      await page.getByRole('img', { name: 'Snapshot from the camera' }).waitFor();
      await page.getByLabel('Name').fill('Gate');
      await page.getByRole('button', { name: 'Add the stream' }).click();
      await page.waitForURL('**/stream/*/view');
      await assertMoves(page);
      views.camera = page.url();
    },
  );

  await step('[R10.1] the demo stream needs no camera, and its drawn clock agrees with ours', async () => {
    await page.getByRole('link', { name: 'All streams' }).click();
    await page.getByRole('link', { name: 'Add stream' }).first().click();
    await page.getByLabel('Address of the camera').fill('demo:');
    await page.getByLabel('Name').fill('Demo');
    await page.getByRole('button', { name: 'Add the stream' }).click();
    await page.waitForURL('**/stream/*/view');
    await assertMoves(page);
    const first = await readClock(page);
    await until(
      () => readClock(page),
      (clockMs) => clockMs > first + 1_000 && Math.abs(Date.now() - clockMs) < 5_000,
    );
    views.demo = page.url();
    startedMs = Date.now();
  });

  await step(
    '[R4.7, R4.8, R4.9] after half a minute a click on the timeline plays that moment, and the live button returns',
    async () => {
      // Recording needs no viewer.
      await page.goto('about:blank');
      await until(
        () => Date.now() - startedMs,
        (elapsedMs) => elapsedMs > recordedMs,
        recordedMs + 30_000,
      );
      for (const view of [views.camera, views.demo]) {
        await page.goto(view);
        await assertMoves(page, 2);
        await zoomIn(page);
        const { x, y } = await beforePlayhead(page, backMs);
        await page.mouse.click(x, y);
        await page
          .locator('[data-player-mode="archive"][data-player-state="playing"]')
          .waitFor({ state: 'attached' });
        const archiveMs = await until(
          () => utcMs(page),
          (atMs) => atMs < Date.now() - backMs / 2,
        );
        await assertMoves(page);
        if (view === views.demo) {
          const clockMs = await readClock(page);
          const laterMs = await utcMs(page);
          assert.ok(
            clockMs >= archiveMs - 1_000 && clockMs < laterMs + 2_000,
            `${clockMs} for ${archiveMs} to ${laterMs}`,
          );
        }
        await page.getByRole('button', { name: 'Go to live' }).click();
        await page
          .locator('[data-player-mode="live"][data-player-state="playing"]')
          .waitFor({ state: 'attached' });
        await assertMoves(page);
        if (view === views.demo) {
          await until(
            () => readClock(page),
            (clockMs) => Date.now() - clockMs < 3_000,
          );
        }
      }
      assert.deepEqual(consoleErrors, []);
    },
  );
});

/** Zooms in on the timeline as far as possible. */
async function zoomIn(shownPage: Page): Promise<void> {
  const button = shownPage.getByRole('button', { name: 'Zoom in' });
  while (await button.isEnabled()) await button.click();
}

/** The point of the timeline at this time before the playhead, in pixels of the page. */
async function beforePlayhead(shownPage: Page, ms: number): Promise<{ x: number; y: number }> {
  const timeline = shownPage.getByRole('slider', { name: /^Timeline of/ });
  const box = await timeline.boundingBox();
  const [from, to, now] = await timeline.evaluate((element) => {
    const { min, max, valueAsNumber } = element as HTMLInputElement;
    return [Number(min), Number(max), valueAsNumber] as const;
  });
  assert.ok(box && from < now - ms && now < to);
  return { x: box.x + ((now - ms - from) / (to - from)) * box.width, y: box.y + box.height / 2 };
}

async function utcMs(shownPage: Page): Promise<number> {
  return Number(await shownPage.locator('[data-utc-ms]').first().getAttribute('data-utc-ms'));
}

async function readClock(shownPage: Page): Promise<number> {
  const shown = await until(
    () => shownFrame(shownPage),
    (frame) => frame?.clockMs !== undefined,
  );
  return shown?.clockMs ?? Number.NaN;
}
