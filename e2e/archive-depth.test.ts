import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { administratorOf, until } from './api.ts';
import { Zone } from '../ui/src/timeline/zone.ts';
import { desktop, overflowOf } from './browser.ts';
import type { Fragment } from './footage.ts';
import { playerState } from './frame.ts';
import { recordPast } from './past-footage.ts';
import { startServer } from './server.ts';
import { button, TestEnv } from './test-env.ts';

// An archive of twelve days with some seconds on some of them, whose camera is being recorded again.

const DAY_MS = 86_400_000;
const WAIT_MS = 60_000;
const LENGTH_MS = 20_000;
const METRICS_TOKEN = 'a-token-of-the-monitoring';
/** Today's noon in UTC, which is the time of the browser's clock. */
const noonMs = Math.floor(Date.now() / DAY_MS) * DAY_MS + DAY_MS / 2;
const daysBack = [12, 9, 5] as const;
const past: readonly Fragment[] = daysBack.map((days) => ({
  startMs: noonMs - days * DAY_MS,
  endMs: noonMs - days * DAY_MS + LENGTH_MS,
}));

let testEnv: TestEnv;
let uid: string;
let dataDir: string;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'vidette-depth-'));
  const env = { VIDETTE_METRICS_TOKEN: METRICS_TOKEN };
  const server = await startServer({ dataDir, env });
  const { client, cookie } = await administratorOf(server);
  ({ uid } = await client.addStream({
    body: { name: 'Gate 2', streamSource: 'demo:?fps=5', archive: { isEnable: true, depthHours: -1 } },
  }));
  await server.stop();
  await recordPast(dataDir, uid, past);
  testEnv = await TestEnv.over(await startServer({ dataDir, env }), cookie);
});

after(async () => {
  await testEnv?.close();
  await rm(dataDir, { recursive: true, force: true });
});

const overviewOf = (page: Page) => page.getByRole('slider', { name: 'The whole archive of Gate 2' });
const timelineOf = (page: Page) => page.getByRole('slider', { name: 'Timeline of Gate 2' });

/** Opens the stream's view and waits until its days are loaded. */
function open(body: (page: Page) => Promise<void>, look = desktop): Promise<void> {
  return testEnv.open(
    `/stream/${uid}/view`,
    async (page) => {
      await page.locator('[data-overview=known]').waitFor({ timeout: WAIT_MS });
      await body(page);
    },
    look,
  );
}

/** The position of a moment on the overview, in pixels of the page. */
async function pointOf(page: Page, ms: number) {
  const box = await page.locator('[data-overview] canvas').boundingBox();
  assert.ok(box);
  const ends = await overviewOf(page).evaluate((input) => ({
    startMs: Number(input.getAttribute('min')),
    endMs: Number(input.getAttribute('max')),
  }));
  return {
    x: box.x + ((ms - ends.startMs) / (ends.endMs - ends.startMs)) * box.width,
    y: box.y + 14,
    pxPerDay: (box.width * DAY_MS) / (ends.endMs - ends.startMs),
  };
}

/** The middle of the timeline's view, UTC ms. */
function middleMs(page: Page): Promise<number> {
  return timelineOf(page).evaluate(
    (input) =>
      (Number(input.getAttribute('aria-valuemin')) + Number(input.getAttribute('aria-valuemax'))) / 2,
  );
}

test('[R7.15] the overview above the timeline shows every day of the archive, and a click on one plays it', async () => {
  await open(async (page) => {
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/available-days')) asked.push(request.url());
    });
    const first = past[0]?.startMs ?? 0;
    assert.equal(Number(await overviewOf(page).getAttribute('min')), first - DAY_MS / 2);
    const day = await pointOf(page, first + LENGTH_MS / 2);
    await page.mouse.move(day.x, day.y);
    await page.locator('[data-overview-tip]', { hasText: '0.1% recorded' }).waitFor({ timeout: WAIT_MS });
    const empty = await pointOf(page, first + DAY_MS);
    await page.mouse.move(empty.x, empty.y);
    await page.locator('[data-overview-tip]', { hasText: 'nothing recorded' }).waitFor({ timeout: WAIT_MS });
    // A pixel is a quarter of an hour: the click is before the recording, and playback starts with that.
    await page.mouse.click(day.x - 2, day.y);
    await until(
      () => playerState(page),
      ({ mode, state, utcMs }) =>
        mode === 'archive' && state === 'playing' && utcMs >= first && utcMs < first + LENGTH_MS,
      WAIT_MS,
    );
    assert.deepEqual(asked, [], 'one small request for all of it');
  });
});

