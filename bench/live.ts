/**
 * How far the video in the browser is behind the camera, and how long a click waits for the first frame,
 * through the whole product: camera, server, WebSocket, Media Source Extensions, and pixels read back in
 * Chromium.
 *
 *   npm run bench live [COUNT=20]
 *
 * Two cameras, one after the other: the generated `demo:` video, and a GStreamer RTSP camera whose H.264 video
 * shows its own clock. Camera, server and browser share one machine, and therefore one clock; encoding in the
 * camera is included.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { administratorOf, until } from '../e2e/api.ts';
import { launchBrowser, newPerson } from '../e2e/browser.ts';
import { startServer } from '../e2e/server.ts';
import { readDemoClock } from '../server/src/ffmpeg/demo-clock.ts';
import { median } from './usage.ts';

const [count = 20] = process.argv.slice(2).map(Number);

const camera = spawn('/usr/bin/python3', [fileURLToPath(new URL('clock-camera.py', import.meta.url))], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = (await once(createInterface({ input: camera.stdout }), 'line')) as [string];
const { port } = JSON.parse(line) as { port: number };
const server = await startServer();
const { client, cookie } = await administratorOf(server);
const browser = await launchBrowser();
const person = await newPerson(browser);
const [name = '', value = ''] = cookie.split('=');
await person.addCookies([{ name, value, url: server.url }]);
const page = await person.newPage();
await page.addInitScript(watchClicks, readDemoClock.toString());

for (const [title, source] of [
  ['demo:', 'demo:'],
  ['RTSP camera', `rtsp://127.0.0.1:${port}/clock`],
] as const) {
  const { uid } = await client.addStream({ body: { name: title, streamSource: source } });
  await until(
    () => client.getStream({ params: { uid } }),
    (stream) => stream.status === 'running',
  );
  const clicks: number[] = [];
  for (let index = 0; index < count; index++) clicks.push(await clickToFrame(page, title));
  await page.waitForTimeout(5_000);
  const delays = await readDelays(page);
  report(`${title}: click to first frame`, clicks);
  report(`${title}: camera to pixels`, delays);
  await client.deleteStream({ params: { uid }, query: { purge: true } });
}
await browser.close();
await server.stop();
camera.kill('SIGKILL');

/** Opens the list, clicks the stream's tile, and returns the milliseconds until a frame was presented. */
async function clickToFrame(shownPage: Page, title: string): Promise<number> {
  await shownPage.goto(`${server.url}/ui/streams`);
  const link = shownPage.getByRole('link', { name: title }).first();
  await link.waitFor();
  await shownPage.waitForLoadState('networkidle').catch(() => undefined);
  await link.click();
  await shownPage.waitForFunction(() => (window as never as LiveFigures).firstFrameMs !== undefined);
  return shownPage.evaluate(() => (window as never as LiveFigures).firstFrameMs ?? Number.NaN);
}

/** Reads the camera's clock from the presented frames, twice a second. */
async function readDelays(shownPage: Page): Promise<number[]> {
  const delays: number[] = [];
  while (delays.length < count) {
    await shownPage.waitForTimeout(500);
    const delay = await shownPage.evaluate(() => (window as never as LiveFigures).readDelay());
    if (delay !== undefined) delays.push(delay);
  }
  return delays;
}

interface LiveFigures {
  /** From the last click to the first presented frame after it. */
  firstFrameMs: number | undefined;
  /** Age of the next presented frame by the clock in it; undefined when that could not be read. */
  readDelay(): Promise<number | undefined>;
}

/** Runs in the page before the page's own scripts. */
function watchClicks(readerSource: string): void {
  const watched = window as never as LiveFigures;
  const read = new Function(`return (${readerSource})`)() as typeof readDemoClock;
  const video = () => document.querySelector('video');
  document.addEventListener(
    'click',
    () => {
      const clickedMs = performance.now();
      watched.firstFrameMs = undefined;
      const look = () => {
        const element = video();
        if (!element) requestAnimationFrame(look);
        else element.requestVideoFrameCallback((nowMs) => (watched.firstFrameMs = nowMs - clickedMs));
      };
      look();
    },
    { capture: true },
  );
  watched.readDelay = () =>
    new Promise((resolve) => {
      video()?.requestVideoFrameCallback(() => {
        const nowMs = Date.now();
        const element = video();
        const canvas = document.createElement('canvas');
        canvas.width = element?.videoWidth ?? 1;
        canvas.height = element?.videoHeight ?? 1;
        const context = canvas.getContext('2d');
        if (!element || !context) return resolve(undefined);
        context.drawImage(element, 0, 0);
        const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
        const clockMs = read(data, canvas.width, canvas.height);
        resolve(clockMs === undefined ? undefined : nowMs - clockMs);
      });
    });
}

function report(title: string, valuesMs: readonly number[]): void {
  const worst = Math.max(...valuesMs);
  console.log(
    `${title}: median ${median(valuesMs).toFixed(0)} ms, worst of ${valuesMs.length} ${worst.toFixed(0)} ms`,
  );
}
