import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { targetTypes } from '@vidette/contract/constants';
import { administratorOf, clientOf } from './api.ts';
import { otherTheme, seriousFaultsInBothThemes } from './axe.ts';
import { desktop, goWithin, launchBrowser, newPerson, signInByCookie, type Look } from './browser.ts';
import { recordedFor } from './footage.ts';
import { routePaths } from './routes.ts';
import { clusterOfThree, findChanges, foundChanges, openFind, unwell } from './screen-list.ts';
import { signIn, startServer, type TestServer } from './server.ts';

let server: TestServer;
let browser: Browser;
let client: Client;
let cookie: string;
/** Another administrator, who reads Russian. */
let second: { readonly client: Client; readonly cookie: string };

before(async () => {
  const env = { VIDETTE_APP_SECURITY_CONTACT: 'mailto:security@example.org' };
  [server, browser] = await Promise.all([startServer({ env }), launchBrowser()]);
  ({ client, cookie } = await administratorOf(server));
  const chief = { name: 'chief', password: 'seven quiet otters 5' };
  await client.addUser({ body: { ...chief, isAdmin: true } });
  const secondCookie = await signIn(server, chief.name, chief.password);
  second = { client: clientOf(server, secondCookie), cookie: secondCookie };
  await client.saveProfile({ body: { language: 'en' } });
  await second.client.saveProfile({ body: { language: 'ru' } });
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

let gate: Promise<string> | undefined;

/** The one stream, added when a test first needs it: the uid. */
function gateUid(): Promise<string> {
  gate ??= client
    .addStream({ body: { name: 'Gate 2', streamSource: 'demo:', tags: ['yard'] } })
    .then(({ uid }) => uid);
  return gate;
}

/** Each language with the theme in which its first step begins. */
const looks = [
  { colorScheme: 'light', language: 'en' },
  { colorScheme: 'dark', language: 'ru' },
] as const;

/** A path to check, and what to do there before. */
interface Step {
  readonly path: string;
  readonly act?: (page: Page) => Promise<unknown>;
}

/** Checks each step with axe, in both themes and languages: all four combinations. The languages run in parallel. */
async function look(
  steps: readonly (string | Step)[],
  isSignedIn: boolean,
  { url }: TestServer = server,
): Promise<void> {
  const person = async ({ colorScheme, language }: (typeof looks)[number]): Promise<string[]> => {
    const context = await newPerson(browser, { ...desktop, colorScheme, language });
    if (isSignedIn) await signInByCookie(context, url, language === 'en' ? cookie : second.cookie);
    await stateAnswers(context);
    const faults = await lookAs(await context.newPage(), colorScheme, `${url}/ui`, steps);
    await context.close();
    return faults.map((fault) => `${language} ${fault}`);
  };
  assert.deepEqual((await Promise.all(looks.map(person))).flat(), []);
}

async function lookAs(
  page: Page,
  begin: Look['colorScheme'],
  base: string,
  steps: readonly (string | Step)[],
): Promise<string[]> {
  const faults: string[] = [];
  let theme = begin;
  for (const [index, step] of steps.entries()) {
    const { path, act }: Step = typeof step === 'string' ? { path: step } : step;
    if (index === 0) await page.goto(base + path);
    else {
      await page.keyboard.press('Escape');
      await goWithin(page, path);
    }
    await page.locator('main :is(h1, h2, video)').first().waitFor();
    await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'));
    await act?.(page);
    for (const fault of await seriousFaultsInBothThemes(page, theme)) faults.push(`${path} ${fault}`);
    theme = otherTheme(theme);
  }
  return faults;
}

/** States that take days, a second node or another program to reach. */
async function stateAnswers(context: BrowserContext): Promise<void> {
  await context.route('**/v1/system/cluster/nodes', (route) => route.fulfill({ json: clusterOfThree() }));
  await context.route('**/archive/changes?*', (route) => route.fulfill(foundChanges()));
  await context.route('**/archive/holds', (route) => {
    const [startTime, endTime] = [Date.now() - 20_000, Date.now() - 10_000];
    const hold = {
      stream: 'gate',
      startTime,
      endTime,
      heldUntil: endTime + 86_400_000,
      createdAt: startTime,
    };
    const items = [1, 2].map((id) => ({ ...hold, id, rule: 'Gate at night', createdBy: 'admin' }));
    return route.fulfill({ json: { items } });
  });
  await context.route('**/archive/stats', async (route) => {
    const reply = await route.fetch();
    await route.fulfill({ json: { ...(await reply.json()), importedBytes: 1_000 } });
  });
}

test('[R1.7] axe finds nothing serious on the setup screen', async (t) => {
  const empty = await startServer();
  t.after(() => empty.stop());
  await look(['/init'], false, empty);
});

test('[R1.7] [R2.29] axe finds nothing serious on the screens of a signed-in user, nor in what opens over them', async () => {
  await look(['/streams'], true);
  const uid = await gateUid();
  await client.addUser({ body: { name: 'guard', password: 'seven quiet otters 5' } });
  await client.saveUserPermissions({
    params: { login: 'guard' },
    body: { items: [{ stream: uid, archive: true }] },
  });
  const { id } = await client.addMosaic({
    body: {
      name: 'All gates',
      isShared: true,
      layout: { columns: 1, rows: 1, cells: [{ x: 0, y: 0, width: 1, height: 1, stream: uid }] },
    },
  });
  const footage = await recordedFor(client, uid, 3_000);
  const [startTime, endTime] = [footage[0]?.startMs, footage.at(-1)?.endMs].map((ms) => Math.floor(ms ?? 0));
  assert.ok(startTime && endTime);
  await client.addAnnotation({
    body: { streamId: uid, kind: 'person', time: startTime, timeEnd: endTime, note: 'With a ladder' },
  });
  for (const one of [client, second.client]) {
    await one.addBookmark({ body: { stream: uid, startTime, note: 'red car' } });
    await one.addExport({ body: { name: 'Night', streams: [uid], startTime, endTime } });
  }
  await look(
    [
      ...routePaths({ uid, login: 'guard', id: String(id) }),
      '/swagger#addUser',
      '/nowhere',
      {
        path: `/stream/${uid}/view?t=${startTime}`,
        act: async (page) => {
          await openFind(page);
          await findChanges(page);
        },
      },
      { path: '/exports', act: (page) => page.getByText('Night').waitFor() },
      { path: `/stream/${uid}/view`, act: openHeldList },
      { path: `/stream/${uid}/setting`, act: openDeletion },
      { path: '/streams', act: openTable },
      {
        path: `/stream/${uid}/view?t=${startTime}`,
        act: (page) => openBy(page, /^(Save footage|Сохранить запись)/),
      },
      '/bookmarks',
      { path: `/stream/${uid}/view`, act: (page) => openBy(page, /^(Share|Поделиться)$/) },
      {
        path: `/events/digest?from=${startTime - 60_000}&to=${endTime + 60_000}`,
        act: (page) => page.locator('[data-clip]').first().waitFor(),
      },
      { path: `/stream/${uid}/view`, act: (page) => page.keyboard.press('?') },
      // Last, as the side bar and the palette stay open.
      {
        path: '/help',
        act: async (page) => {
          await page.locator('a[href="mailto:security@example.org"]').waitFor();
          await page.locator('[aria-controls=side-bar]').click();
          await page.locator('#side-bar').waitFor();
        },
      },
      {
        path: '/settings',
        act: async (page) => {
          await page.locator('[aria-keyshortcuts]').first().click();
          await page.locator('dialog').getByRole('combobox').fill('gate');
          await page.locator('dialog [role=option]').first().waitFor();
        },
      },
    ],
    true,
  );
});

/** Sorted by a figure, with the choice of columns open. */
async function openTable(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^(Table|Таблица)$/ }).click();
  await page
    .getByRole('columnheader', { name: /^(Viewers|Зрители)$/ })
    .getByRole('button')
    .click();
  await openBy(page, /^(Columns|Столбцы)$/);
  await page.getByRole('menuitemcheckbox').first().waitFor();
}

