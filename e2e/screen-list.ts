import type { BrowserContext, Page } from 'playwright-core';
import type { ChangeLine } from '@vidette/contract/archive-changes';
import type { ClusterNode } from '@vidette/contract/entities';

/** One screenshot to take, and the steps to reach it. */
export interface Screen {
  readonly name: string;
  /** Below `/ui`. */
  readonly path: string;
  readonly isSignedOut?: boolean;
  /** The session of a user other than the administrator. */
  readonly cookie?: string;
  /** Runs before the page is opened: answers to hold back or replace. */
  readonly testEnv?: (context: BrowserContext) => Promise<unknown>;
  /** Runs after it has loaded: what to click before the screenshot. */
  readonly act?: (page: Page) => Promise<unknown>;
}

const list = '**/v1/streams?*';

/** Screens of a server that is not set up. */
export const lockedScreens: readonly Screen[] = [
  { name: 'init', path: '/', isSignedOut: true },
  {
    name: 'init-errors',
    path: '/init',
    isSignedOut: true,
    act: (page) => page.locator('button[type=submit]').click(),
  },
];

/** Screens of a server that has no streams. */
export const emptyScreens: readonly Screen[] = [
  { name: 'streams-empty', path: '/streams' },
  { name: 'events-empty', path: '/events?unreviewed=true' },
  { name: 'bookmarks-empty', path: '/bookmarks' },
  { name: 'mosaics-empty', path: '/mosaics' },
  { name: 'exports-empty', path: '/exports' },
];

/** The data behind the screens of a full server. */
export interface Exhibits {
  readonly live: string;
  readonly failed: string;
  /** The key of the first stream's public link. */
  readonly shareKey: string;
  /** The session of a user who may see only the first stream. */
  readonly guard: string;
}

