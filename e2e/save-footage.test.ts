import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Download, Page } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { until } from './api.ts';
import { assertAudio, inspect, framesOf, recorded, recordedFor, type Fragment } from './footage.ts';
import { MomentFormat } from '../ui/src/timeline/moment-format.ts';
import { parseMoment } from '../ui/src/timeline/moment-input.ts';
import { Zone } from '../ui/src/timeline/zone.ts';
import { startFakeCamera, type FakeCamera } from './rtsp/fake-camera.ts';
import { encodeClip } from './rtsp/fake-media.ts';
import { button, TestEnv } from './test-env.ts';

let camera: FakeCamera;
let testEnv: TestEnv;
let client: Client;
let gate: string;
/** Two recordings of the gate, with a pause between them. */
let early: Fragment;
let late: Fragment;

before(async () => {
  camera = await startFakeCamera({ clip: await encodeClip({ framesPerSecond: 20 }) });
  const env = { VIDETTE_ARCHIVE_DOWNLOAD_MAX_SECONDS: '120', VIDETTE_EXPORT_MIN_FREE_BYTES: '0' };
  testEnv = await TestEnv.start({ env });
  client = testEnv.client;
  const add = async (name: string) =>
    (await client.addStream({ body: { name, streamSource: camera.url } })).uid;
  [gate] = await Promise.all([add('Gate'), add('Двор')]);
  await recordedFor(client, gate, 4_000);
  await client.pauseStream({ body: { uid: gate } });
  await until(
    () => {
      const nowMs = Date.now();
      const query = { start_time: nowMs - 600_000, end_time: nowMs };
      return client.getArchiveRanges({ params: { uid: gate }, query });
    },
    ({ ranges }) => {
      const last = ranges.at(-1);
      return last?.status === 'gap' && Date.now() - last.date > 2_500;
    },
  );
  await client.resumeStream({ body: { uid: gate } });
  await recordedFor(client, gate, 4_000, 2);
  const [first, second] = await recorded(client, gate);
  assert.ok(first && second);
  [early, late] = [first, second];
});

after(async () => {
  await testEnv?.close();
  await camera?.stop();
});

/** The value of a date and time field, in UTC. */
const fieldText = (ms: number) => new MomentFormat('en', new Zone('UTC')).write(ms);
const fieldMs = (text: string) =>
  parseMoment(text, { zone: new Zone('UTC'), referenceMs: Date.now(), nowMs: Date.now() }) ?? NaN;
const side = (page: Page) => page.getByRole('region', { name: 'Save footage' });

async function choose(page: Page, startMs: number, endMs: number): Promise<void> {
  await button(page, 'Save footage').click();
  await side(page).getByLabel('From').fill(fieldText(startMs));
  await side(page).getByLabel('Until').fill(fieldText(endMs));
  await page.keyboard.press('Enter');
}

test('[R9.3] a range is selected on the timeline; size and length are shown before, the delivered and missing parts after', () =>
  testEnv.open(`/stream/${gate}/view?t=${Math.round(early.startMs) + 1000}`, async (page) => {
    const startMs = Math.floor(early.startMs / 1000) * 1000 - 4_000;
    const endMs = Math.ceil(late.startMs / 1000) * 1000 + 3_000;
    await choose(page, startMs, endMs);
    const words = side(page).locator('output');
    await words.getByText(/^Recorded: .* of [\d.]+\ss, about [\d.]+\s[kM]B/).waitFor();
    assert.match(await words.innerText(), /Gaps skipped in the file: 1 \([\d.]+\ss\)\./);

    // The end is dragged later by its handle, and the field follows.
    while (await button(page, 'Zoom in').isEnabled()) await button(page, 'Zoom in').click();
    const box = await page.locator('canvas[data-timeline]').boundingBox();
    assert.ok(box);
    const slider = page.getByRole('slider', { name: 'Timeline of Gate' });
    const pxOf = async (ms: number) => {
      const [fromMs, toMs] = await slider.evaluate((input) =>
        ['aria-valuemin', 'aria-valuemax'].map((name) => Number(input.getAttribute(name))),
      );
      return box.x + ((ms - (fromMs ?? 0)) / ((toMs ?? 1) - (fromMs ?? 0))) * box.width;
    };
    const end = side(page).getByLabel('Until');
    await page.mouse.move(await pxOf(endMs), box.y + 45);
    await page.mouse.down();
    await page.mouse.move(await pxOf(endMs - 2_500), box.y + 45, { steps: 4 });
    await page.mouse.up();
    await until(
      () => end.inputValue(),
      (text) => text !== fieldText(endMs) && text.startsWith(fieldText(endMs).slice(0, 14)),
    );
    const ledMs = fieldMs(await end.inputValue());
    assert.ok(ledMs < endMs && ledMs > startMs, `dragged to ${new Date(ledMs).toISOString()}`);

    const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'Download MP4').click()]);
    assertAudio(await footageOf(file), ['h264']);
    const done = side(page).getByRole('status');
    await done.getByText(/^Saved: .* to .*, [\d.]+\ss, .*B\.$/).waitFor();
    await done.getByText(/^Requested: .* Missing: [\d.]+\ss\.$/).waitFor();
    const gaps = side(page).getByRole('list', { name: 'Gaps in this range' });
    await gaps.getByText(/^[\d.]+\ss: stream paused$/).waitFor();
    await button(page, 'Close').click();
    await side(page).waitFor({ state: 'detached' });
  }));

async function footageOf(file: Download) {
  assert.match(file.suggestedFilename(), /^Gate .*\.mp4$/);
  const footage = await inspect(await readFile(await file.path()));
  assert.ok(framesOf(footage).packets.length > 20);
  return footage;
}