/** Presses a button, and waits for what it opens. */
async function openBy(page: Page, name: RegExp, opened?: string): Promise<void> {
  await page.getByRole('button', { name }).first().click();
  if (opened !== undefined) await page.locator(opened).last().waitFor();
}

async function openHeldList(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^(Held footage|Удержано)/ }).click();
  await page.getByRole('button', { name: /^(Release all|.*все)/i }).waitFor();
}

async function openDeletion(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^(Delete|Удалить) Gate 2…/ }).click();
  await page.getByText(/their files are never deleted|их файлы никогда не удаляются/).waitFor();
}

test('[R1.7] [R2.29] axe finds nothing serious in the menus and dialogs of the screens', async () => {
  const uid = await gateUid();
  const layout = { columns: 1, rows: 1, cells: [{ x: 0, y: 0, width: 1, height: 1, stream: uid }] };
  const { id } = await client.addMosaic({ body: { name: 'Yard', isShared: true, layout } });
  await client.addUser({ body: { name: 'porter', password: 'seven quiet otters 5' } });
  const view = `/stream/${uid}/view`;
  await look(
    [
      { path: '/streams', act: (page) => openMenu(page, page.locator('[aria-haspopup=menu]')) },
      { path: view, act: (page) => openMenu(page, buttonOf(page, /^(View|Изображение)$/)) },
      {
        path: `/mosaic/${id}/edit`,
        act: (page) => openBy(page, /^(Delete the mosaic|Удалить мозаику)/, dialog),
      },
      { path: view, act: (page) => openBy(page, /^(Go to a date|Перейти к дате)/, dialog) },
      { path: '/streams', act: openTags },
      { path: view, act: (page) => openBy(page, /^(Bookmark this|Отметить этот)/, dialog) },
      { path: '/administration/cluster', act: (page) => openBy(page, /^(Drain|Вывести)/, dialog) },
      { path: view, act: (page) => openBy(page, /^(Gaps|Пропуски)$/, dialog) },
      { path: '/create-mosaic', act: (page) => page.keyboard.press('?') },
      {
        path: `/wall?streams=${uid}`,
        act: (page) => openBy(page, /^(Save as a mosaic|Сохранить мозаику)/, dialog),
      },
      { path: '/user/porter/edit', act: (page) => openBy(page, /^(Delete|Удалить) porter/, dialog) },
      { path: '/profile/me/sessions', act: (page) => openBy(page, /^(End all|Завершить все) /, dialog) },
      {
        path: '/events',
        act: async (page) => {
          await page.keyboard.press('?');
          await page.getByRole('dialog').waitFor();
        },
      },
      { path: '/help', act: openProblems },
      { path: '/administration/cluster', act: (page) => openBy(page, /^(Rename|Переименовать)/, dialog) },
      { path: '/profile/me/tokens', act: askForPassword },
      // Last, as a form that was changed asks before it is left.
      { path: `/stream/${uid}/setting`, act: askAboutDepth },
    ],
    true,
  );
});

