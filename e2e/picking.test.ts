import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { until } from './api.ts';
import { signIn } from './server.ts';
import { button, TestEnv } from './test-env.ts';

// Several streams of the list together: selecting them by mouse and by keyboard, and bulk actions.

const helper = { name: 'helper', password: 'seven quiet otters 5' };
/** More than fit one page of the list. */
const count = 70;

let testEnv: TestEnv;
let client: Client;
const uids: string[] = [];

before(async () => {
  testEnv = await TestEnv.start();
  ({ client } = testEnv);
  for (let at = 0; at < count; at++) {
    const name = `Camera ${String(at).padStart(2, '0')}`;
    // They have no viewer, so none of them ever connects.
    const body = { name, streamSource: 'demo:', live: { onDemand: true }, archive: { isEnable: false } };
    uids.push((await client.addStream({ body })).uid);
  }
  await client.addUser({ body: { ...helper, maxStreamCreation: 0 } });
  await client.saveUserPermissions({
    params: { login: helper.name },
    body: {
      items: [
        { stream: uids[0] ?? '', edit: true },
        { stream: uids[1] ?? '', view: true },
        { stream: uids[2] ?? '', edit: true },
      ],
    },
  });
});

after(() => testEnv?.close());

const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
const bar = (page: Page) => page.getByRole('region', { name: 'Selected streams' });
const says = (page: Page, words: string) => bar(page).getByText(words, { exact: true }).waitFor();
const paused = async () =>
  (await client.listStreamStatuses()).items.filter(({ status }) => status === 'paused').length;

test('an on-demand stream without viewers is not said to connect: a tile says when it will, a row "On demand"', () =>
  testEnv.open('/streams', async (page) => {
    await button(page, 'Grid').click();
    const tile = page.getByRole('article').filter({ hasText: 'Camera 00' });
    await tile.getByText('Connects when you open it').waitFor();
    assert.equal(await tile.getByText('Connecting').count(), 0);
    await button(page, 'Table').click();
    const row = page.getByRole('row').filter({ hasText: 'Camera 00' });
    await row.getByText('On demand', { exact: true }).waitFor();
    assert.equal(await row.getByText(/connect/i).count(), 0);
    await page.goto(`${testEnv.server.url}/ui/stream/${uids[0]}/info`);
    await page.getByText('On demand', { exact: true }).first().waitFor();
    // Nor beside its archive, for which it needs not connect.
    await page.goto(`${testEnv.server.url}/ui/stream/${uids[0]}/view?t=${Date.now() - 60_000}`);
    await page.locator('[data-player-mode=archive]').waitFor({ state: 'attached' });
    await page.locator('h1 + [data-status]').getByText('On demand', { exact: true }).waitFor();
    await page.locator('[data-camera-strip] li').nth(1).getByText('On demand').waitFor();
    assert.equal(await page.getByText('Connecting', { exact: true }).count(), 0);
  }));

for (const view of ['Grid', 'Table'] as const) {
  test(`[R2.26] [R7.6] streams are selected by mouse in the ${view.toLowerCase()}, a range with Shift, then paused and resumed`, () =>
    testEnv.open('/streams', async (page) => {
      await button(page, view).click();
      await page.getByRole('link', { name: /^Camera 00/ }).hover();
      await box(page, 'Camera 00').check();
      await says(page, '1 stream selected');
      // In selection mode, a click on the stream itself selects it; with Shift, all up to it.
      await page.getByRole('link', { name: /^Camera 03/ }).click({ modifiers: ['Shift'] });
      await says(page, '4 streams selected');
      await page.getByRole('link', { name: /^Camera 01/ }).click();
      await says(page, '3 streams selected');
      assert.match(page.url(), /\/streams$/);
      await button(page, 'Pause').click();
      await page.getByText('3 streams have been paused').waitFor();
      assert.equal(await paused(), 3);
      await bar(page).getByRole('button', { name: 'Resume' }).click();
      await page.getByText('3 streams have been resumed').waitFor();
      assert.equal(await paused(), 0);
      await button(page, 'End selection').click();
      await page.getByRole('link', { name: /^Camera 01/ }).click();
      await page.waitForURL(`**/ui/stream/${uids[1]}/view`);
    }));
}

test('[R1.7] the keyboard selects one, a range, all, and none', () =>
  testEnv.open('/streams', async (page) => {
    await button(page, 'Select streams').press('Enter');
    await box(page, 'Camera 00').press('Space');
    await says(page, '1 stream selected');
    await box(page, 'Camera 02').press('Shift+Space');
    await says(page, '3 streams selected');
    // All of them, including those that the page has never loaded.
    await page.keyboard.press('Control+a');
    await says(page, `${count} streams selected`);
    await bar(page).getByRole('button', { name: 'Tags…' }).press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await says(page, `${count} streams selected`);
    await until(
      () => page.evaluate(() => document.activeElement?.closest('button')?.textContent),
      (focused) => focused === 'Tags…',
    );
    await page.keyboard.press('Escape');
    await bar(page).waitFor({ state: 'detached' });
  }));