test('the window of the overview is dragged, moved by keys, and announced to screen readers', async () => {
  await open(async (page) => {
    const before = await middleMs(page);
    const from = await pointOf(page, before);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x - from.pxPerDay, from.y, { steps: 3 });
    await page.mouse.move(from.x - 3 * from.pxPerDay, from.y, { steps: 3 });
    await page.mouse.up();
    const dragged = await until(
      () => middleMs(page),
      (ms) => Math.abs(ms - (before - 3 * DAY_MS)) < DAY_MS / 20,
      WAIT_MS,
    );
    assert.equal((await playerState(page)).mode, 'live', 'dragging looks about and plays nothing');
    await overviewOf(page).focus();
    await page.keyboard.press('ArrowLeft');
    await until(
      () => middleMs(page),
      (ms) => Math.abs(ms - (dragged - DAY_MS)) < 2_000,
      WAIT_MS,
    );
    await page.keyboard.press('Home');
    await until(
      () => overviewOf(page).getAttribute('aria-valuetext'),
      (text) => /: 0\.1% recorded\. The timeline shows .+ to .+$/.test(text ?? ''),
      WAIT_MS,
    );
    await page.keyboard.press('Enter');
    await until(
      () => playerState(page),
      ({ mode, state }) => mode === 'archive' && state === 'playing',
      WAIT_MS,
    );
  });
});

test('[R5.3] a typed date and time, and a day of the calendar with recorded days marked, are each one step away', async () => {
  await open(async (page) => {
    const [, second, third] = past;
    assert.ok(second && third);
    const inside = async (span: Fragment) => {
      const { utcMs } = await until(
        () => playerState(page),
        (now) => now.mode === 'archive' && now.utcMs >= span.startMs && now.utcMs < span.endMs,
        WAIT_MS,
      );
      return utcMs - span.startMs;
    };
    const go = page.getByRole('button', { name: 'Go to a date and time' });
    await go.click();
    await page
      .getByLabel('Date and time', { exact: true })
      .fill(new Date(second.startMs + 8_000).toISOString().slice(0, 19));
    await page.getByRole('button', { name: 'Go', exact: true }).click();
    assert.ok((await inside(second)) >= 8_000);
    await go.click();
    const days = page.getByRole('group', { name: 'Day of the archive' });
    const marked = days.getByRole('button', { name: /, recorded$/ });
    await until(
      () => marked.count(),
      // Today may be among them already.
      (count) => count === past.length || count === past.length + 1,
      WAIT_MS,
    );
    const day = new Date(third.startMs).toISOString().slice(0, 10);
    await days.locator(`[data-day="${day}"]`).click();
    await inside(third);
  });
});

test('[R1.6] on a phone the calendar and the list of gaps fit the screen', async () => {
  const phone = { ...desktop, width: 360, height: 780 };
  await open(async (page) => {
    await page.getByRole('button', { name: 'Gaps', exact: true }).click();
    await page.getByRole('list', { name: 'Gaps in view' }).waitFor({ timeout: WAIT_MS });
    assert.equal(await overflowOf(page), 0);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'More controls' }).click();
    await page.getByRole('button', { name: 'Go to a date and time' }).click();
    await page.getByRole('group', { name: 'Day of the archive' }).waitFor({ timeout: WAIT_MS });
    assert.equal(await overflowOf(page), 0);
  }, phone);
});

test('nothing moves when the days of the overview arrive', async () => {
  await testEnv.open('/streams', async (page) => {
    let answer: () => void = () => {};
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/available-days*', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${testEnv.server.url}/ui/stream/${uid}/view`);
    await page.locator('[data-overview=awaited] canvas').waitFor({ timeout: WAIT_MS });
    const placesOf = () =>
      page.evaluate(() =>
        ['video', '[data-overview]', 'canvas[data-timeline]', '[role=group] button'].map((selector) => {
          const { x, y, width, height } = document.querySelector(selector)?.getBoundingClientRect() ?? {};
          return { selector, x, y, width, height };
        }),
      );
    const before = await placesOf();
    answer();
    await page.locator('[data-overview=known]').waitFor({ timeout: WAIT_MS });
    assert.deepEqual(await placesOf(), before);
  });
});

test('[R2.19] a user with that setting sees each stream in its own time zone: Lord Howe, Berlin, Moscow', async (t) => {
  const prefer = (timeZone: string) => testEnv.client.saveProfile({ body: { preferences: { timeZone } } });
  await prefer('stream');
  t.after(() => prefer('viewer'));
  await open(async (page) => {
    for (const timeZone of ['Australia/Lord_Howe', 'Europe/Berlin', 'Europe/Moscow']) {
      await testEnv.client.saveStream({ params: { uid }, body: { location: { timeZone } } });
      const zone = new Zone(timeZone);
      const firstDayMs = zone.dayStartMs(zone.dayOf(past[0]?.startMs ?? 0));
      await until(
        () => overviewOf(page).getAttribute('min'),
        (min) => Number(min) === firstDayMs,
        WAIT_MS,
      );
      const badge = page.locator('main time').first();
      const [shown, clock] = await until(
        async () => [await badge.getAttribute('datetime'), await badge.textContent()] as const,
        ([utc]) => utc !== null,
        WAIT_MS,
      );
      const hours = new Date(Date.parse(shown ?? '') + zone.offsetMs(Date.now())).toISOString().slice(11, 13);
      assert.match(clock ?? '', new RegExp(` ${hours}:\\d\\d:\\d\\d$`), timeZone);
    }
  });
});

