/**
 * How long a viewer waits for a moment of the archive, through the whole product: server, disk, Media Source
 * Extensions, and pixels read back in Chromium.
 *
 *   npm run bench player [COUNT=50]
 *
 * Moments are drawn at random from the recording of a `demo:` camera, whose frames show their own time. A scrub
 * drags the playhead there and waits for the key frame that replaces the video; "near" means one that was shown
 * before. A seek shows the exact frame. The expected frame is determined from the recorded files, because a
 * busy camera skips some; the measured time ends when its time is first read from the pixels, and the error is
 * that of the frame shown afterwards.
 */
import { loadavg } from 'node:os';
import type { Page } from 'playwright-core';
import { scanSegment } from '@vidette/media/fmp4/scan';
import { shownFrames } from '@vidette/media/fmp4/shown-frames';
import { administratorOf, until } from '../e2e/api.ts';
import { launchBrowser, newPerson, signInByCookie } from '../e2e/browser.ts';
import { startServer } from '../e2e/server.ts';
import { readDemoClock } from '../server/src/ffmpeg/demo-clock.ts';
import { parseArchivePlaylist } from '../ui/src/playback/archive-playlist.ts';
import { median } from './usage.ts';

const [count = 50] = process.argv.slice(2).map(Number);
/** Length of the recording before the first measurement. */
const RECORDED_MS = 100_000;
/** The longest wait for a frame. */
const PATIENCE_MS = 5_000;
/** Minimum distance from a frame's beginning: closer, rounding could request its neighbour. */
const EDGE_MS = 3;

/** The recording: when each frame and each key frame begins, UTC ms, oldest first. */
interface Truth {
  readonly frames: readonly number[];
  readonly keys: readonly number[];
}

/** One measurement: how long until the requested frame was shown, and how many frames off the one shown afterwards was. */
interface Look {
  readonly tookMs: number;
  readonly framesOff: number;
}

