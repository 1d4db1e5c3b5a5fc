/**
 * `npm run bench list [STEPS=300]`: how smoothly the page scrolls a list of 10 000 streams, compared with one
 * of 100. Both are scrolled in the same browser by the same number of equal steps, in the grid and in the
 * table, back and forth over the height of 100 streams, and the long one also by leaps over its whole length.
 * The measure is the CPU time of the page's main thread in each step, by the thread's own clock, so that other
 * load on the machine is not included. A step at 10 000 may cost no more than one and a half times a step at
 * 100, and the page may not contain more elements at a time.
 */
import { rm } from 'node:fs/promises';
import type { CDPSession, Page } from 'playwright-core';
import { launchBrowser, newPerson } from '../e2e/browser.ts';
import type { TestServer } from '../e2e/server.ts';
import { secretOf, startFilled } from './filled-server.ts';
import { median } from './usage.ts';

const steps = Number(process.argv[2] ?? 300);
const stepPx = 60;
const growthMax = 1.5;

interface Scroll {
  /** Milliseconds of the main thread, per step. */
  readonly work: readonly number[];
  /** The maximum number of elements in the list at a time. */
  readonly elements: number;
}

async function busyMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
}

/** Scrolls by one step after another, turning where the list ends, and measures each. */
async function scroll(page: Page, session: CDPSession, byPx: number): Promise<Scroll> {
  const work: number[] = [];
  let elements = 0;
  for (let step = 0; step < steps; step++) {
    const before = await busyMs(session);
    elements = Math.max(
      elements,
      await page.evaluate(
        ([length, number]) =>
          new Promise<number>((resolve) => {
            const range = document.documentElement.scrollHeight - window.innerHeight;
            const way = (length * (number + 1)) % (2 * range);
            window.scrollTo(0, way > range ? 2 * range - way : way);
            requestAnimationFrame(() =>
              requestAnimationFrame(() => resolve(document.querySelectorAll('main *').length)),
            );
          }),
        [byPx, step] as const,
      ),
    );
    work.push((await busyMs(session)) - before);
  }
  return { work, elements };
}

const browser = await launchBrowser();
const servers: TestServer[] = [];
let hasFailed = false;
try {
  for (const streams of [100, 10_000]) servers.push(await startFilled(streams));
  for (const view of ['grid', 'table'] as const) {
    const scrolls: Scroll[] = [];
    for (const server of servers) {
      const context = await newPerson(browser);
      await context.addCookies([{ name: 'vidette_session', value: secretOf(1), url: server.url }]);
      const page = await context.newPage();
      const session = await context.newCDPSession(page);
      await session.send('Performance.enable', { timeDomain: 'threadTicks' });
      await page.goto(`${server.url}/ui/streams`);
      await page.getByRole('button', { name: view === 'grid' ? 'Grid' : 'Table', exact: true }).click();
      await page.locator('main a[href*="/stream/"]').first().waitFor();
      const steady = await scroll(page, session, stepPx);
      scrolls.push(steady);
      const leaps = await scroll(page, session, 20_000);
      console.log(
        `${view}, ${server === servers[0] ? '100' : '10 000'} streams: ${median(steady.work).toFixed(1)} ms a step, ` +
          `the worst ${Math.max(...steady.work).toFixed(0)}; leaps ${median(leaps.work).toFixed(1)} ms; ` +
          `${Math.max(steady.elements, leaps.elements)} elements`,
      );
      await context.close();
    }
    const [short, long] = scrolls;
    if (!short || !long) throw new Error('A list was not measured');
    const growth = median(long.work) / median(short.work);
    const isFine = growth <= growthMax && long.elements <= short.elements * growthMax;
    console.log(`${view}: ${growth.toFixed(2)} times the work at 10 000: ${isFine ? 'fine' : 'FAILED'}`);
    hasFailed ||= !isFine;
  }
} finally {
  await browser.close();
  for (const server of servers) {
    await server.stop();
    await rm(server.dataDir, { recursive: true, force: true });
  }
}
process.exit(hasFailed ? 1 : 0);
