/**
 * `npm run bench timeline [STEPS=300]`: how smoothly the timeline moves over a year of archive with a gap in
 * each hour and an event every seventy seconds, so that a thousand events are in view. The server's answers are
 * generated here; for comparison the same steps are made over an empty archive. Each step drags or zooms and
 * waits for two frames; the measure is the CPU time of the page's main thread, by the thread's own clock, so
 * that other load on the machine is not included. Two frames may take 33 ms in nineteen of twenty steps.
 */
import type { Page, Route } from 'playwright-core';
import { administratorOf, until } from '../e2e/api.ts';
import { launchBrowser, newPerson, signInByCookie } from '../e2e/browser.ts';
import { startServer } from '../e2e/server.ts';
import { median } from './usage.ts';

const steps = Number(process.argv[2] ?? 300);
const goalMs = 2000 / 60;
const hourMs = 3_600_000;
const gapMs = 600_000;
const eventEveryMs = 70_000;
const yearMs = 365 * 24 * hourMs;

const nowMs = Date.now();
const causes = ['camera-unreachable', 'no-frames', 'server-stopped'];

/** The starts of a periodic event between two moments. */
const every = (ms: number, from: number, to: number) =>
  Array.from(
    { length: Math.max(0, Math.ceil(to / ms) - Math.ceil(from / ms)) },
    (_, at) => (Math.ceil(from / ms) + at) * ms,
  );

/** Answers for a year in which each hour begins with a gap. */
async function answerRanges(route: Route): Promise<void> {
  const query = new URL(route.request().url()).searchParams;
  const from = Number(query.get('start_time'));
  const to = Math.min(nowMs, Number(query.get('end_time')));
  const hours = every(hourMs, from, to);
  const ranges = hours.flatMap((start) => [
    { date: start, status: 'gap' },
    { date: start + gapMs, status: 'fragment' },
  ]);
  const gaps = hours.map((start, at) => ({
    startTime: start,
    endTime: Math.min(to, start + gapMs),
    cause: causes[at % 3],
  }));
  const period = { startTime: nowMs - yearMs, endTime: nowMs };
  await route.fulfill({ json: { period, ranges: [{ date: from, status: 'fragment' }, ...ranges], gaps } });
}

/** How many events the page received. */
let told = 0;

async function answerEvents(route: Route): Promise<void> {
  const query = new URL(route.request().url()).searchParams;
  const times = every(eventEveryMs, Number(query.get('from')), Math.min(nowMs, Number(query.get('to'))));
  const items = times.map((time) => ({
    id: time / eventEveryMs,
    streamId: query.get('streamId'),
    type: 'event',
    kind: 'motion',
    time,
    timeEnd: time + 15_000,
    note: '',
  }));
  told += items.length;
  await route.fulfill({ json: { items } });
}

/** Drags the timeline back and forth, then zooms; returns the milliseconds of work in each step. */
async function move(page: Page): Promise<number[]> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busyMs = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
  };
  const slider = page.getByRole('slider', { name: /^Timeline/ }).first();
  const box = await slider.boundingBox();
  if (!box) throw new Error('There is no timeline');
  const y = box.y + box.height / 2;
  const middle = box.x + box.width / 2;
  const work: number[] = [];
  const step = async (act: () => Promise<void>) => {
    const before = await busyMs();
    await act();
    await page.evaluate(
      () =>
        new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
    );
    work.push((await busyMs()) - before);
  };
  await page.mouse.move(middle, y);
  await page.mouse.down();
  for (let at = 0; at < steps; at++) {
    const away = 30 * (at % 20 < 10 ? at % 10 : 10 - (at % 10));
    await step(() => page.mouse.move(middle + away, y));
  }
  await page.mouse.up();
  for (let at = 0; at < steps / 3; at++) await step(() => page.mouse.wheel(0, at % 10 < 5 ? -120 : 120));
  await session.detach();
  return work.sort((a, b) => a - b);
}

const [server, browser] = await Promise.all([startServer(), launchBrowser()]);
let hasFailed = false;
try {
  const { client, cookie } = await administratorOf(server);
  const { uid } = await client.addStream({
    body: { name: 'Gate', streamSource: 'demo:', archive: { isEnable: false } },
  });
  await until(
    async () => (await client.getStream({ params: { uid } })).status,
    (status) => status === 'running',
    60_000,
  );
  for (const archive of ['nothing recorded', 'a year, a gap per hour, a thousand events in view'] as const) {
    const context = await newPerson(browser);
    await signInByCookie(context, server.url, cookie);
    const page = await context.newPage();
    if (archive !== 'nothing recorded') {
      await page.route('**/archive/ranges?*', answerRanges);
      await page.route('**/v1/annotations?*', answerEvents);
    }
    await page.goto(`${server.url}/ui/stream/${uid}/view`);
    await page.locator('main video').waitFor();
    if (archive !== 'nothing recorded')
      await until(
        () => told,
        (count) => count >= 1000,
      );
    await page.waitForLoadState('networkidle');
    const work = await move(page);
    const most = work[Math.floor(work.length * 0.95)] ?? Infinity;
    console.log(
      `${archive}: ${median(work).toFixed(1)} ms for two frames at the median, ${most.toFixed(1)} in nineteen of twenty, ` +
        `${work.at(-1)?.toFixed(1)} at the worst of ${work.length} (goal ${goalMs.toFixed(0)} in nineteen of twenty)`,
    );
    hasFailed ||= most > goalMs;
    await context.close();
  }
} finally {
  await browser.close();
  await server.stop();
}
process.exitCode = hasFailed ? 1 : 0;