test('[R1.7] [R2.29] axe finds nothing serious in the player of a phone with all its controls', async (t) => {
  const uid = await gateUid();
  const context = await newPerson(browser, { ...desktop, width: 390, height: 844 });
  t.after(() => context.close());
  await signInByCookie(context, server.url, cookie);
  const page = await context.newPage();
  const act = (shown: Page) => openBy(shown, /^More controls$/, '[aria-expanded=true]');
  const view = { path: `/stream/${uid}/view`, act };
  assert.deepEqual(await lookAs(page, desktop.colorScheme, `${server.url}/ui`, [view]), []);
});

test('[R1.7] axe finds nothing serious in the forms of rules and targets, new, refused and saved', async () => {
  await gateUid();
  const settings = { type: 'webhook', url: 'https://hooks.example.org/gate' } as const;
  for (const one of [client, second.client]) {
    const { id } = await one.addTarget({ body: { name: 'Desk', settings } });
    await one.addRule({ body: { name: 'Night', kinds: ['motion'], targets: [id] } });
  }
  // Each in a page of its own: a form that was changed asks before it is left.
  await look([{ path: '/notifications?rule=new', act: fillRule }], true);
  for (const type of targetTypes) {
    await look([{ path: '/notifications?target=new', act: (page) => refuseTarget(page, type) }], true);
  }
  await look([{ path: '/notifications', act: renewKey }], true);
  await look([{ path: '/notifications', act: leaveRule }], true);
});

const dialog = '[role=dialog]';

const buttonOf = (page: Page, name: RegExp) => page.getByRole('button', { name }).first();

async function openMenu(page: Page, opener: Locator): Promise<void> {
  await opener.click();
  await page.locator('[role=menu]').last().waitFor();
}

/** The list of a server with problems of every kind. */
async function openProblems(page: Page): Promise<void> {
  await page.context().route('**/v1/system/health', (route) => route.fulfill({ json: unwell() }));
  await page.reload();
  await buttonOf(page, /^\d+ (problems|проблем)/).click();
  await page.locator('#health-problems li').first().waitFor();
}

