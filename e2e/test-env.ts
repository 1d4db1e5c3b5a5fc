import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { administratorOf, clientOf } from './api.ts';
import { consoleErrorsOf, desktop, launchBrowser, newPerson, signInByCookie, type Look } from './browser.ts';
import { startServer, type ServerOptions, type TestServer } from './server.ts';

/** A server with its administrator, and a browser, shared by the tests of one file. */
export class TestEnv {
  readonly server: TestServer;
  readonly browser: Browser;
  /** The administrator's client. */
  readonly client: Client;
  /** The administrator's session. */
  readonly cookie: string;

  private constructor(server: TestServer, browser: Browser, client: Client, cookie: string) {
    this.server = server;
    this.browser = browser;
    this.client = client;
    this.cookie = cookie;
  }

  static async start(options: ServerOptions = {}): Promise<TestEnv> {
    const [server, browser] = await Promise.all([startServer(options), launchBrowser()]);
    const { client, cookie } = await administratorOf(server);
    return new TestEnv(server, browser, client, cookie);
  }

  /** For a running server that is set up; the cookie is its administrator's. */
  static async over(server: TestServer, cookie: string): Promise<TestEnv> {
    return new TestEnv(server, await launchBrowser(), clientOf(server, cookie), cookie);
  }

  /** Opens a page below `/ui` as the administrator; fails the test when the page logged an error. */
  open(path: string, body: (page: Page) => Promise<void>, look?: Look): Promise<void> {
    return this.openAs(this.cookie, path, body, look);
  }

  /** Opens a page below `/ui` with the session cookie; fails the test when the page logged an error. */
  async openAs(
    as: string,
    path: string,
    body: (page: Page) => Promise<void>,
    look: Look = desktop,
  ): Promise<void> {
    const context = await newPerson(this.browser, look);
    try {
      await signInByCookie(context, this.server.url, as);
      const page = await context.newPage();
      const consoleErrors = consoleErrorsOf(page);
      await page.goto(`${this.server.url}/ui${path}`);
      await body(page);
      assert.deepEqual(consoleErrors, []);
    } finally {
      await context.close();
    }
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.server.stop();
  }
}

/** The button with exactly this name. */
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