test('the recorded share is shown on the stream’s page, in the statistics and in the metrics', async () => {
  const share = async () =>
    (await testEnv.client.getArchiveStats({ params: { uid } })).recorded?.day.share ?? 0;
  // Of the last 24 hours, only the recording since the server's restart.
  await until(share, (known) => known > 0 && known < 0.5, WAIT_MS);
  const words = /(?:^|· )[\d.]+% of the last 24 hours, [\d.]+% of the last 30 days$/;
  await testEnv.open(`/stream/${uid}/info`, async (page) => {
    await page.getByText(words).waitFor({ timeout: WAIT_MS });
  });
  await until(
    () => testEnv.client.getSystemStats(),
    ({ recorded }) => recorded.month.share !== null,
    WAIT_MS,
  );
  await testEnv.open('/administration/stats', async (page) => {
    await page.getByText(words).waitFor({ timeout: WAIT_MS });
  });
  const metrics = await until(
    async () => {
      const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
      return (await fetch(`${testEnv.server.url}/metrics`, { headers })).text();
    },
    (text) => text.includes(`vidette_stream_recorded_ratio{stream="${uid}",window="30d"}`),
    WAIT_MS,
  );
  for (const name of ['vidette_recorded_ratio{', `vidette_stream_recorded_ratio{stream="${uid}",`]) {
    for (const window of ['24h', '30d']) {
      const value = new RegExp(`^${name.replace(/[{}]/g, '\\$&')}window="${window}"} (\\S+)$`, 'm').exec(
        metrics,
      );
      assert.ok(Number(value?.[1]) > 0 && Number(value?.[1]) < 0.5, `${name}${window}: ${value?.[1]}`);
    }
  }
});

/** Sets the archive depth of the stream without confirmation. */
const keep = (depthHours: number) =>
  testEnv.client.saveStream({ params: { uid }, body: { archive: { depthHours } } });

test('[R10.4] what a depth deletes is returned before it is saved, and while it is pending', async (t) => {
  t.after(() => keep(-1));
  const lossOf = (depth?: number) =>
    testEnv.client.getArchiveLoss({
      params: { uid },
      query: depth === undefined ? {} : { depth_hours: depth },
    });
  const week = await lossOf(168);
  assert.ok(week.bytes > 0);
  assert.ok(Math.abs(week.durationMs - 2 * LENGTH_MS) < 2_000, `${week.durationMs}`);
  assert.ok(Math.abs((week.fromTime ?? 0) - (past[0]?.startMs ?? 0)) < 2_000);
  assert.ok((week.untilTime ?? 0) > (past[1]?.endMs ?? 0) && (week.untilTime ?? 0) < (past[2]?.startMs ?? 0));
  assert.ok((week.beginsAt ?? 0) > Date.now() + 3_000_000);
  const all = await lossOf(1);
  assert.ok(all.bytes > week.bytes);
  for (const hours of [-1, 8_760]) assert.equal((await lossOf(hours)).beginsAt, null);
  assert.equal((await lossOf()).depthHours, null, 'nothing was lowered');
  await keep(168);
  const waiting = await lossOf();
  assert.deepEqual([waiting.depthHours, waiting.bytes], [168, week.bytes]);
  assert.ok((waiting.beginsAt ?? 0) > Date.now() + 3_000_000);
  await keep(-1);
  assert.equal((await lossOf()).depthHours, null, 'it was set back');
});

test('[R10.4] a depth that deletes recordings is saved only after a confirmation that shows the amount', async (t) => {
  t.after(() => keep(-1));
  const pending = (page: Page) =>
    page.getByText(/^Recordings older than 7 days will be deleted from \d\d:\d\d on: [\d.]+\s.?B\./);
  const depth = async () => (await testEnv.client.getStream({ params: { uid } })).archive.depthHours;
  await testEnv.open(`/stream/${uid}/setting`, async (page) => {
    const dialog = page.getByRole('dialog', { name: 'Delete older recordings?' });
    const ask = async () => {
      await button(page, 'Save').click({ timeout: WAIT_MS });
      await dialog
        .getByText(
          /^If you keep only 7 days, \d+\ss of Gate 2 \([\d.]+\s.?B\) will be deleted\. Deletion starts in an hour/,
        )
        .waitFor({ timeout: WAIT_MS });
    };
    await page.getByLabel('Keep recordings').selectOption('168', { timeout: WAIT_MS });
    await ask();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    // The focus is back where it was.
    await page.locator('button:focus', { hasText: 'Save' }).waitFor({ timeout: WAIT_MS });
    assert.equal(await depth(), -1);
    await ask();
    await dialog.getByRole('button', { name: 'Delete older recordings' }).click();
    await pending(page).waitFor({ timeout: WAIT_MS });
    assert.equal(await depth(), 168);
  });
  await testEnv.open(`/stream/${uid}/info`, async (page) => {
    await pending(page).waitFor({ timeout: WAIT_MS });
    await keep(-1);
    await pending(page).waitFor({ state: 'detached', timeout: WAIT_MS });
  });
});