test('a span longer than the download limit, and several streams, become a package in the list of exports', () =>
  testEnv.open(`/stream/${gate}/view`, async (page) => {
    const nowMs = Math.floor(Date.now() / 1000) * 1000;
    await choose(page, nowMs - 3_600_000, nowMs);
    await side(page).getByRole('combobox', { name: 'Other streams' }).click();
    await page.getByRole('option', { name: 'Двор' }).click();
    await button(page, 'Create a package').click();
    await side(page).getByText('The package is being created').waitFor();
    await side(page).getByRole('link', { name: 'Show exports' }).click();
    await page.waitForURL('**/exports');
    const item = page.locator('main li').first();
    await item.getByText(/^Kept until /).waitFor({ timeout: 60_000 });
    await item.getByText(/^Gate: .* saved, .* not recorded$/).waitFor();
    await item.getByText(/^Двор: .* saved, .* not recorded$/).waitFor();
    const [zip] = await Promise.all([
      page.waitForEvent('download'),
      item.getByRole('link', { name: /^Download ZIP/ }).click(),
    ]);
    assert.equal((await readFile(await zip.path())).subarray(0, 2).toString(), 'PK');
    await item.getByRole('button', { name: 'Delete the export Gate' }).click();
    await page.getByText('No exports yet').waitFor();
  }));

test('[R5.3] whole days are chosen in the calendar, where recorded ones are marked', () =>
  testEnv.open(`/stream/${gate}/view`, async (page) => {
    await button(page, 'Save footage').click();
    await side(page).getByText('Whole days').click();
    const today = side(page).locator('button[aria-label$="recorded"]').last();
    await today.click();
    await today.click();
    const from = await side(page).getByLabel('From').inputValue();
    assert.match(from, /, 00:00:00$/);
    await side(page).getByText('Create a package').waitFor();
  }));

test('a date and time is typed as "13:05", pasted, and stepped with arrows; what is no time is refused and can’t be saved', () =>
  testEnv.open(`/stream/${gate}/view?t=${Math.round(early.startMs)}`, async (page) => {
    await button(page, 'Save footage').click();
    const from = side(page).getByLabel('From');
    const day = (await from.inputValue()).split(',')[0] ?? '';
    const enter = async (text: string) => {
      await from.fill(text);
      await from.press('Enter');
      return from.inputValue();
    };
    assert.equal(await enter('00:05'), `${day}, 00:05:00`);
    await side(page).getByText('UTC').first().waitFor();
    // The caret is in the minutes, and stays there.
    await from.evaluate((input: HTMLInputElement) => {
      const at = input.value.indexOf(':') + 1;
      input.setSelectionRange(at, at);
    });
    await from.press('ArrowUp');
    await from.press('ArrowUp');
    await from.press('ArrowDown');
    await from.press('Shift+ArrowUp');
    assert.equal(await from.inputValue(), `${day}, 00:16:00`);
    await side(page).locator('[aria-live]').getByText(`${day}, 00:16:00`).waitFor({ state: 'attached' });
    assert.equal(await enter('2026-11-21T12:00:30Z'), '21 Nov 2026, 12:00:30');
    assert.equal(await enter('25:00'), '25:00');
    assert.equal(await from.getAttribute('aria-invalid'), 'true');
    await side(page).getByText('Enter a time such as 13:05').waitFor();
    const isPossible = () =>
      side(page)
        .getByRole('button', { name: /Download|package/ })
        .isEnabled();
    assert.equal(await isPossible(), false);
    assert.equal(await enter('23:59'), '21 Nov 2026, 23:59:00');
    assert.equal(await page.locator('input[type^="date"], input[type="time"]').count(), 0);
  }));

test('[R4.9] the cause of a gap is shown: under the pointer, in the list of gaps, when it is skipped, and to a screen reader', () =>
  testEnv.open(`/stream/${gate}/view?t=${Math.round(early.startMs) + 500}`, async (page) => {
    const slider = page.getByRole('slider', { name: 'Timeline of Gate' });
    await page
      .getByText(/^Skipped [\d.]+\ss, .* to .*, not recorded: stream paused/)
      .waitFor({ timeout: 60_000 });
    while (await button(page, 'Zoom in').isEnabled()) await button(page, 'Zoom in').click();
    const box = await page.locator('canvas[data-timeline]').boundingBox();
    assert.ok(box);
    await button(page, 'Pause').click();
    await page.getByTitle('Gaps in view').click();
    const gap = page
      .getByRole('list', { name: 'Gaps in view' })
      .getByRole('button', { name: /: stream paused$/ });
    await gap.click();
    await until(
      () => page.locator('[data-player-state]').getAttribute('data-utc-ms'),
      (ms) => Number(ms) < late.startMs && Number(ms) >= early.startMs,
    );
    await until(
      () => slider.getAttribute('aria-valuetext'),
      (text) => /recorded .*, then a gap of [\d.]+\ss: stream paused/.test(text ?? ''),
    );
    const [fromMs = 0, toMs = 1] = await slider.evaluate((input) =>
      ['aria-valuemin', 'aria-valuemax'].map((name) => Number(input.getAttribute(name))),
    );
    const insideMs = early.endMs + 1_000;
    await page.mouse.move(box.x + ((insideMs - fromMs) / (toMs - fromMs)) * box.width, box.y + 45);
    await page
      .locator('[data-timeline-tip]')
      .getByText(/^Not recorded for [\d.]+\ss: stream paused/)
      .waitFor();
  }));
