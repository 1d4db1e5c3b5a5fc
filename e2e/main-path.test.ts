import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { until } from './api.ts';
import { consoleErrorsOf, desktop, launchBrowser, newPerson } from './browser.ts';
import { assertMoves, shownFrame } from './frame.ts';
import { gstAudio, gstVideo, startGstServer, type GstServer } from './rtsp/gst-server.ts';
import { administrator, startServer, type TestServer } from './server.ts';

/** How long the two streams are recorded before their timelines are tested. */
const recordedMs = 120_000;

let server: TestServer;
let camera: GstServer;
let browser: Browser;
let page: Page;
let consoleErrors: string[];

before(async () => {
  camera = await startGstServer({ mounts: { '/gate': `( ${gstVideo('h264')} ${gstAudio('aac')} )` } });
  server = await startServer();
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
      await page.getByRole('button', { name: 'Check the address' }).click();
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
    const later = await until(
      () => readClock(page),
      (clockMs) => clockMs > first + 1_000,
    );
    assert.ok(Math.abs(Date.now() - later) < 5_000, `the frame is ${Date.now() - later} ms old`);
    views.demo = page.url();
    startedMs = Date.now();
  });

  await step(
    '[R4.7, R4.8, R4.9] after two minutes a click on the timeline plays that moment, and the live button returns',
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
        // The initial range ends some minutes in the future; a quarter of it before the playhead is recorded.
        const timeline = page.getByRole('slider', { name: /^Timeline of/ });
        const box = await timeline.boundingBox();
        assert.ok(box);
        const liveX = await playheadX(page);
        await page.mouse.click(liveX - box.width / 6, box.y + box.height / 2);
        await page
          .locator('[data-player-mode="archive"][data-player-state="playing"]')
          .waitFor({ state: 'attached' });
        const archiveMs = await until(
          () => utcMs(page),
          (atMs) => atMs < Date.now() - 20_000,
        );
        await assertMoves(page);
        if (view === views.demo) {
          const clockMs = await readClock(page);
          assert.ok(
            clockMs >= archiveMs - 1_000 && clockMs < archiveMs + 30_000,
            `${clockMs} for ${archiveMs}`,
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

/** The position of the playhead, in pixels of the page. */
async function playheadX(shownPage: Page): Promise<number> {
  const timeline = shownPage.getByRole('slider', { name: /^Timeline of/ });
  const box = await timeline.boundingBox();
  const [from, to, now] = await timeline.evaluate((element) => {
    const { min, max, valueAsNumber } = element as HTMLInputElement;
    return [Number(min), Number(max), valueAsNumber] as const;
  });
  assert.ok(box && to > from);
  return box.x + ((now - from) / (to - from)) * box.width;
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
