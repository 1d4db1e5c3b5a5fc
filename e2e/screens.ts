// `npm run screens [FILTER...]`: a picture of every screen, on a phone, a desk and a wall, by day and by night, in
// both languages, against the real server with real streams, into the folder `screens`. People look at them;
// nothing is compared.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import type { ClusterNode } from '@vidette/contract/entities';
import { administratorOf, until } from './api.ts';
import { launchBrowser, newPerson, signInByCookie, type Look } from './browser.ts';
import { recordedFor } from './footage.ts';
import { startServer, type TestServer } from './server.ts';

const folder = join(import.meta.dirname, '../screens');
const filters = process.argv.slice(2);

/** `VIDETTE_SCREENS_WIDTHS=360,1440` takes those widths only. */
const widths = process.env['VIDETTE_SCREENS_WIDTHS']?.split(',').map(Number);

const looks: readonly Look[] = (
  [
    [360, 740],
    [1440, 900],
    [3840, 2160],
  ] as const
)
  .filter(([width]) => widths === undefined || widths.includes(width))
  .flatMap(([width, height]) =>
    (['dark', 'light'] as const).flatMap((colorScheme) =>
      (['en', 'ru'] as const).map((language) => ({ width, height, colorScheme, language })),
    ),
  );

interface Screen {
  readonly name: string;
  /** Below `/ui`. */
  readonly path: string;
  readonly isSignedOut?: boolean;
  /** Before the page is opened: answers to hold back or replace. */
  readonly stage?: (context: BrowserContext) => Promise<unknown>;
  /** After it is there: what to click before the picture is taken. */
  readonly act?: (page: Page) => Promise<unknown>;
}

const list = '**/v1/streams?*';

const lockedScreens: readonly Screen[] = [
  { name: 'init', path: '/', isSignedOut: true },
  {
    name: 'init-errors',
    path: '/init',
    isSignedOut: true,
    act: (page) => page.locator('button[type=submit]').click(),
  },
];

const emptyScreens: readonly Screen[] = [
  { name: 'streams-empty', path: '/streams' },
  { name: 'bookmarks-empty', path: '/bookmarks' },
  { name: 'mosaics-empty', path: '/mosaics' },
  { name: 'exports-empty', path: '/exports' },
];

