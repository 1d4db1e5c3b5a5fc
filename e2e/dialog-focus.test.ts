import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from './api.ts';
import { button, TestEnv } from './test-env.ts';

// Where the focus is when a dialog has closed: at what opened it, so that a person without a mouse goes on from there.

let testEnv: TestEnv;

before(async () => {
  testEnv = await TestEnv.start();
  for (const name of ['Gate', 'Yard'])
    // It has no viewer, so it never connects.
    await testEnv.client.addStream({
      body: { name, streamSource: 'demo:', live: { onDemand: true }, archive: { isEnable: false } },
    });
});

after(() => testEnv?.close());

const dialog = (page: Page) => page.getByRole('dialog');
const isGone = (page: Page) => dialog(page).waitFor({ state: 'detached' });

/** Waits until a button or a link with this name has the focus. */
async function hasFocus(page: Page, name: string): Promise<void> {
  const ofFocused = () => {
    const focused = document.activeElement?.closest('a, button');
    return focused?.getAttribute('aria-label') ?? focused?.textContent ?? null;
  };
  await until(
    () => page.evaluate(ofFocused),
    (focused) => focused === name,
  );
}

/** Presses Escape as soon as a dialog is in the page, and so before any timer that it has started. */
const escapeImmediately = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<void>((done) => {
        new MutationObserver((_, observer) => {
          if (!document.querySelector('[role=dialog]')) return;
          observer.disconnect();
          document.activeElement?.dispatchEvent(
            new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }),
          );
          done();
        }).observe(document.body, { childList: true, subtree: true });
      }),
  );

const pickGate = async (page: Page) => {
  await button(page, 'Select streams').click();
  await page.getByRole('link', { name: /^Gate/ }).click();
};

for (const name of ['Tags…', 'Delete…'])
  test(`[R1.7] Escape that comes before the dialog of "${name}" has taken the focus leaves it at the button`, () =>
    testEnv.open('/streams', async (page) => {
      await pickGate(page);
      await Promise.all([escapeImmediately(page), button(page, name).press('Enter')]);
      await isGone(page);
      await hasFocus(page, name);
    }));

test('[R1.7] a dialog that is opened once more while it closes keeps the focus', () =>
  testEnv.open('/streams', async (page) => {
    await pickGate(page);
    await button(page, 'Tags…').press('Enter');
    const field = page.getByRole('combobox', { name: 'Add the tags' });
    await field.press('Escape');
    await button(page, 'Tags…').press('Enter');
    await field.waitFor();
    await until(
      () => field.evaluate((one) => one === document.activeElement),
      (isFocused) => isFocused,
    );
    await page.keyboard.type('night');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('night', { exact: true }).waitFor();
  }));

test('[R1.7] a dialog that a menu opened returns the focus to the button of the menu', () =>
  testEnv.open('/streams', async (page) => {
    const { items } = await testEnv.client.listStreams({});
    await page.goto(`${testEnv.server.url}/ui/stream/${items[0]?.uid}/view`);
    await button(page, 'View').press('Enter');
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).press('Enter');
    await dialog(page).getByRole('button', { name: 'Close' }).press('Enter');
    await isGone(page);
    await hasFocus(page, 'View');
  }));

test('[R1.7] a dialog that is removed when it closes returns the focus, and so does the question before leaving', () =>
  testEnv.open('/profile/me/sessions', async (page) => {
    await button(page, 'End all sessions').press('Enter');
    await dialog(page).waitFor();
    await page.keyboard.press('Escape');
    await isGone(page);
    await hasFocus(page, 'End all sessions');
    await page.goto(`${testEnv.server.url}/ui/profile/me/edit`);
    await page.getByLabel('Old password', { exact: true }).fill('seven quiet otters 5');
    const link = page.getByRole('link', { name: 'Mosaics', exact: true });
    await link.press('Enter');
    await button(page, 'Stay here').press('Enter');
    await isGone(page);
    await hasFocus(page, 'Mosaics');
  }));