/** The prompt of a call for which the password was entered too long ago. */
async function askForPassword(page: Page): Promise<void> {
  await page.route('**/v1/tokens', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 403, json: { code: 'PasswordRequired', message: 'Enter your password.' } })
      : route.fallback(),
  );
  await page.getByRole('textbox', { name: /^(Name|Название)/ }).fill('script');
  await buttonOf(page, /^(Create a token|Создать токен)/).click();
  await page.locator('[role=dialog] input[type=password]').waitFor();
}

/** The question before a smaller depth deletes recordings. */
async function askAboutDepth(page: Page): Promise<void> {
  await page.route('**/archive/loss*', (route) => route.fulfill({ json: lossOfAWeek() }));
  await page.getByLabel(/^(Keep recordings|Хранить записи)/).selectOption('168');
  await buttonOf(page, /^(Save|Сохранить)$/).click();
  await page.getByRole('dialog', { name: /^(Delete older|Удалить старые)/ }).waitFor();
}

function lossOfAWeek() {
  const now = Date.now();
  return {
    depthHours: 168,
    fromTime: now - 9 * 86_400_000,
    untilTime: now - 7 * 86_400_000,
    durationMs: 2 * 86_400_000,
    bytes: 40_000_000_000,
    beginsAt: now + 3_600_000,
    withoutNodes: ['north'],
  };
}

/** The tags of a selected stream, with the list of those that can be removed. */
async function openTags(page: Page): Promise<void> {
  await buttonOf(page, /^(Select streams|Выбрать потоки)$/).click();
  await page.getByRole('checkbox', { name: /Gate 2/ }).check();
  await buttonOf(page, /^(Tags|Теги)…/).click();
  await page.getByRole('combobox').nth(1).press('ArrowDown');
  await page.locator('[role=option]').first().waitFor();
}

/** Every part of a new rule, with the kinds of events to choose from, after it was refused. */
async function fillRule(page: Page): Promise<void> {
  const switches = page.locator('main').getByRole('switch');
  for (let at = 0; at < (await switches.count()); at++) await switches.nth(at).check({ force: true });
  await buttonOf(page, /^(Save|Сохранить)$/).click();
  await page.locator('[aria-invalid=true]').first().waitFor();
  await page.getByRole('combobox').first().press('ArrowDown');
  await page.locator('[role=option]').first().waitFor();
}

async function refuseTarget(page: Page, type: (typeof targetTypes)[number]): Promise<void> {
  await page.locator('main select').first().selectOption(type);
  const quiet = page.locator('main').getByRole('switch');
  if (type === 'push') await quiet.check({ force: true });
  await page.getByRole('textbox', { name: /^(Name|Название)$/ }).fill('');
  await buttonOf(page, /^(Save|Сохранить)$/).click();
  await page.locator('[aria-invalid=true]').first().waitFor();
}

/** A target's new signing key, which is shown once. */
async function renewKey(page: Page): Promise<void> {
  await buttonOf(page, /^(Edit|Изменить) Desk/).click();
  await page.locator('main').getByRole('switch').check({ force: true });
  await buttonOf(page, /^(Save|Сохранить)$/).click();
  await page.locator('main [aria-live=polite] button').first().waitFor();
}

/** What a rule would have done, and the question before its changes are lost. */
async function leaveRule(page: Page): Promise<void> {
  await buttonOf(page, /^(Edit|Изменить) Night/).click();
  await page.locator('main').getByRole('switch').first().check({ force: true });
  await buttonOf(page, /^(Show what|Показать, что)/).click();
  await page.getByTestId('rule-preview').waitFor();
  await page.getByRole('link', { name: /^(Cancel|Отмена)$/ }).click();
  await page.getByRole('dialog').waitFor();
}

test('[R1.7] axe finds nothing serious on sign-in and recovery', () =>
  look(['/auth', '/auth?expired=true', '/recover-password'], false));

test('[R1.7] sign-in, the menu and the list work by keyboard alone', async () => {
  await gateUid();
  const context = await newPerson(browser, desktop);
  await signInByCookie(context, server.url, cookie);
  const page = await context.newPage();
  await page.goto(`${server.url}/ui/streams`);
  await page.getByRole('link', { name: /^Gate 2/ }).waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Skip to content');
  await page.getByRole('button', { name: 'Menu of admin' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Profile' }).waitFor();
  // The first item has the focus.
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/ui/profile/me/info');
  await context.close();
});
