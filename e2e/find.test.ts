import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Locator } from 'playwright-core';
import type { ChangeLine } from '@vidette/contract/archive-changes';
import type { Client } from '@vidette/contract/client';
import { bicycle, yardFootage } from '../server/src/ffmpeg/worker/yard-fixture.ts';
import { administratorOf, clientOf, until } from './api.ts';
import { launchBrowser, openPage } from './browser.ts';
import { recordPast } from './past-footage.ts';
import { startServer, type TestServer } from './server.ts';

const MINUTE_MS = 60_000;
const GOP_MS = 5_000;
/** Four hours of a yard with an hour's gap, in which a person passes twice an hour and clouds come and go. */
const endMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 10 * MINUTE_MS;
const startMs = endMs - 240 * MINUTE_MS;
const changeMs = endMs - 47 * MINUTE_MS - 15_000;
const lights = [1, 0.8, 0.6];

let dataDir: string;
let server: TestServer;
let client: Client;
let cookie: string;
let browser: Browser;
let uid: string;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'vidette-find-'));
  const first = await startServer({ dataDir });
  const administrator = await administratorOf(first);
  ({ cookie } = administrator);
  const archive = { isEnable: false, depthHours: -1 };
  ({ uid } = await administrator.client.addStream({
    body: { name: 'Yard', streamSource: 'demo:?fps=5', archive },
  }));
  await first.stop();
  const footage = await yardFootage(
    GOP_MS,
    (ms) => ({
      hasBicycle: ms < changeMs,
      hasPerson: ms % (30 * MINUTE_MS) < 20_000,
      light: lights[Math.floor(ms / (20 * MINUTE_MS)) % lights.length] ?? 1,
    }),
    lights,
  );
  const spans = [
    { startMs, endMs: startMs + 60 * MINUTE_MS },
    { startMs: startMs + 120 * MINUTE_MS, endMs },
  ];
  await recordPast(dataDir, uid, spans, {}, { footage });
  server = await startServer({ dataDir });
  client = clientOf(server, cookie);
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

const span = { start_time: startMs, end_time: endMs };
/** A box around the bicycle, as a person draws it. */
const box = {
  left: bicycle.left - 0.01,
  top: bicycle.top,
  width: bicycle.width + 0.02,
  height: bicycle.height,
};

async function search(query: Parameters<Client['searchArchiveChanges']>[0]['query']): Promise<ChangeLine[]> {
  const reply = await client.searchArchiveChanges({ params: { uid }, query });
  assert.equal(reply.headers.get('content-type'), 'application/x-ndjson');
  const lines = (await reply.text()).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as ChangeLine);
}

test('a search finds the GOP in which a thing disappeared, though people passed and the light changed, and is audited', async () => {
  const lines = await search({ ...span, ...box });
  const [first] = lines;
  assert.ok(first?.type === 'begin' && first.startTime === startMs && first.endTime <= endMs);
  assert.deepEqual(first.withoutNodes, []);
  const marks = lines.filter((line) => line.type === 'mark');
  assert.deepEqual(
    marks.filter(({ lasts }) => lasts).map(({ startTime, endTime }) => [startTime, endTime]),
    [[Math.floor((changeMs - 1) / GOP_MS) * GOP_MS, Math.ceil(changeMs / GOP_MS) * GOP_MS]],
  );
  const end = lines.at(-1);
  assert.ok(end?.type === 'end' && end.reason === 'complete' && end.unreadable === 0, JSON.stringify(end));
  const elsewhere = await search({ ...span, left: 0.05, top: 0.5, width: 0.2, height: 0.3 });
  assert.deepEqual(
    elsewhere.filter((line) => line.type === 'mark'),
    [],
    'nothing changed there',
  );
  const { items } = await client.listAuditLogs({
    query: { action: 'searchArchiveChanges' },
  });
  assert.deepEqual(
    items.map(({ target, outcome }) => [target, outcome]),
    [
      [uid, 'ok'],
      [uid, 'ok'],
    ],
  );
});

test('a region outside the frame, a span of more than a year and one without footage are refused at the field', async () => {
  const params = { uid };
  const at = (path: string) => (error: { code?: string; fields?: readonly { path: string }[] }) =>
    error.code === 'ValidationError' && error.fields?.length === 1 && error.fields[0]?.path === path;
  const ask = (query: Parameters<typeof search>[0]) => client.searchArchiveChanges({ params, query });
  await assert.rejects(ask({ ...span, left: 0.9, width: 0.2 }), at('width'));
  await assert.rejects(ask({ ...span, top: 0.5, height: 0.6 }), at('height'));
  await assert.rejects(ask({ ...span, width: 0.009 }), at('width'));
  await assert.rejects(ask({ ...span, left: -0.1 }), at('left'));
  await assert.rejects(ask({ start_time: endMs, end_time: startMs }), at('end_time'));
  await assert.rejects(ask({ start_time: endMs - 366 * 1440 * MINUTE_MS - 1, end_time: endMs }), {
    code: 'TimeRangeIsTooLong',
  });
  await assert.rejects(ask({ start_time: endMs + 1, end_time: endMs + MINUTE_MS }), { code: 'NotFound' });
});

