import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { ApiError, type Client } from '@vidette/contract/client';
import { footageOf } from '../server/src/archive/fixtures/footage-fixture.ts';
import { administratorOf, clientOf, until } from './api.ts';
import { seriousFaults } from './axe.ts';
import { launchBrowser, openPage } from './browser.ts';
import { runTool } from './footage.ts';
import { recordPast } from './past-footage.ts';
import { signIn, startServer, type TestServer } from './server.ts';

const password = 'three yellow boats';

const MINUTE_MS = 60_000;
/** Twenty-five minutes, a pause, and fifteen minutes; the picture changes shape five minutes into the last part. */
const endMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 10 * MINUTE_MS;
const startMs = endMs - 60 * MINUTE_MS;
const changeMs = endMs - 10 * MINUTE_MS + 7_000;

let dataDir: string;
let server: TestServer;
let client: Client;
let cookie: string;
let browser: Browser;
let uid: string;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'vidette-review-'));
  const first = await startServer({ dataDir });
  const administrator = await administratorOf(first);
  ({ cookie } = administrator);
  const archive = { isEnable: false, depthHours: -1 };
  const body = { name: 'Yard', streamSource: 'demo:?fps=5', tags: ['outside'], archive };
  ({ uid } = await administrator.client.addStream({ body }));
  await first.stop();
  const spans = [
    { startMs, endMs: startMs + 25 * MINUTE_MS },
    { startMs: endMs - 15 * MINUTE_MS, endMs: changeMs },
  ];
  await recordPast(dataDir, uid, spans, {}, { footage: footageOf('h264-no-b.mp4') });
  const wide = footageOf('h264-wide.mp4');
  await recordPast(dataDir, uid, [{ startMs: changeMs, endMs }], {}, { footage: wide });
  server = await startServer({ dataDir });
  client = clientOf(server, cookie);
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

const open = (t: TestContext, path: string) => openPage(t, { browser, url: server.url, cookie }, path);

/** Waits until the archive plays between two moments. */
async function playsBetween(page: Page, fromMs: number, toMs: number): Promise<void> {
  const marks = page.locator('[data-player-mode=archive][data-player-state=playing]');
  await until(
    async () => ((await marks.count()) === 0 ? 0 : Number(await marks.getAttribute('data-utc-ms'))),
    (utcMs) => utcMs >= fromMs && utcMs <= toMs,
    60_000,
  );
}

test('the moment of a change is found by clicks on the first frame that differs, and plays there', async (t) => {
  const page = await open(t, `/stream/${uid}/view?t=${startMs + MINUTE_MS}`);
  await page.locator('[data-player-mode=archive][data-player-state=playing]').waitFor({ state: 'attached' });
  const opener = page.getByRole('button', { name: 'Find the moment of a change' });
  await opener.click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await opener.and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Compare whole frames' }).click();
  let clicks = 0;
  for (; clicks < 7; clicks++) {
    const dialog = page.getByRole('dialog');
    await until(
      async () =>
        (await dialog.count()) === 0 ||
        ((await dialog.locator('li canvas').count()) > 1 &&
          (await dialog.locator('li canvas[data-loaded=false]').count()) === 0),
      (isReady) => isReady,
      60_000,
    );
    if ((await dialog.count()) === 0) break;
    // A person sees another picture; a test sees that it has another shape.
    const shapes = await dialog
      .locator('li canvas')
      .evaluateAll((all) =>
        all.map((one) => (one as HTMLCanvasElement).width / (one as HTMLCanvasElement).height),
      );
    const place = shapes.findIndex((shape) => Math.abs(shape - (shapes[0] ?? 0)) > 0.1);
    assert.ok(place > 0, `no frame differs: ${shapes.join()}`);
    if (clicks === 0) assert.ok((await dialog.getByText(/^gap of/).count()) > 0, 'the gap is said');
    const chosen = dialog.locator('li button').nth(place - 1);
    const step = await dialog.getByText(/^Step \d/).textContent();
    await chosen.focus();
    await page.keyboard.press('Enter');
    await until(
      async () => (await dialog.getByText(/^Step \d/).allTextContents())[0],
      (text) => text !== step,
      60_000,
    );
  }
  assert.ok(clicks >= 2 && clicks <= 3, `${clicks} clicks for 2400 GOPs`);
  await page.getByText('It changed between').waitFor();
  await playsBetween(page, changeMs - 2_000, changeMs + 10_000);
});