/** Screens of a server that has streams. */
export function fullScreens({ live, failed, shareKey, guard }: Exhibits): readonly Screen[] {
  return [
    { name: 'auth', path: '/auth', isSignedOut: true },
    { name: 'auth-expired', path: '/auth?expired=true', isSignedOut: true },
    {
      name: 'auth-refused',
      path: '/auth',
      isSignedOut: true,
      act: async (page) => {
        await page.locator('input').nth(0).fill('guard');
        await page.locator('input').nth(1).fill('not the password');
        await page.locator('button[type=submit]').click();
        await page.locator('main [role=alert], [aria-invalid=true]').first().waitFor();
      },
    },
    { name: 'recover-password', path: '/recover-password', isSignedOut: true },
    {
      name: 'recover-password-sent',
      path: '/recover-password',
      isSignedOut: true,
      testEnv: (context) =>
        context.route('**/v1/password/send-reset', (route) =>
          route.fulfill({ status: 204, headers: { 'retry-after': '60' } }),
        ),
      act: async (page) => {
        await page.locator('input').first().fill('guard@example.org');
        await page.locator('button[type=submit]').click();
        await page.locator('input').nth(2).waitFor();
      },
    },
    { name: 'share', path: `/share/${shareKey}`, isSignedOut: true },
    { name: 'share-revoked', path: `/share/${'a'.repeat(43)}`, isSignedOut: true },
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
      testEnv: (context) => context.route('**/v1/stream/pause', (route) => answer(route, 403, 'Forbidden')),
      act: async (page) => {
        await pickTwo(page);
        await page.locator('section button').nth(2).click();
      },
    },
    {
      name: 'streams-picked-tags',
      path: '/streams',
      act: async (page) => {
        await pickTwo(page);
        await page.locator('section button').nth(4).click();
      },
    },
    {
      name: 'streams-picked-delete',
      path: '/streams',
      act: async (page) => {
        await pickTwo(page);
        await page.locator('section button').nth(5).click();
      },
    },
    {
      name: 'streams-nothing',
      path: '/streams',
      act: async (page) => {
        await openSettings(page);
        await page.locator('input[type=search]').fill('no such stream');
      },
    },
    {
      name: 'streams-loading',
      path: '/streams',
      testEnv: (context) => context.route(list, () => new Promise(() => undefined)),
    },
    {
      name: 'streams-failed',
      path: '/streams',
      testEnv: (context) => context.route(list, (route) => answer(route, 400, 'BadRequest')),
    },
    {
      name: 'offline',
      path: '/streams',
      act: async (page) => {
        await page.context().route('**/v1/**', (route) => route.abort());
        // The page gives up the event stream, which is open already.
        await page.context().setOffline(true);
      },
    },
    { name: 'streams-guard', path: '/streams', cookie: guard },
    { name: 'forbidden', path: '/administration/config', cookie: guard },
    { name: 'stream-unknown', path: `/stream/${failed}/view`, cookie: guard },
    {
      name: 'banners',
      path: '/streams',
      testEnv: async (context) => {
        // The page contains the settings that it begins with.
        await context.route('**/ui/streams', async (route) => {
          const response = await route.fetch();
          const body = (await response.text()).replace('"isLicenseExpired":false', '"isLicenseExpired":true');
          await route.fulfill({ response, body });
        });
        await context.route('**/v1/system/health', (route) => route.fulfill({ json: unwell() }));
      },
    },
    { name: 'menu', path: '/streams', act: openMenu },
    { name: 'add-stream', path: '/add-stream' },
    { name: 'add-stream-probed', path: '/add-stream', act: (page) => probe(page, 'demo:') },
    {
      name: 'add-stream-refused',
      path: '/add-stream',
      act: (page) => probe(page, 'rtsp://127.0.0.1:9/nothing'),
    },
    { name: 'stream-view', path: `/stream/${live}/view` },
    { name: 'stream-view-archive', path: `/stream/${live}/view?t=${Date.now() - 20_000}` },
    { name: 'stream-view-keys', path: `/stream/${live}/view`, act: (page) => page.keyboard.press('?') },
    { name: 'stream-view-save', path: `/stream/${live}/view`, act: (page) => saveFootage(page) },
    { name: 'stream-view-failed', path: `/stream/${failed}/view` },
    { name: 'stream-info', path: `/stream/${live}/info` },
    { name: 'stream-setting', path: `/stream/${live}/setting` },
    { name: 'stream-debug', path: `/stream/${live}/debug` },
    {
      name: 'stream-debug-failed',
      path: `/stream/${failed}/debug`,
      act: async (page) => {
        await page.locator('main button', { hasText: /Test|Проверить/ }).click();
        await page.locator('main [role=alert]').waitFor();
      },
    },
    { name: 'profile-info', path: '/profile/me' },
    { name: 'profile-edit', path: '/profile/me/edit' },
    { name: 'profile-tokens', path: '/profile/me/tokens' },
    {
      name: 'profile-token-made',
      path: '/profile/me/tokens',
      testEnv: (context) =>
        context.route('**/v1/tokens', (route) =>
          route.request().method() === 'POST'
            ? route.fulfill({ json: { name: 'Backup script', secret: 'vt_'.padEnd(46, 'x7') } })
            : route.continue(),
        ),
      act: async (page) => {
        await page.locator('main input').first().fill('Backup script');
        await page.locator('main button[type=submit]').click();
      },
    },
    { name: 'profile-sessions', path: '/profile/me/sessions' },
    { name: 'settings', path: '/settings' },
    { name: 'side-bar', path: '/help', act: openSideBar },
    { name: 'palette', path: '/streams', act: openPalette },
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
      testEnv: (context) =>
        context.route('**/v1/system/cluster/nodes', (route) => route.fulfill({ json: clusterOfThree() })),
    },
    {
      name: 'administration-cluster-drain',
      path: '/administration/cluster',
      testEnv: (context) =>
        context.route('**/v1/system/cluster/nodes', (route) => route.fulfill({ json: clusterOfOne() })),
      act: (page) => page.locator('main section button').nth(1).click(),
    },
    { name: 'administration-server-debug', path: '/administration/server-debug' },
    { name: 'administration-audit-logs', path: '/administration/audit-logs' },
    {
      name: 'audit-logs-opened',
      path: '/administration/audit-logs',
      act: (page) => page.locator('main button[aria-expanded]').first().click(),
    },
    {
      name: 'audit-logs-print',
      path: '/administration/audit-logs',
      act: (page) => page.emulateMedia({ media: 'print' }),
    },
    {
      name: 'audit-logs-disabled',
      path: '/administration/audit-logs',
      testEnv: (context) =>
        context.route('**/v1/admin/audit-logs*', (route) => answer(route, 403, 'AuditLogsDisabled')),
    },
    { name: 'user-add', path: '/user/add' },
    { name: 'user-info', path: '/user/guard/info' },
    { name: 'user-edit', path: '/user/guard/edit' },
    { name: 'user-permission', path: '/user/guard/permission' },
    { name: 'user-sessions', path: '/user/admin/sessions' },
    { name: 'stream-permission', path: `/stream/${live}/permission` },
    { name: 'events', path: '/events' },
    {
      name: 'events-chosen',
      path: '/events',
      act: (page) => page.getByRole('option').first().click(),
    },
    { name: 'digest-nothing', path: '/events/digest?from=1000&to=2000' },
    { name: 'digest', path: `/events/digest?from=${Date.now() - 3_600_000}&to=${Date.now() + 60_000}` },
    {
      name: 'find',
      path: `/stream/${live}/view?t=${Date.now() - 10_000}`,
      act: openFind,
    },
    {
      name: 'find-changes',
      path: `/stream/${live}/view?t=${Date.now() - 10_000}`,
      testEnv: (context) => context.route('**/archive/changes?*', (route) => route.fulfill(foundChanges())),
      act: async (page) => {
        await openFind(page);
        await findChanges(page);
      },
    },
    { name: 'notifications', path: '/notifications' },
    { name: 'bookmarks', path: '/bookmarks' },
    { name: 'exports', path: '/exports' },
    { name: 'swagger', path: '/swagger#addStream' },
    { name: 'mosaics', path: '/mosaics' },
    { name: 'create-mosaic', path: '/create-mosaic' },
    {
      name: 'create-mosaic-16',
      path: '/create-mosaic',
      act: (page) => page.locator('main [role=group] button').nth(3).click(),
    },
    { name: 'mosaic', path: '/mosaic/1' },
    { name: 'mosaic-wall', path: '/mosaic/2' },
    { name: 'mosaic-archive', path: `/mosaic/1?t=${Date.now() - 20_000}` },
    {
      name: 'mosaic-find',
      path: `/mosaic/1?t=${Date.now() - 20_000}`,
      act: async (page) => {
        await page.getByRole('button', { name: /^(Find the moment|Найти момент)/ }).click();
        await page.getByRole('dialog').waitFor();
      },
    },
    { name: 'mosaic-edit', path: '/mosaic/1/edit' },
    {
      name: 'together-save',
      path: `/wall?streams=${live}-${failed}`,
      act: (page) => page.getByRole('button', { name: /^(Save as a mosaic|Сохранить мозаику)/ }).click(),
    },
    { name: 'first-steps', path: '/first-steps' },
    { name: 'not-found', path: '/nowhere' },
  ];
}