/** Screens of a server that has streams; the addresses name the first of them. */
function fullScreens(live: string, failed: string): readonly Screen[] {
  return [
    { name: 'auth', path: '/auth', isSignedOut: true },
    { name: 'auth-expired', path: '/auth?expired=true', isSignedOut: true },
    { name: 'recover-password', path: '/recover-password', isSignedOut: true },
    { name: 'streams', path: '/streams' },
    { name: 'streams-table', path: '/streams', act: (page) => toggle(page, 'streams-view-table') },
    { name: 'streams-groups', path: '/streams', act: (page) => toggle(page, 'streams-groups') },
    { name: 'streams-picked', path: '/streams', act: (page) => pickTwo(page) },
    {
      name: 'streams-picked-table',
      path: '/streams',
      act: async (page) => {
        await toggle(page, 'streams-view-table');
        await pickTwo(page);
      },
    },
    {
      name: 'streams-picked-failed',
      path: '/streams',
      stage: (context) => context.route('**/v1/stream/pause', (route) => answer(route, 403, 'Forbidden')),
      act: async (page) => {
        await pickTwo(page);
        await page.locator('section button').nth(1).click();
      },
    },
    {
      name: 'streams-picked-tags',
      path: '/streams',
      act: async (page) => {
        await pickTwo(page);
        await page.locator('section button').nth(3).click();
      },
    },
    {
      name: 'streams-picked-delete',
      path: '/streams',
      act: async (page) => {
        await pickTwo(page);
        await page.locator('section button').nth(4).click();
      },
    },
    {
      name: 'streams-nothing',
      path: '/streams',
      act: (page) => page.locator('input[type=search]').fill('no such stream'),
    },
    {
      name: 'streams-loading',
      path: '/streams',
      stage: (context) => context.route(list, () => new Promise(() => undefined)),
    },
    {
      name: 'streams-failed',
      path: '/streams',
      stage: (context) => context.route(list, (route) => answer(route, 400, 'BadRequest')),
    },
    {
      name: 'offline',
      path: '/streams',
      act: (page) => page.context().route('**/v1/**', (route) => route.abort()),
    },
    { name: 'menu', path: '/streams', act: (page) => page.locator('[aria-haspopup=menu]').click() },
    { name: 'add-stream', path: '/add-stream' },
    { name: 'add-stream-probed', path: '/add-stream', act: (page) => probe(page, 'demo:') },
    {
      name: 'add-stream-refused',
      path: '/add-stream',
      act: (page) => probe(page, 'rtsp://127.0.0.1:9/nothing'),
    },
    { name: 'stream-view', path: `/stream/${live}/view` },
    {
      name: 'stream-view-save',
      path: `/stream/${live}/view`,
      act: (page) => saveFootage(page),
    },
    { name: 'stream-view-failed', path: `/stream/${failed}/view` },
    { name: 'stream-info', path: `/stream/${live}/info` },
    { name: 'stream-setting', path: `/stream/${live}/setting` },
    { name: 'stream-debug', path: `/stream/${live}/debug` },
    {
      name: 'stream-debug-failed',
      path: `/stream/${failed}/debug`,
      act: async (page) => {
        await page.locator('main button', { hasText: /Check|Проверить/ }).click();
        await page.locator('main [role=alert]').waitFor();
      },
    },
    { name: 'profile-info', path: '/profile/me' },
    { name: 'profile-edit', path: '/profile/me/edit' },
    { name: 'profile-tokens', path: '/profile/me/tokens' },
    { name: 'profile-sessions', path: '/profile/me/sessions' },
    { name: 'settings', path: '/settings' },
    { name: 'side-bar', path: '/help', act: (page) => page.locator('[aria-controls=side-bar]').click() },
    { name: 'palette', path: '/streams', act: (page) => page.keyboard.press('Control+k') },
    { name: 'help', path: '/help' },
    { name: 'administration-stats', path: '/administration' },
    { name: 'administration-license', path: '/license' },
    { name: 'administration-config', path: '/administration/config' },
    { name: 'administration-users', path: '/administration/users' },
    { name: 'administration-tunnel', path: '/administration/tunnel' },
    { name: 'administration-cluster-unlicensed', path: '/administration/cluster' },
    {
      name: 'administration-cluster',
      path: '/administration/cluster',
      stage: (context) =>
        context.route('**/v1/system/cluster/nodes', (route) => route.fulfill({ json: clusterOfThree() })),
    },
    {
      name: 'administration-cluster-drain',
      path: '/administration/cluster',
      stage: (context) =>
        context.route('**/v1/system/cluster/nodes', (route) => route.fulfill({ json: clusterOfOne() })),
      act: (page) => page.locator('main section button').nth(1).click(),
    },
    { name: 'administration-server-debug', path: '/administration/server-debug' },
    { name: 'administration-audit-logs', path: '/administration/audit-logs' },
    {
      name: 'audit-logs-disabled',
      path: '/administration/audit-logs',
      stage: (context) =>
        context.route('**/v1/admin/audit-logs?*', (route) => answer(route, 403, 'AuditLogsDisabled')),
    },
    { name: 'user-add', path: '/user/add' },
    { name: 'user-info', path: '/user/guard/info' },
    { name: 'user-edit', path: '/user/guard/edit' },
    { name: 'user-permission', path: '/user/guard/permission' },
    { name: 'user-sessions', path: '/user/admin/sessions' },
    { name: 'stream-permission', path: `/stream/${live}/permission` },
    { name: 'bookmarks', path: '/bookmarks' },
    { name: 'exports', path: '/exports' },
    { name: 'swagger', path: '/swagger#addStream' },
    { name: 'mosaics', path: '/mosaics' },
    { name: 'create-mosaic', path: '/create-mosaic' },
    { name: 'mosaic', path: '/mosaic/1' },
    { name: 'mosaic-archive', path: `/mosaic/1?t=${Date.now() - 20_000}` },
    { name: 'mosaic-edit', path: '/mosaic/1/edit' },
    { name: 'not-found', path: '/nowhere' },
  ];
}

function clusterOfThree() {
  const base = { capacity: 40, version: '0.1.0', isSelf: false, successors: 2 };
  const startedTime = Date.now() - 93_784_000;
  const here = { available: true, startedTime, lastSeenTime: Date.now() };
  const away = { available: false, startedTime: null, lastSeenTime: Date.now() - 720_000 };
  const items: ClusterNode[] = [
    { ...base, ...here, ...nodeAs('yard', 'North yard', 'working', 31, 29), isSelf: true },
    { ...base, ...here, ...nodeAs('gates', 'Ворота и въезды', 'draining', 28, 9) },
    { ...base, ...away, ...nodeAs('old', 'A name so long that it needs two lines', 'away', 3, 0) },
  ];
  return { items, total: 3, page: 1, pageSize: 50 };
}

function clusterOfOne() {
  const [node] = clusterOfThree().items;
  return { items: [{ ...node, successors: 0, capacity: null }], total: 1, page: 1, pageSize: 50 };
}

function nodeAs(
  id: string,
  name: string,
  state: ClusterNode['state'],
  streams: number,
  activeStreams: number,
) {
  return { id, name, state, isDrained: state === 'draining', streams, activeStreams };
}

function answer(route: { fulfill: (reply: object) => Promise<void> }, status: number, code: string) {
  return route.fulfill({
    status,
    contentType: 'application/json',
    body: JSON.stringify({ code, error: '' }),
  });
}

/** The toggles of the list by their order: groups, picking, grid, table; the second once there is what can be picked. */
async function toggle(page: Page, which: 'streams-groups' | 'streams-view-table'): Promise<void> {
  await page.locator('main input[type=checkbox]').first().waitFor({ state: 'attached' });
  const toggles = page.locator('main button[aria-pressed][aria-label]');
  await toggles.nth(which === 'streams-groups' ? 0 : 3).click();
}

