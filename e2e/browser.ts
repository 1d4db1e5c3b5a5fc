import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

/**
 * Chromium as every browser test uses it. `VIDETTE_CHROMIUM` names another executable.
 * @param hasScrollbars whether scroll bars take space, as on most desktops; otherwise there are none
 */
export function launchBrowser({ hasScrollbars = false } = {}): Promise<Browser> {
  return chromium.launch({
    ...(hasScrollbars && { ignoreDefaultArgs: ['--hide-scrollbars'] }),
    executablePath: process.env['VIDETTE_CHROMIUM'] ?? '/usr/bin/chromium',
    // Independent of the tests' environment: without a UTF-8 locale Chromium can't open files with non-English
    // names.
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    args: [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--autoplay-policy=no-user-gesture-required',
    ],
  });
}

/** The viewport, theme and language of a page. */
export interface Look {
  readonly width: number;
  readonly height: number;
  readonly colorScheme: 'light' | 'dark';
  readonly language: 'en' | 'ru';
  /**
   * Whether to use the service worker of an installed page; without it, the default, every request can be
   * intercepted.
   */
  readonly isInstalled?: boolean;
  /**
   * Whether a wide screen begins with the side bar open, as for a new user. By default the user has closed it: its
   * links have the names of others on the screen.
   */
  readonly hasSideBar?: boolean;
}

export const desktop: Look = { width: 1440, height: 900, colorScheme: 'dark', language: 'en' };

/** Chromium, the server and FFmpeg share few cores. */
const patienceMs = 60_000;

/** A separate browser for one user: nothing is shared with other contexts. */
export async function newPerson(browser: Browser, look: Look = desktop): Promise<BrowserContext> {
  const context = await browser.newContext({
    viewport: { width: look.width, height: look.height },
    colorScheme: look.colorScheme,
    locale: look.language === 'ru' ? 'ru-RU' : 'en-GB',
    timezoneId: 'UTC',
    serviceWorkers: look.isInstalled ? 'allow' : 'block',
    hasTouch: look.width < 600,
  });
  context.setDefaultTimeout(patienceMs);
  if (look.hasSideBar !== true) await context.addInitScript(closeSideBar);
  return context;
}

/** Runs in the browser before the page's own scripts. */
function closeSideBar(): void {
  const key = 'vidette.sideBar';
  // A page embedded in another one, or an empty one, has no storage.
  if (globalThis.origin === 'null' || globalThis.self !== globalThis.top) return;
  if (localStorage.getItem(key) === null) localStorage.setItem(key, 'closed');
}

/** Collects the errors of the page itself; a test that ends with any has found a bug. */
export function consoleErrorsOf(page: Page): string[] {
  const consoleErrors: string[] = [];
  page.on('pageerror', (error) => consoleErrors.push(String(error)));
  page.on('console', (message) => {
    // The browser logs every answer of 400 and above as an error; to the page those are normal.
    if (message.type() !== 'error' || message.text().startsWith('Failed to load resource')) return;
    consoleErrors.push(message.text());
  });
  return consoleErrors;
}

/** Signs a user in with the cookies that `setUp` and `signIn` return. */
export async function signInByCookie(context: BrowserContext, url: string, cookie: string): Promise<void> {
  const cookies = cookie.split('; ').map((pair) => {
    const [name = '', value = ''] = pair.split('=');
    return { name, value, url };
  });
  await context.addCookies(cookies);
}

/** Goes to another screen as a link does, without reloading the page, and waits until it is drawn. */
export async function goWithin(page: Page, path: string): Promise<void> {
  await page.evaluate((href) => {
    document.title = '';
    history.pushState(null, '', href);
    dispatchEvent(new PopStateEvent('popstate'));
  }, `/ui${path}`);
  // Each screen shows its heading as soon as it is rendered.
  await page.waitForFunction(() => document.title !== '');
  await page.locator('main :is(h1, h2, video)').first().waitFor();
}

/** Waits until what has changed is on the screen. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** How much wider than its window a page is, CSS pixels. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Opens a path below `/ui` for a user who is signed in. Once the test has ended, no errors may be in the console. */
export async function openPage(
  t: TestContext,
  { browser, url, cookie }: { readonly browser: Browser; readonly url: string; readonly cookie: string },
  path: string,
): Promise<Page> {
  const person = await newPerson(browser);
  t.after(() => person.close());
  await signInByCookie(person, url, cookie);
  const page = await person.newPage();
  const consoleErrors = consoleErrorsOf(page);
  t.after(() => assert.deepEqual(consoleErrors, []));
  await page.goto(`${url}/ui${path}`);
  return page;
}
