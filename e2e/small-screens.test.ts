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

test('[R1.6] on a phone the first picture begins in the first quarter of the screen, even below streams without video', async () => {
  const body = { name: 'Склад, проходная у железнодорожных весов', streamSource: 'rtsp://127.0.0.1:9/x' };
  const { uid } = await client.addStream({ body });
  await until(
    () => client.listStreamStatuses(),
    ({ items }) => items.some(({ status }) => status === 'failed'),
  );
  await testEnv.open(
    '/help',
    async (page) => {
      for (const [path, picture] of [
        ['/streams', 'main article'],
        [paths.find((one) => /^\/stream\/.*\/view$/.test(one)) ?? '', 'main video'],
        [paths.find((one) => /^\/mosaic\/\d+$/.test(one)) ?? '', 'main article'],
        ['/events', 'main [data-empty]'],
      ] as const) {
        await goWithin(page, path);
        const first = page.locator(picture).first();
        await first.waitFor();
        if (path === '/streams')
          await page.getByRole('region', { name: 'Нет видео: 1 поток' }).getByText(body.name).waitFor();
        const top = (await first.boundingBox())?.y ?? Infinity;
        assert.ok(top <= phone.height / 4, `${path}: the picture begins at ${top}`);
      }
      // The settings are one click away, and say so while they narrow the list.
      await goWithin(page, '/streams');
      const search = page.getByRole('searchbox');
      assert.equal(await search.isVisible(), false);
      await page.getByRole('button', { name: 'Поиск и порядок' }).click();
      await search.fill('склад');
      await page.getByRole('link', { name: /^Ворота/ }).waitFor({ state: 'detached' });
      await page.reload();
      await search.waitFor();
    },
    phone,
  );
  await client.deleteStream({ params: { uid } });
});

test('on a phone, what a camera without video lacks is not under its name and state', async (t) => {
  const { uid } = await client.addStream({
    body: { name: 'Погрузка', streamSource: 'rtsp://127.0.0.1:9/live', archive: { isEnable: false } },
  });
  t.after(() => client.deleteStream({ params: { uid } }));
  await testEnv.open(
    `/stream/${uid}/view`,
    async (page) => {
      const since = page.getByText(/^Видео нет с/);
      await since.waitFor();
      const reason = since.locator('xpath=preceding-sibling::p[1]');
      const badge = page.locator('h1 + [data-status]').getByText('Нет сигнала', { exact: true });
      const [above, below] = [await badge.boundingBox(), await reason.boundingBox()];
      assert.ok(above && below);
      assert.ok(below.y >= above.y + above.height, `${below.y} above ${above.y + above.height}`);
      const buttons = page.getByRole('link', { name: 'Настройки', exact: true }).last();
      const [last, video] = [await buttons.boundingBox(), await page.locator('main video').boundingBox()];
      assert.ok(last && video);
      assert.ok(last.y + last.height <= video.y + video.height);
    },
    phone,
  );
});

test('on a phone a stream is shared from its player, beside its name', () =>
  testEnv.open(
    paths.find((path) => /^\/stream\/.*\/view$/.test(path)) ?? '',
    async (page) => {
      const share = page.getByRole('button', { name: 'Поделиться', exact: true });
      const [name, button] = [await page.locator('h1').boundingBox(), await share.boundingBox()];
      assert.ok(name && button);
      assert.ok(button.x >= name.x + name.width && Math.abs(button.y - name.y) < button.height);
      await share.click();
      await page.getByRole('button', { name: 'Создать публичную ссылку' }).waitFor();
    },
    phone,
  ));

test('on a phone the open tab is in sight, and tabs fade where there are more', () =>
  testEnv.open(
    '/administration/audit-logs',
    async (page) => {
      const tabs = page.getByRole('navigation', { name: 'Разделы страницы' });
      const open = tabs.locator('[aria-current=page]');
      const edges = () =>
        tabs.evaluate(({ dataset }) => `${dataset['moreBefore'] ?? ''} ${dataset['moreAfter'] ?? ''}`);
      await until(edges, (found) => found === 'true false');
      const { x, width } = (await open.boundingBox()) ?? assert.fail('it is not drawn');
      assert.ok(x >= 0 && x + width <= phone.width, `${x} to ${x + width}`);
      const first = tabs.getByRole('link').first();
      await first.click();
      // The click alone scrolls to it, before its screen is opened and does.
      await first.and(open).waitFor();
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      await until(edges, (found) => found === 'false true');
      // Drawing the screen again does not undo what the user scrolled.
      const half = await tabs.evaluate((list) => (list.scrollLeft = Math.round(list.scrollWidth / 4)));
      await until(edges, (found) => found === 'true true');
      await page.waitForResponse((response) => response.url().includes('/v1/'));
      assert.ok(Math.abs((await tabs.evaluate((list) => list.scrollLeft)) - half) <= 1);
    },
    phone,
  ));

test('on a phone a long name does not push the end of a sentence of the audit log out of its table', async () => {
  const name = 'СкладСевернаяПроходнаяУЖелезнодорожныхВесовБезПробелов';
  const body = { name, streamSource: 'rtsp://127.0.0.1:9/x', archive: { isEnable: false } };
  const { uid } = await client.addStream({ body });
  await client.deleteStream({ params: { uid } });
  await testEnv.open(
    '/administration/audit-logs',
    async (page) => {
      const table = page.getByRole('table');
      await table.getByText(name).first().waitFor();
      const [inner, outer] = await table.evaluate((one) => [
        one.scrollWidth,
        one.parentElement?.clientWidth ?? 0,
      ]);
      assert.ok((inner ?? Infinity) <= (outer ?? 0), `${inner} in ${outer}`);
    },
    phone,
  );
});