/** Draws a box around the bicycle with the pointer. */
async function drawBox(picker: Locator): Promise<void> {
  await picker.locator('canvas[data-loaded=true]').waitFor();
  const place = await picker.boundingBox();
  assert.ok(place);
  const { mouse } = picker.page();
  const at = (x: number, y: number) => [place.x + x * place.width, place.y + y * place.height] as const;
  await mouse.move(...at(box.left, box.top));
  await mouse.down();
  await mouse.move(...at(box.left + box.width, box.top + box.height), { steps: 4 });
  await mouse.up();
}

test('a person draws a box, the server finds the change, and a click plays it; the curve stays on the timeline', async (t) => {
  const page = await openPage(t, { browser, url: server.url, cookie }, `/stream/${uid}/view?t=${startMs}`);
  await page.locator('[data-player-mode=archive][data-player-state=playing]').waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Find the moment of a change' }).click();
  await drawBox(page.getByRole('button', { name: /box/i }).first());
  await page.getByRole('button', { name: 'Find automatically' }).click();
  await page
    .getByRole('status')
    .getByText(/change.* found\. The most likely is between/)
    .waitFor();
  // Neither the search nor a step back takes the keyboard out of the dialog.
  const focused = page.getByRole('dialog').locator(':focus');
  await focused.waitFor();
  await page.getByRole('button', { name: 'One step back' }).click();
  await page.getByRole('button', { name: 'A box is drawn' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowLeft');
  await page.getByText('Arrow keys move the box', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Find automatically' }).click();
  await page.getByRole('img', { name: /^How much changed from/ }).waitFor();
  const marks = page.getByRole('dialog').locator('li button');
  assert.equal(
    await marks.first().getAttribute('data-change-ms'),
    String(Math.ceil(changeMs / GOP_MS) * GOP_MS),
  );
  await marks.first().locator('canvas[data-loaded=true]').nth(1).waitFor();
  await marks.first().focus();
  await page.keyboard.press('Enter');
  await page.getByText('It changed between').waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
  const player = page.locator('[data-player-mode=archive][data-player-state=playing]');
  await until(
    async () => ((await player.count()) === 0 ? 0 : Number(await player.getAttribute('data-utc-ms'))),
    (utcMs) => Math.abs(utcMs - changeMs) <= 2 * GOP_MS,
    60_000,
  );
  // The next search of the camera begins with the box of this one, until it is removed.
  await page.getByRole('button', { name: 'Find the moment of a change' }).click();
  await page.getByRole('button', { name: 'A box is drawn' }).and(page.locator(':focus')).waitFor();
  await page.getByRole('button', { name: 'Search in the box' }).waitFor();
  await page.keyboard.press('Delete');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Find the moment of a change' }).click();
  await page.getByRole('button', { name: 'Draw a box' }).waitFor();
});

test('where nothing is recorded, the box is drawn on the last frame before, and before the archive on its first one', async (t) => {
  for (const momentMs of [startMs + 90 * MINUTE_MS, startMs - 10 * MINUTE_MS]) {
    const page = await openPage(t, { browser, url: server.url, cookie }, `/stream/${uid}/view?t=${momentMs}`);
    await page.locator('[data-player-mode=archive]').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Find the moment of a change' }).click();
    await page.getByRole('dialog').locator('canvas[data-loaded=true]').waitFor();
  }
});

test('[R1.6] the times of a search are shown whole at every width, in Russian too', async (t) => {
  await client.saveProfile({ body: { language: 'ru' } });
  t.after(() => client.saveProfile({ body: { language: 'en' } }));
  const page = await openPage(t, { browser, url: server.url, cookie }, `/stream/${uid}/view?t=${startMs}`);
  await page.locator('[data-player-mode=archive]').waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Найти момент изменения' }).click();
  const fields = page.getByRole('dialog').getByRole('textbox');
  await until(
    () => fields.evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value)),
    (values) => values.length === 2 && values.every((value) => value !== ''),
  );
  const cut: string[] = [];
  for (const width of [3840, 1440, 1100, 1060, 900, 768, 701, 700, 390, 360]) {
    await page.setViewportSize({ width, height: 844 });
    const isCut = await fields.evaluateAll((all) =>
      all.some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth),
    );
    if (isCut) cut.push(`${width} px`);
  }
  assert.deepEqual(cut, []);
});

test('on phones two stills are in a row, and each step begins at the top of the dialog', async (t) => {
  const page = await openPage(t, { browser, url: server.url, cookie }, `/stream/${uid}/view?t=${startMs}`);
  await page.locator('[data-player-mode=archive]').waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Find the moment of a change' }).click();
  const dialog = page.getByRole('dialog');
  await drawBox(dialog.getByRole('button', { name: /box/i }).first());
  await dialog.getByRole('button', { name: 'Search in the box' }).click();
  await dialog.getByText('Step 1.').waitFor();
  for (const width of [390, 360]) {
    await page.setViewportSize({ width, height: 844 });
    const tops = await dialog
      .getByRole('listitem')
      .evaluateAll((items) => items.map((item) => item.getBoundingClientRect().top));
    assert.equal(tops[1], tops[0], `two in a row at ${width} px`);
  }
  await dialog.locator('[data-find-ms]').last().click();
  await dialog.getByText('Step 2.').waitFor();
  await until(
    () => dialog.evaluate(({ scrollTop }) => scrollTop),
    (scrollTop) => scrollTop === 0,
  );
  await dialog.locator('[data-find-ms]:focus').waitFor();
});