/** Picks the first two streams of the list. */
async function pickTwo(page: Page): Promise<void> {
  await page.locator('main input[type=checkbox]').first().waitFor({ state: 'attached' });
  await page.locator('main button[aria-pressed][aria-label]').nth(1).click();
  for (const place of [0, 1]) await page.locator('main input[type=checkbox]').nth(place).check();
  await page.locator('section button').nth(3).waitFor();
}

/** Opens what saves footage, which small screens keep with the further controls. */
async function saveFootage(page: Page): Promise<void> {
  const opener = page.getByRole('button', { name: /Save footage|Сохранить запись/ });
  const more = page.getByRole('button', { name: /More controls|Ещё кнопки/ });
  await opener.or(more).first().waitFor();
  if (!(await opener.isVisible())) await more.click();
  await opener.click();
  await page.locator('aside h2').waitFor();
}

async function probe(page: Page, source: string): Promise<void> {
  await page.locator('main input').first().fill(source);
  await page.locator('main section button').first().click();
  await page.waitForResponse((response) => response.url().includes('/v1/stream/probe'));
  await page.locator('img[src^=blob], [aria-invalid=true]').first().waitFor();
}

const browser = await launchBrowser();
const server = await startServer();
try {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await take(server, lockedScreens, undefined);
  const administrator = await administratorOf(server);
  await take(server, emptyScreens, administrator);
  const streams = await addStreams(administrator.client);
  await take(server, fullScreens(streams.live, streams.failed), administrator);
} finally {
  await browser.close();
  await server.stop();
}

async function addStreams(client: Client): Promise<{ live: string; failed: string }> {
  const add = async (name: string, streamSource: string, tags: string[]) =>
    (await client.addStream({ body: { name, streamSource, tags } })).uid;
  const live = await add('Gate 2', 'demo:', ['yard', 'outside']);
  await add('Ворота, северный двор', 'demo:', ['yard']);
  const paused = await add('A name so long that it has to be cut somewhere before it ends', 'demo:', []);
  const failed = await add('Loading dock', 'rtsp://127.0.0.1:9/live', ['inside']);
  await until(
    () => client.listStreamStatuses(),
    ({ items }) => items.every(({ status }) => status !== 'pending'),
    60_000,
  );
  await client.pauseStream({ body: { uid: paused } });
  await client.addUser({
    body: { name: 'guard', fullName: 'Night guard', password: 'seven quiet otters 5' },
  });
  await client.saveUserPermissions({
    params: { login: 'guard' },
    body: { items: [{ stream: live, archive: true }] },
  });
  const cell = (x: number, y: number, stream: string) => ({ x, y, width: 1, height: 1, stream });
  const cells = [{ ...cell(0, 0, live), width: 2, height: 2 }, cell(2, 0, paused), cell(2, 1, failed)];
  await client.addMosaic({
    body: { name: 'Front of the house', isShared: true, layout: { columns: 3, rows: 3, cells } },
  });
  await client.addBookmark({ body: { stream: live, startTime: Date.now(), note: 'A red car at the gate' } });
  const [fragment] = await recordedFor(client, live, 3_000);
  const startTime = Math.floor(fragment?.startMs ?? 0) - 60_000;
  const named = { name: 'Night at the gate', streams: [live], startTime };
  await client.addExport({ body: { ...named, endTime: Math.floor(fragment?.endMs ?? 0) } });
  return { live, failed };
}

/** Takes every screen in every look; signed in as `person` where a screen needs it. */
async function take(
  { url }: TestServer,
  screens: readonly Screen[],
  person: { readonly client: Client; readonly cookie: string } | undefined,
): Promise<void> {
  const wanted = screens.filter(
    ({ name }) => filters.length === 0 || filters.some((filter) => name.includes(filter)),
  );
  for (const language of ['en', 'ru'] as const) {
    await person?.client.saveProfile({ body: { language } });
    for (const look of looks.filter((one) => one.language === language)) {
      for (const screen of wanted) await takeOne(url, screen, look, person?.cookie);
    }
  }
}

async function takeOne(url: string, screen: Screen, look: Look, cookie: string | undefined): Promise<void> {
  const context = await newPerson(browser, look);
  if (cookie && !screen.isSignedOut) await signInByCookie(context, url, cookie);
  await screen.stage?.(context);
  const page = await context.newPage();
  await page.goto(`${url}/ui${screen.path}`);
  await page.locator('main :is(h1, h2, input, video)').first().waitFor();
  await screen.act?.(page);
  // A picture for people: whatever still fades in or loads has this long.
  await page.waitForTimeout(1_200);
  const file = `${screen.name}.${look.width}.${look.colorScheme}.${look.language}.png`;
  await page.screenshot({ path: join(folder, file) });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (overflow > 0) process.stdout.write(`${file}: ${overflow} px too wide\n`);
  await context.close();
}
