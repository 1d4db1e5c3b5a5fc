/**
 * How long a viewer waits for a moment of the archive, through the whole product: server, disk, Media Source Extensions,
 * pixels read back in Chromium.
 *
 *   npm run bench player [COUNT=50]
 *
 * Moments are drawn at random from what is recorded of a `demo:` camera, whose pictures carry their own time. A scrub leads
 * the playhead there and waits for the key picture in the picture's place; near is one that was looked at before. A seek
 * lets the exact picture be shown. What is counted ends when the right time has been read from the pixels.
 */
import type { Page } from 'playwright-core';
import { administratorOf, until } from '../e2e/api.ts';
import { launchBrowser, newPerson, signInByCookie } from '../e2e/browser.ts';
import { startServer } from '../e2e/server.ts';
import { readDemoClock } from '../server/src/ingest/av/demo-clock.ts';
import { median } from './usage.ts';

const [count = 50] = process.argv.slice(2).map(Number);
/** So much is recorded before anything is asked; the demo's fragments and pictures. */
const RECORDED_MS = 100_000;
const GOP_MS = 1000;
const PICTURE_MS = 40;

const server = await startServer();
const { client, cookie } = await administratorOf(server);
const { uid } = await client.addStream({ body: { name: 'Clock', streamSource: 'demo:' } });
const browser = await launchBrowser();
try {
  const startMs = await recorded();
  const person = await newPerson(browser);
  await signInByCookie(person, server.url, cookie);
  const page = await person.newPage();
  await page.addInitScript(watchPictures, readDemoClock.toString());
  await page.goto(`${server.url}/ui/stream/${uid}/view?t=${startMs + 5_000}`);
  await page.locator('[data-player-state=playing][data-player-mode=archive]').waitFor({ state: 'attached' });
  await page.keyboard.press('k');
  const zoomIn = page.getByRole('button', { name: 'Zoom in', exact: true });
  while (await zoomIn.isEnabled()) await zoomIn.click();
  // A moment out of view is brought into its middle: then all that is recorded is in view.
  await page.getByRole('slider', { name: 'Timeline of Clock' }).fill(String(startMs + RECORDED_MS / 2));
  await page.mouse.move(5, 5);
  const moments = Array.from(
    { length: count },
    (_, index) => startMs + 2_000 + ((index * 7919) % (RECORDED_MS - 10_000)),
  );
  const scrubs = await scrubTimes(page, moments);
  report('scrub, cold', scrubs.cold, 300);
  report('scrub, near', scrubs.near, 100);
  report('seek to the exact picture', await seekTimes(page, moments), undefined);
} finally {
  await browser.close();
  await server.stop();
}

/** Waits until enough is recorded; resolves with its beginning, UTC ms. */
async function recorded(): Promise<number> {
  const { ranges } = await until(
    () => {
      const nowMs = Date.now();
      const query = { start_time: nowMs - 3_600_000, end_time: nowMs };
      return client.getArchiveRanges({ params: { uid }, query });
    },
    (answer) => {
      const first = answer.ranges.find(({ status }) => status === 'fragment');
      return first !== undefined && Date.now() - first.date > RECORDED_MS;
    },
    RECORDED_MS + 120_000,
  );
  return ranges.find(({ status }) => status === 'fragment')?.date ?? Number.NaN;
}

/** Leads the playhead to each moment twice, and then to where it stood. */
async function scrubTimes(shown: Page, moments: readonly number[]) {
  const canvas = await shown.locator('canvas[data-dragging]').boundingBox();
  if (!canvas) throw new Error('There is no timeline');
  const cold: number[] = [];
  const near: number[] = [];
  const scale = await shown.getByRole('slider', { name: 'Timeline of Clock' }).evaluate((input) => ({
    fromMs: Number(input.getAttribute('aria-valuemin')),
    toMs: Number(input.getAttribute('aria-valuemax')),
  }));
  const msPerPx = (scale.toMs - scale.fromMs) / canvas.width;
  const seen = new Set<number>();
  const lead = async (wishedMs: number) => {
    const px = Math.round((wishedMs - scale.fromMs) / msPerPx);
    const atMs = scale.fromMs + px * msPerPx;
    const key = Math.floor(atMs / GOP_MS);
    const took = shown.evaluate(
      ([fromMs, toMs]) => (window as never as Watched).untilClock('canvas[data-still-ms]', fromMs, toMs),
      [key * GOP_MS, key * GOP_MS + 1] as const,
    );
    await shown.mouse.move(canvas.x + px, canvas.y + 10);
    (seen.has(key) ? near : cold).push(await took);
    seen.add(key);
  };
  await shown.mouse.move(canvas.x + canvas.width / 2, canvas.y + 10);
  await shown.mouse.down();
  for (const momentMs of [...moments, ...moments]) await lead(momentMs);
  await shown.mouse.up();
  return { cold, near };
}

async function seekTimes(shown: Page, moments: readonly number[]): Promise<number[]> {
  const slider = shown.getByRole('slider', { name: 'Timeline of Clock' });
  const times: number[] = [];
  for (const momentMs of moments) {
    const fromMs = Math.floor(momentMs / PICTURE_MS) * PICTURE_MS;
    const took = shown.evaluate(
      ([least, most]) => (window as never as Watched).untilClock('video', least, most),
      [fromMs, fromMs + 1] as const,
    );
    await slider.fill(String(momentMs));
    times.push(await took);
  }
  return times;
}

interface Watched {
  /** Milliseconds from the next input to a picture whose clock is from `fromMs` up to `toMs`. */
  untilClock(selector: string, fromMs: number, toMs: number): Promise<number>;
}

/** Runs in the page before its own scripts. */
function watchPictures(readerSource: string): void {
  const read = new Function(`return (${readerSource})`)() as typeof readDemoClock;
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const clockOf = (selector: string) => {
    const element = document.querySelector<HTMLVideoElement | HTMLCanvasElement>(selector);
    if (!element || !context) return undefined;
    const isVideo = element instanceof HTMLVideoElement;
    if (isVideo && (element.seeking || element.readyState < 2)) return undefined;
    // The strip is as legible in a small copy, which is quicker to read.
    canvas.width = 320;
    canvas.height = 180;
    context.drawImage(element, 0, 0, canvas.width, canvas.height);
    return read(context.getImageData(0, 0, canvas.width, canvas.height).data, canvas.width, canvas.height);
  };
  (window as never as Watched).untilClock = (selector, fromMs, toMs) =>
    new Promise((resolve) => {
      let beganMs: number | undefined;
      const begin = () => (beganMs ??= performance.now());
      for (const name of ['pointermove', 'input']) {
        document.addEventListener(name, begin, { capture: true, once: true });
      }
      const look = () => {
        const clockMs = beganMs === undefined ? undefined : clockOf(selector);
        if (beganMs !== undefined && clockMs !== undefined && clockMs >= fromMs && clockMs < toMs) {
          resolve(performance.now() - beganMs);
        } else requestAnimationFrame(look);
      };
      look();
    });
}

function report(title: string, times: readonly number[], goalMs: number | undefined): void {
  const worst = Math.max(...times);
  const goal = goalMs === undefined ? '' : `, goal ${goalMs} ms at the median`;
  process.stdout.write(
    `${title}: median ${Math.round(median([...times]))} ms, worst of ${times.length} ${Math.round(worst)} ms${goal}\n`,
  );
  if (goalMs !== undefined && median([...times]) > goalMs) process.exitCode = 1;
}
