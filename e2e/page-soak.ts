import type { CDPSession, Page } from 'playwright-core';
import { until } from './api.ts';
import { goWithin } from './browser.ts';

/** Objects that must not accumulate in an open page, counted after a forced garbage collection. */
export interface PageHoldings {
  readonly heapBytes: number;
  readonly listeners: number;
  readonly nodes: number;
  /** Media Source Extensions objects that are alive: one for each player. */
  readonly players: number;
  /** WebSockets that are open. */
  readonly sockets: number;
}

/** A page over a long lifetime: navigates through its screens, and advances its clock by hours. */
export class PageSoak {
  readonly #page: Page;
  readonly #cdp: CDPSession;
  #sockets = 0;
  /** Calls to the server so far. */
  requests = 0;

  private constructor(page: Page, cdp: CDPSession) {
    this.#page = page;
    this.#cdp = cdp;
    page.on('websocket', (socket) => {
      this.#sockets++;
      socket.on('close', () => this.#sockets--);
    });
    page.on('request', (request) => {
      if (new URL(request.url()).pathname.startsWith('/v1/')) this.requests++;
    });
  }

  static async begin(page: Page): Promise<PageSoak> {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('Performance.enable');
    return new PageSoak(page, cdp);
  }

  /** Goes to a screen as a link does, without reloading the page, and waits until it is drawn. */
  go(path: string): Promise<void> {
    return goWithin(this.#page, path);
  }

  /** Advances the page's own clock, which must be installed, in steps that leave the server time to answer. */
  async pass(steps: number, stepMs: number): Promise<void> {
    for (let step = 0; step < steps; step++) {
      await this.#page.clock.runFor(stepMs);
      await this.#page.evaluate(() => document.hidden);
    }
  }

  /** Hides or shows the tab, as far as the page can tell. */
  async setHidden(isHidden: boolean): Promise<void> {
    await this.#page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
      Object.defineProperty(document, 'visibilityState', {
        configurable: true,
        value: hidden ? 'hidden' : 'visible',
      });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    }, isHidden);
  }

  async holdings(): Promise<PageHoldings> {
    // Objects of a screen are released in several turns: observers, then their targets, then the objects held
    // by those.
    for (let turn = 0; turn < 3; turn++) await this.#cdp.send('HeapProfiler.collectGarbage');
    const { metrics } = await this.#cdp.send('Performance.getMetrics');
    const of = (name: string) => metrics.find((one) => one.name === name)?.value ?? Number.NaN;
    return {
      heapBytes: of('JSHeapUsedSize'),
      listeners: of('JSEventListeners'),
      nodes: of('Nodes'),
      players: await this.#alive('MediaSource'),
      sockets: this.#sockets,
    };
  }

  /** Waits until no player and no socket is left, as on a screen without frames. */
  async untilQuiet(): Promise<PageHoldings> {
    return until(
      () => this.holdings(),
      ({ players, sockets }) => players === 0 && sockets === 0,
      60_000,
    );
  }

  async #alive(className: string): Promise<number> {
    const objectGroup = 'holdings';
    const expression = `${className}.prototype`;
    const { result } = await this.#cdp.send('Runtime.evaluate', { expression, objectGroup });
    const prototypeObjectId = result.objectId ?? '';
    const { objects } = await this.#cdp.send('Runtime.queryObjects', { prototypeObjectId, objectGroup });
    const { result: count } = await this.#cdp.send('Runtime.callFunctionOn', {
      objectId: objects.objectId ?? '',
      functionDeclaration: 'function () { return this.length; }',
      returnByValue: true,
    });
    await this.#cdp.send('Runtime.releaseObjectGroup', { objectGroup });
    return Number(count.value);
  }
}

/** The screens that are visited, as a user does in a day. */
export const walk = (uid: string): readonly string[] => [
  '/streams',
  `/stream/${uid}/view`,
  `/stream/${uid}/info`,
  `/stream/${uid}/setting`,
  `/stream/${uid}/debug`,
  '/bookmarks',
  '/administration/stats',
  '/administration/audit-logs',
  '/profile/me/info',
  '/help',
];