test('[R2.26] tags are added to and removed from many streams; their other tags stay', () =>
  testEnv.open('/streams', async (page) => {
    const [first = '', second = ''] = uids;
    await client.saveStream({ params: { uid: first }, body: { tags: ['yard', 'old'] } });
    await button(page, 'Select streams').click();
    await page.getByRole('link', { name: /^Camera 00/ }).click();
    await page.getByRole('link', { name: /^Camera 01/ }).click();
    await button(page, 'Tags…').click();
    await page.getByRole('combobox', { name: 'Add the tags' }).fill('night');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Remove the tags' }).fill('old');
    await page.keyboard.press('Enter');
    await button(page, 'Change the tags').press('Enter');
    await page.getByText('Tags of 2 streams have been changed').waitFor();
    assert.deepEqual((await client.getStream({ params: { uid: first } })).tags.sort(), ['night', 'yard']);
    assert.deepEqual((await client.getStream({ params: { uid: second } })).tags, ['night']);
  }));

test('[R2.12] [R6.2] all streams may be selected to watch them together; only streams that the user may edit are changed', async () => {
  const own = await signIn(testEnv.server, helper.name, helper.password);
  await testEnv.openAs(own, '/streams', async (page) => {
    await box(page, 'Camera 00').press('Space');
    assert.ok(await button(page, 'Pause').isEnabled());
    await box(page, 'Camera 02').press('Shift+Space');
    await says(page, '3 streams selected');
    // No offer to select streams that are already selected, or to change one that the user may not edit.
    assert.equal(await button(page, 'Select all').count(), 0);
    for (const name of ['Pause', 'Resume', 'Tags…', 'Delete…'])
      assert.ok(await button(page, name).isDisabled(), name);
    await button(page, 'Watch together').click();
    await page.getByRole('heading', { name: '3 streams' }).waitFor();
    assert.equal(await page.locator('article[data-uid]').count(), 3);
    // Saved afterwards, at the same place.
    await button(page, 'Save as a mosaic').click();
    await page.getByLabel('Name').fill('Entrances');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Entrances' }).waitFor();
    assert.match(page.url(), /\/mosaic\/\d+$/);
    assert.equal(await page.locator('article[data-uid]').count(), 3);
  });
});

test('[R8.9] each failure is shown with its reason, completed streams are counted, and only the rest is retried', () =>
  testEnv.open('/streams', async (page) => {
    const [, , gone = ''] = uids;
    await button(page, 'Select streams').click();
    await page.getByRole('link', { name: /^Camera 02/ }).click();
    await page.getByRole('link', { name: /^Camera 04/ }).click({ modifiers: ['Shift'] });
    await says(page, '3 streams selected');
    // Another user was faster.
    await client.deleteStream({ params: { uid: gone } });
    await button(page, 'Pause').click();
    await bar(page).getByText('Paused: 2 of 3.').waitFor();
    const failure = bar(page).getByRole('list', { name: 'What failed and why' }).getByRole('listitem');
    assert.equal(await failure.textContent(), 'Camera 02Not found.');
    await button(page, 'Try again').click();
    await bar(page).getByText('Paused: 0 of 1.').waitFor();
  }));

test('[R7.4] many streams are deleted after a confirmation, with their archives only after typing their number', () =>
  testEnv.open('/streams', async (page) => {
    await button(page, 'Select streams').click();
    await page.getByRole('searchbox').fill('"Camera 6"');
    await page.getByRole('link', { name: /^Camera 00/ }).waitFor({ state: 'detached' });
    await button(page, 'Select all').click();
    await says(page, '10 streams selected');
    await button(page, 'Delete…').click();
    await page.getByLabel('Delete the recordings too').check();
    const submit = button(page, 'Delete 10 streams and their archives');
    assert.ok(await submit.isDisabled());
    await page.getByLabel('Type “10” to confirm').fill('10');
    await page.keyboard.press('Enter');
    await page.getByText('10 streams have been deleted').waitFor();
    await bar(page).waitFor({ state: 'detached' });
    await page.getByText('No stream matches all the words.').waitFor();
    const { total } = await client.listStreams({ query: { searchingValues: ['Camera 6'] } });
    assert.equal(total, 0);
  }));

/** WCAG 2.2, relative luminance of a colour as `rgb(r, g, b)`. */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test('an empty radio button has a contrast of 3:1 with its dialog in both themes (WCAG 1.4.11)', () =>
  testEnv.open('/streams', async (page) => {
    await button(page, 'Select streams').click();
    await button(page, 'Select all').click();
    await button(page, 'Delete…').click();
    const radio = page.getByLabel('Delete the recordings too');
    await radio.waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
      const [border, around] = await radio.evaluate((element): [string, string] => [
        getComputedStyle(element).borderTopColor,
        getComputedStyle(element.closest('[role=dialog]') ?? element).backgroundColor,
      ]);
      const [darker = 0, lighter = 0] = [luminanceOf(border), luminanceOf(around)].sort((a, b) => a - b);
      const contrast = (lighter + 0.05) / (darker + 0.05);
      assert.ok(contrast >= 3, `${colorScheme}: ${border} on ${around}, ${contrast.toFixed(1)}:1`);
    }
  }));