test('[R11.4] events are chosen, played, reviewed and exported by keyboard; a burst is one card', async (t) => {
  const personMs = startMs + 10 * MINUTE_MS;
  const motionMs = startMs + 20 * MINUTE_MS;
  const add = (kind: string, time: number, note = '') =>
    client.addAnnotation({ body: { streamId: uid, kind, time, timeEnd: time + 4_000, note } });
  await add('person', personMs, 'With a ladder');
  for (const offsetMs of [0, 20_000, 45_000]) await add('car', motionMs + offsetMs);
  const page = await open(t, `/events?camera=${uid}&kind=annotation`);
  const cards = page.getByRole('listbox', { name: 'Events' }).getByRole('option');
  await until(
    () => cards.count(),
    (count) => count === 2,
  );
  assert.match((await cards.nth(0).textContent()) ?? '', /Yard.*Car.*3 times/);
  assert.match((await cards.nth(1).textContent()) ?? '', /Yard.*Person.*With a ladder/);
  await cards.nth(0).locator('img').waitFor();
  await page.keyboard.press('j');
  await playsBetween(page, motionMs - 3_000, motionMs + 15_000);
  await page.keyboard.press('j');
  await playsBetween(page, personMs - 3_000, personMs + 15_000);
  assert.equal(await cards.nth(1).getAttribute('aria-selected'), 'true');
  await page.keyboard.press('r');
  await until(
    async () => (await client.listJournal({ query: { kinds: ['annotation'], reviewed: true } })).items,
    (items) => items.length === 1 && items[0]?.note === 'With a ladder',
  );
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('e')]);
  assert.match(download.suggestedFilename(), /\.mp4$/);
  const saved = page.getByText(/^Saved: .*24\s?s/);
  await saved.waitFor();
  await page.getByRole('button', { name: /^Mark the event in the list/ }).click();
  await until(
    async () =>
      (await client.listJournal({ query: { kinds: ['annotation'], reviewed: false } })).items.length,
    (count) => count === 0,
  );
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
});

test('a digest plays all clips of a span one after the other, with their time, and begins where a person chooses', async (t) => {
  const add = (time: number) =>
    client.addAnnotation({
      body: { streamId: uid, kind: 'animal', time, timeEnd: time + 2_000, note: '' },
    });
  const [firstMs, secondMs, lastMs] = [
    startMs + 2 * MINUTE_MS,
    startMs + 5 * MINUTE_MS,
    endMs - 12 * MINUTE_MS,
  ];
  for (const time of [firstMs, secondMs, lastMs]) await add(time);
  const page = await open(t, `/events?camera=${uid}`);
  await page.getByRole('button', { name: 'Play all events of a night in two minutes' }).click();
  await page.getByRole('heading', { name: 'Digest' }).waitFor();
  await page.goto(
    `${server.url}/ui/events/digest?from=${firstMs - MINUTE_MS}&to=${lastMs + MINUTE_MS}&streams=${uid}`,
  );
  const mark = page.locator('[data-digest-place]');
  const parts = page
    .getByRole('region', { name: 'Clips and gaps' })
    .getByRole('listitem')
    .getByRole('button');
  const shown = async () => ({
    place: Number(await mark.getAttribute('data-digest-place')),
    utcMs: Number(await mark.getAttribute('data-digest-ms')),
    state: await mark.getAttribute('data-digest-state'),
  });
  await mark.waitFor({ state: 'attached' });
  const count = await parts.count();
  assert.ok(count >= 3, `${count} clips`);
  const last = await until(shown, ({ place, state }) => place === count - 1 && state === 'playing', 60_000);
  assert.ok(last.utcMs >= lastMs - 2_000 && last.utcMs <= lastMs + 4_000, `${last.utcMs - lastMs} ms`);
  await page.getByText('of quiet time').waitFor();
  await until(shown, ({ state }) => state === 'ended', 60_000);
  await page.getByText('End of the digest').waitFor();
  await page.getByText(/^[3-9] of [3-9]$/).waitFor();
  await parts.nth(1).click();
  const again = await until(shown, ({ place, state }) => place === 1 && state === 'playing', 60_000);
  assert.ok(again.utcMs < lastMs - MINUTE_MS, 'an earlier clip');
  await page.keyboard.press(' ');
  await until(shown, ({ state }) => state === 'paused');
});