/** On a phone the button is behind another one. */
export async function openFind(page: Page): Promise<void> {
  await page.locator('[data-player-mode=archive]').waitFor({ state: 'attached' });
  const find = page.getByRole('button', { name: /^(Find the moment|Найти момент)/ });
  const more = page.getByRole('button', { name: /^(More controls|Другие кнопки)/ });
  await find.or(more).first().waitFor();
  if (!(await find.isVisible())) await more.click();
  await find.click();
}

/** Has the open dialog search, and waits for the changes found. */
export async function findChanges(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^(Find automatically|Найти автоматически)/ }).click();
  await page.getByRole('dialog').locator('li button').nth(1).waitFor();
}

/** What a search for changes answers while a node is away. */
export function foundChanges() {
  const [endTime, startTime] = [Date.now(), Date.now() - 3_600_000];
  const step = (minute: number, change: number) => ({
    startTime: startTime + minute * 60_000,
    endTime: startTime + (minute + 1) * 60_000,
    change,
  });
  const lines: readonly ChangeLine[] = [
    { type: 'begin', startTime, endTime, withoutNodes: ['north'] },
    ...Array.from({ length: 60 }, (_, minute) => ({
      type: 'step' as const,
      ...step(minute, minute === 20 ? 0.9 : minute === 41 ? 1.4 : 0.03 * (minute % 4)),
    })),
    { type: 'mark', ...step(20, 0.9), lasts: true },
    { type: 'mark', ...step(41, 1.4), lasts: false },
    { type: 'end', reason: 'time', frames: 300, unreadable: 3 },
  ];
  return {
    contentType: 'application/x-ndjson',
    body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  };
}