const server = await startServer();
const { client, cookie } = await administratorOf(server);
const { uid } = await client.addStream({ body: { name: 'Clock', streamSource: 'demo:' } });
const browser = await launchBrowser();
try {
  const startMs = await recorded();
  const truth = await readTruth(startMs);
  const person = await newPerson(browser);
  await signInByCookie(person, server.url, cookie);
  const page = await person.newPage();
  await page.addInitScript(watchFrames, readDemoClock.toString());
  await page.goto(`${server.url}/ui/stream/${uid}/view?t=${startMs + 5_000}`);
  await page.locator('[data-player-state=playing][data-player-mode=archive]').waitFor({ state: 'attached' });
  await page.keyboard.press('k');
  const zoomIn = page.getByRole('button', { name: 'Zoom in', exact: true });
  while (await zoomIn.isEnabled()) await zoomIn.click();
  // A moment out of view is centred: then the whole recording is in view.
  await page.getByRole('slider', { name: 'Timeline of Clock' }).fill(String(startMs + RECORDED_MS / 2));
  await page.mouse.move(5, 5);
  const moments = Array.from(
    { length: count },
    () => startMs + 2_000 + Math.random() * (RECORDED_MS - 10_000),
  );
  process.stdout.write(`load of the machine before: ${loads()}\n`);
  const scrubs = await scrubLooks(page, truth, moments);
  report('scrub, cold', scrubs.cold, 300);
  report('scrub, near', scrubs.near, 100);
  report('seek to the exact frame', await seekLooks(page, truth, moments), undefined);
  process.stdout.write(`load of the machine after: ${loads()}\n`);
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

/** Reads the recorded files. */
async function readTruth(startMs: number): Promise<Truth> {
  const url = `${server.url}/v1/stream/${uid}/archive/index.m3u8?start_time=${startMs}&end_time=${Date.now()}&entry_seconds=0`;
  const pieces = parseArchivePlaylist(await (await fetched(url)).text(), url);
  const frames: number[] = [];
  const keys: number[] = [];
  for (const file of new Set(pieces.map((piece) => piece.url))) {
    const bytes = new Uint8Array(await (await fetched(file)).arrayBuffer());
    const { tracks } = await scanSegment(
      (offset, length) => bytes.subarray(offset, offset + length),
      bytes.length,
    );
    const track = tracks.find(({ kind }) => kind === 'video');
    if (!track) throw new Error('The recording has no frames');
    for (const { offset, length = 0 } of pieces.filter((piece) => piece.url === file)) {
      const starts = shownFrames(bytes.subarray(offset, offset + length), track.id).map(
        ({ startPts }) => (startPts / track.timescale) * 1000,
      );
      frames.push(...starts);
      keys.push(...starts.slice(0, 1));
    }
  }
  return { frames, keys };
}

async function fetched(url: string): Promise<Response> {
  const reply = await fetch(url, { headers: { cookie } });
  if (!reply.ok) throw new Error(`${url}: ${reply.status}`);
  return reply;
}

/** Index of the last start time at or before a moment. */
function indexAt(startsMs: readonly number[], ms: number): number {
  return startsMs.findLastIndex((startMs) => startMs <= ms);
}

/** Drags the playhead to each moment twice. */
async function scrubLooks(shown: Page, truth: Truth, moments: readonly number[]) {
  const canvas = await shown.locator('canvas[data-timeline]').boundingBox();
  if (!canvas) throw new Error('There is no timeline');
  const cold: Look[] = [];
  const near: Look[] = [];
  const scale = await shown.getByRole('slider', { name: 'Timeline of Clock' }).evaluate((input) => ({
    fromMs: Number(input.getAttribute('aria-valuemin')),
    toMs: Number(input.getAttribute('aria-valuemax')),
  }));
  const msPerPx = (scale.toMs - scale.fromMs) / canvas.width;
  const seen = new Set<number>();
  await shown.mouse.move(canvas.x + canvas.width / 2, canvas.y + 10);
  await shown.mouse.down();
  for (const momentMs of [...moments, ...moments]) {
    const px = pixelAt(momentMs, scale.fromMs, msPerPx, truth.keys);
    const wanted = indexAt(truth.keys, scale.fromMs + px * msPerPx);
    const watch = watchFor(shown, 'canvas[data-still-ms]', truth.keys[wanted] ?? Number.NaN);
    await shown.mouse.move(canvas.x + px, canvas.y + 10);
    const { tookMs, clockMs } = await watch;
    const look = { tookMs, framesOff: indexAt(truth.keys, clockMs + EDGE_MS) - wanted };
    (seen.has(wanted) ? near : cold).push(look);
    seen.add(wanted);
  }
  await shown.mouse.up();
  return { cold, near };
}

/** The pixel of a moment, or the next one from which no key frame begins within a pixel: pointers are rounded. */
function pixelAt(ms: number, fromMs: number, msPerPx: number, keys: readonly number[]): number {
  for (let px = Math.round((ms - fromMs) / msPerPx); ; px++) {
    const atMs = fromMs + px * msPerPx;
    if (keys.every((keyMs) => Math.abs(keyMs - atMs) > 1.5 * msPerPx)) return px;
  }
}

async function seekLooks(shown: Page, truth: Truth, moments: readonly number[]): Promise<Look[]> {
  const slider = shown.getByRole('slider', { name: 'Timeline of Clock' });
  const looks: Look[] = [];
  for (const momentMs of moments) {
    const wanted = indexAt(truth.frames, momentMs);
    const startMs = truth.frames[wanted] ?? Number.NaN;
    const watch = watchFor(shown, 'video', startMs);
    await slider.fill(String(Math.max(momentMs, startMs + EDGE_MS)));
    const { tookMs, clockMs } = await watch;
    looks.push({ tookMs, framesOff: indexAt(truth.frames, clockMs + EDGE_MS) - wanted });
  }
  return looks;
}

function watchFor(shown: Page, selector: string, clockMs: number): Promise<PlayerFigures> {
  return shown.evaluate(
    ([where, wantedMs, edgeMs, patienceMs]) =>
      (window as never as Watcher).watchFor(where, wantedMs, edgeMs, patienceMs),
    [selector, clockMs, EDGE_MS, PATIENCE_MS] as const,
  );
}

interface PlayerFigures {
  /** Time from the next input until the frame is first seen, or the timeout. */
  readonly tookMs: number;
  /** The frame shown two frames later. */
  readonly clockMs: number;
}

interface Watcher {
  watchFor(selector: string, wantedMs: number, edgeMs: number, patienceMs: number): Promise<PlayerFigures>;
}

/** Runs in the page before the page's own scripts. */
function watchFrames(readerSource: string): void {
  const read = new Function(`return (${readerSource})`)() as typeof readDemoClock;
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const clockOf = (selector: string) => {
    const element = document.querySelector<HTMLVideoElement | HTMLCanvasElement>(selector);
    if (!element || !context) return undefined;
    const isVideo = element instanceof HTMLVideoElement;
    if (isVideo && (element.seeking || element.readyState < 2)) return undefined;
    // The strip is just as legible in a small copy, which is faster to read.
    canvas.width = 320;
    canvas.height = 180;
    context.drawImage(element, 0, 0, canvas.width, canvas.height);
    return read(context.getImageData(0, 0, canvas.width, canvas.height).data, canvas.width, canvas.height);
  };
  const painted = () => new Promise((done) => requestAnimationFrame(done));
  (window as never as Watcher).watchFor = async (selector, wantedMs, edgeMs, patienceMs) => {
    const beganMs = await new Promise<number>((begin) => {
      for (const name of ['pointermove', 'input']) {
        document.addEventListener(name, () => begin(performance.now()), { capture: true, once: true });
      }
    });
    let tookMs = 0;
    for (; tookMs < patienceMs; tookMs = performance.now() - beganMs) {
      const clockMs = clockOf(selector);
      if (clockMs !== undefined && Math.abs(clockMs - wantedMs) < edgeMs) break;
      await painted();
    }
    await painted();
    await painted();
    return { tookMs: Math.min(tookMs, patienceMs), clockMs: clockOf(selector) ?? Number.NaN };
  };
}

function loads(): string {
  return loadavg()
    .map((load) => load.toFixed(1))
    .join(' ');
}

function report(title: string, looks: readonly Look[], goalMs: number | undefined): void {
  const times = looks.map(({ tookMs }) => tookMs);
  const off = looks.map(({ framesOff }) => Math.abs(framesOff));
  const goal = goalMs === undefined ? '' : `, goal ${goalMs} ms at the median`;
  process.stdout.write(
    `${title}: median ${Math.round(median(times))} ms, worst of ${times.length} ${Math.round(Math.max(...times))} ms${goal}; ` +
      `frames off: median ${median(off)}, worst ${Math.max(...off)}\n`,
  );
  if (goalMs !== undefined && median(times) > goalMs) process.exitCode = 1;
}
