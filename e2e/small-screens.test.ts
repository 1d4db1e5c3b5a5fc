import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Client } from '@vidette/contract/client';
import { until } from './api.ts';
import { goWithin, overflowOf, type Look } from './browser.ts';
import { routePaths } from './routes.ts';
import { TestEnv } from './test-env.ts';

// Every screen at the width of a small phone and of a tablet, in the language with the longer words.

const phone: Look = { width: 360, height: 740, colorScheme: 'light', language: 'ru' };

let testEnv: TestEnv;
let client: Client;
let paths: readonly string[];

before(async () => {
  testEnv = await TestEnv.start();
  ({ client } = testEnv);
  await client.saveProfile({ body: { language: 'ru' } });
  const { uid } = await client.addStream({
    body: { name: 'Ворота, северный двор, дальняя стоянка', streamSource: 'demo:', tags: ['двор'] },
  });
  await client.addUser({ body: { name: 'guard', password: 'seven quiet otters 5' } });
  await client.saveUserPermissions({
    params: { login: 'guard' },
    body: { items: [{ stream: uid, view: true }] },
  });
  await client.addBookmark({ body: { stream: uid, startTime: Date.now(), note: 'Красная машина' } });
  const { id } = await client.addMosaic({
    body: {
      name: 'Все ворота',
      layout: { columns: 1, rows: 1, cells: [{ x: 0, y: 0, width: 1, height: 1, stream: uid }] },
    },
  });
  paths = routePaths({ uid, login: 'guard', id: String(id) });
});

after(() => testEnv?.close());

test('[R1.4] [R1.6] [R1.7] in Russian no screen is wider than a phone or a tablet, and every control is large enough for touch', () =>
  testEnv.open(
    '/nowhere',
    async (page) => {
      const faults: string[] = [];
      for (const path of paths) {
        await goWithin(page, path);
        await until(
          () => page.locator('[aria-busy=true]').count(),
          (count) => count === 0,
        );
        for (const width of [800, phone.width]) {
          await page.setViewportSize({ width, height: phone.height });
          const overflowPx = await overflowOf(page);
          if (overflowPx > 0) faults.push(`${path}: ${overflowPx} px too wide at ${width} px`);
          await page.emulateMedia({ media: 'print' });
          const paperPx = await overflowOf(page);
          if (paperPx > 0) faults.push(`${path}: ${paperPx} px too wide on paper of ${width} px`);
          await page.emulateMedia({ media: null });
        }
        // A control, or its touch target. Links within a sentence are as high as their line, and the cross of a
        // tag as high as the tag.
        const small = await page.evaluate(() => {
          const found = new Set<string>();
          for (const control of document.querySelectorAll<HTMLElement>(
            'button:not(.mantine-Pill-remove), select, textarea, input:not([type=hidden]), nav a, summary',
          )) {
            const frame = control.closest(
              'label, .mantine-Switch-body, .mantine-Radio-body, .mantine-Checkbox-body, .mantine-Input-wrapper',
            );
            const target = control.tagName === 'INPUT' ? (frame ?? control) : control;
            const { width, height } = target.getBoundingClientRect();
            if (width <= 1 || height <= 1 || !control.checkVisibility({ visibilityProperty: true })) continue;
            if (height >= 43.5) continue;
            const name = control.getAttribute('aria-label') ?? control.textContent ?? '';
            found.add(
              `${control.tagName} ${control.className.split(' ')[0]} "${name.slice(0, 30)}" ${height}`,
            );
          }
          return [...found];
        });
        faults.push(...small.map((one) => `${path}: ${one}`));
      }
      assert.deepEqual(faults, []);
    },
    phone,
  ));