/** What a server with problems says about its health. */
export function unwell() {
  const base = { expiresAt: null, usedPercent: null, subject: null };
  const warnings = [
    { ...base, code: 'archive-disk-usage', usedPercent: 93 },
    { ...base, code: 'stream-not-recording', subject: 'one' },
    { ...base, code: 'stream-not-recording', subject: 'two' },
    { ...base, code: 'cluster-node-drained', subject: 'gates' },
    { ...base, code: 'tunnel-down', subject: 'RU' },
  ];
  return { version: '0.1.0', warnings };
}

/** What the cluster's nodes answer: one works, one is drained, one is away. */
export function clusterOfThree() {
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

/**
 * The toggles of the list in order: groups, selection, grid, table; the second only when streams can be
 * selected.
 */
async function toggle(page: Page, which: 'streams-groups' | 'streams-view-table'): Promise<void> {
  await page.locator('main input[type=checkbox]').first().waitFor({ state: 'attached' });
  await openSettings(page);
  const toggles = page.locator('main button[aria-pressed][aria-label]');
  await toggles.nth(which === 'streams-groups' ? 0 : 3).click();
}

/** On a phone the settings of the list are behind a button. */
async function openSettings(page: Page): Promise<void> {
  const opener = page.getByRole('button', { name: /^(Search and order|Поиск и порядок)$/ });
  if ((await opener.isVisible()) && (await opener.getAttribute('aria-expanded')) === 'false')
    await opener.click();
}

/** Selects the first two streams of the list. */
async function pickTwo(page: Page): Promise<void> {
  await page.locator('main input[type=checkbox]').first().waitFor({ state: 'attached' });
  await openSettings(page);
  await page.locator('main button[aria-pressed][aria-label]').nth(1).click();
  for (const place of [0, 1]) await page.locator('main input[type=checkbox]').nth(place).check();
  await page.locator('section button').nth(3).waitFor();
}

/** Opens the controls that save footage, which are among the further controls on small screens. */
async function openMenu(page: Page): Promise<void> {
  await page.locator('[aria-haspopup=menu]').click();
  await page.getByRole('menuitem').first().waitFor();
}

/** On a wide screen it is open already. */
async function openSideBar(page: Page): Promise<void> {
  const button = page.locator('[aria-controls=side-bar]');
  if ((await button.getAttribute('aria-expanded')) !== 'true') await button.click();
}

async function openPalette(page: Page): Promise<void> {
  await page.locator('[aria-haspopup=menu]').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
}

async function saveFootage(page: Page): Promise<void> {
  const opener = page.getByRole('button', { name: /Save footage|Сохранить запись/ });
  const more = page.getByRole('button', { name: /More controls|Другие кнопки/ });
  await opener.or(more).first().waitFor();
  if (!(await opener.isVisible())) await more.click();
  await opener.click();
  await page.locator('aside h2').waitFor();
}

async function probe(page: Page, source: string): Promise<void> {
  await page.locator('main input').first().fill(source);
  const answered = page.waitForResponse((response) => response.url().includes('/v1/stream/probe'));
  await page.locator('main section button').first().click();
  await answered;
  await page.locator('img[src^=blob], [aria-invalid=true]').first().waitFor();
}