test('[R11.4] a digest says that a camera has been dark since before it began, also in its file', async (t) => {
  const archive = { isEnable: true, depthHours: -1 };
  // Nothing listens there.
  const body = { name: 'Cellar', streamSource: 'rtsp://127.0.0.1:9/', archive };
  const dark = await client.addStream({ body });
  t.after(() => client.deleteStream({ params: dark }));
  const query = { streams: [dark.uid], kinds: ['stream-down' as const] };
  const [outage] = await until(
    async () => (await client.listJournal({ query })).items,
    ([found]) => found !== undefined && Date.now() - found.startTime > 15_000,
    60_000,
  );
  assert.equal(outage?.isOngoing, true);
  // The span begins after the outage and ends in the future.
  const from = outage.startTime + 2_000;
  const span = `from=${from}&to=${from + 60 * MINUTE_MS}&streams=${dark.uid}`;
  const page = await open(t, `/events/digest?${span}`);
  await page.getByText(/^Nothing recorded from .* to /).waitFor();
  const parts = page.getByRole('region', { name: 'Clips and gaps' }).getByRole('listitem');
  const [part = '', ...others] = await parts.allInnerTexts();
  assert.deepEqual(others, []);
  assert.match(part, /Cellar · No video/);
  // Not beyond now.
  assert.match(part, /\b\d+\s?s$/);
  await page.getByRole('button', { name: 'Export as a file' }).click();
  await page.getByRole('link', { name: 'Show exports' }).click();
  await page.getByRole('link', { name: /^Download MP4/ }).waitFor({ timeout: 60_000 });
  const [made] = (await client.listExports()).items;
  assert.deepEqual(
    made?.streams.map(({ uid }) => uid),
    [dark.uid],
  );
  await client.deleteExport({ params: { id: made?.id ?? 0 } });
});

test('a digest is exported from its screen as one MP4, with the rights and the limits of a digest', async (t) => {
  const personMs = startMs + 8 * MINUTE_MS;
  const add = { streamId: uid, kind: 'person', time: personMs, timeEnd: personMs + 3_000, note: '' };
  await client.addAnnotation({ body: add });
  const [from, to] = [personMs - MINUTE_MS, personMs + MINUTE_MS];
  const page = await open(t, `/events/digest?from=${from}&to=${to}&streams=${uid}`);
  await page.getByRole('button', { name: 'Export as a file' }).click();
  await page.getByText('The file is being made.').waitFor();
  await page.getByRole('link', { name: 'Show exports' }).click();
  const link = page.getByRole('link', { name: /^Download MP4/ });
  await link.waitFor({ timeout: 60_000 });
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  assert.match(download.suggestedFilename(), /^Digest of .*\.mp4$/);
  const { stdout, stderr } = await runTool('ffprobe', [
    ...['-v', 'error', '-show_entries', 'stream=codec_name,width,height:format=duration', '-of', 'csv=p=0'],
    await download.path(),
  ]);
  assert.equal(stderr, '');
  const [, durationS] = /^h264,1280,768\n([\d.]+)\n$/.exec(stdout) ?? [];
  // The event, with two seconds before and after it.
  assert.ok(Math.abs(Number(durationS) - 7) < 0.5, stdout);

  const body = { startTime: from, endTime: to, timeZone: 'Europe/Moscow', language: 'en' as const };
  const isFault = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;
  const dayMs = 86_400_000;
  await assert.rejects(
    client.addDigestExport({ body: { ...body, startTime: to - 31 * dayMs - 1 } }),
    isFault('TimeRangeIsTooLong'),
  );
  await assert.rejects(
    client.addDigestExport({ body: { ...body, timeZone: 'Mars/Olympus' } }),
    isFault('ValidationError'),
  );
  await assert.rejects(
    client.addDigestExport({ body: { ...body, streams: Array.from({ length: 65 }, () => uid) } }),
    isFault('ValidationError'),
  );
  await assert.rejects(
    client.addDigestExport({ body: { ...body, startTime: startMs - 2 * dayMs, endTime: startMs - dayMs } }),
    isFault('NotFound'),
  );
  const month = await client.addDigestExport({ body: { ...body, startTime: to - 31 * dayMs } });
  await client.deleteExport({ params: { id: month.id } });
  await client.addUser({ body: { name: 'anna', password, maxStreamCreation: 0 } });
  const anna = clientOf(server, await signIn(server, 'anna', password));
  await assert.rejects(anna.addDigestExport({ body: { ...body, streams: [uid] } }), isFault('Forbidden'));
  const permitted = { items: [{ user: 'anna', view: true, archive: false }] };
  await client.saveStreamPermissions({ params: { uid }, body: permitted });
  await assert.rejects(anna.addDigestExport({ body: { ...body, streams: [uid] } }), isFault('Forbidden'));
  // All cameras whose archive she may watch: none.
  await assert.rejects(anna.addDigestExport({ body }), isFault('NotFound'));
});

test('[R11.4] of ten thousand events only those in view are in the document, and the last one can be reached', async (t) => {
  const detail = { code: null, reason: null, subject: null, user: null, address: null, figures: {} };
  const entry = (place: number) => ({
    id: 10_000 - place,
    kind: 'motion',
    stream: uid,
    streamName: 'Yard',
    startTime: endMs - place * 90_000,
    endTime: endMs - place * 90_000 + 5_000,
    isOngoing: false,
    detail,
    note: '',
    isReviewed: false,
  });
  const asked: string[] = [];
  const page = await open(t, '/help');
  await page.route(/\/v1\/journal\?/, (route) => {
    const query = new URL(route.request().url()).searchParams;
    asked.push(query.getAll('text').join('|'));
    const from = Number(query.get('cursor')?.split('.')[1] ?? 0);
    const to = Math.min(10_000, from + 1_000);
    const items = Array.from({ length: to - from }, (_, index) => entry(from + index));
    return route.fulfill({ json: { items, next: to < 10_000 ? `1.${to}` : null } });
  });
  await page.goto(`${server.url}/ui/events`);
  const options = page.getByRole('listbox', { name: 'Events' }).getByRole('option');
  await options.first().waitFor();
  // End goes to the last one that is loaded, which loads more.
  await until(
    async () => {
      await page.keyboard.press('End');
      const sizes = await options.evaluateAll((all) => all.map((one) => one.getAttribute('aria-posinset')));
      return Math.max(...sizes.map(Number));
    },
    (last) => last === 10_000,
    60_000,
  );
  assert.ok((await options.count()) < 60, `${await options.count()} in the document`);

  // An address leads to an event far back in the list, which is loaded as far as that.
  await page.goto(`${server.url}/ui/events?event=${entry(4_200).id}`);
  const chosen = page.locator('[role=option][aria-selected=true]');
  await chosen.waitFor();
  assert.equal(await chosen.getAttribute('aria-posinset'), '4201');
  // The stream is not recorded now, which the timeline says with a link.
  await page.getByRole('link', { name: 'Switch recording on' }).waitFor();
  assert.deepEqual(await seriousFaults(page), []);

  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByRole('searchbox', { name: 'Search note, details, camera' }).fill('ladder "green van"');
  await until(
    () => asked,
    (all) => all.includes('ladder|green van'),
  );
  assert.deepEqual(new URL(page.url()).searchParams.get('q'), 'ladder "green van"');
});
