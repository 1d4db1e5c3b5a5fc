// `npm run bench wall [TILES] [SECONDS]`: a wall of 25 fps streams in headless Chromium: how many tiles the
// budget allows to move and how many of their frames are dropped, how long a key press takes to be painted, how
// the page's memory develops, and how far archive tiles are apart. Other programs on the machine affect all of
// these, so the machine's load is printed too.
import { loadavg } from 'node:os';
import { readDemoClock } from '../server/src/ffmpeg/demo-clock.ts';
import { administratorOf, until } from '../e2e/api.ts';
import { launchBrowser, newPerson, signInByCookie } from '../e2e/browser.ts';
import { startServer } from '../e2e/server.ts';

const tiles = Number(process.argv[2] ?? 36);
const seconds = Number(process.argv[3] ?? 120);
/** Number of sources that draw frames; the tiles share them, or the bench would measure the drawing. */
const sources = 4;
const sampleEveryMs = 5_000;

const server = await startServer();
const browser = await launchBrowser();
try {
  const { client, cookie } = await administratorOf(server);
  const uids: string[] = [];
  for (let at = 0; at < sources; at++) {
    const body = { name: `Camera ${at + 1}`, streamSource: `demo:wall${at}?fps=25` };
    uids.push((await client.addStream({ body })).uid);
  }
  const columns = Math.ceil(Math.sqrt(tiles));
  const cells = Array.from({ length: tiles }, (_, at) => ({
    x: at % columns,
    y: Math.floor(at / columns),
    width: 1,
    height: 1,
    stream: uids[at % sources] ?? null,
  }));
  const { id } = await client.addMosaic({
    body: { name: 'Wall', layout: { columns, rows: columns, cells } },
  });
  const person = await newPerson(browser, { width: 1920, height: 1080, colorScheme: 'dark', language: 'en' });
  await signInByCookie(person, server.url, cookie);
  const page = await person.newPage();
  const cdp = await person.newCDPSession(page);
  await cdp.send('Performance.enable');
  await page.goto(`${server.url}/ui/mosaic/${id}`);
  const count = () =>
    page.evaluate(() => {
      const states = [...document.querySelectorAll<HTMLElement>('[data-tile-state]')].map(
        ({ dataset }) => dataset,
      );
      const playing = states.filter((one) => one['tileState'] === 'playing');
      return {
        playing: playing.length,
        moving: playing.filter((one) => one['keyFrames'] === 'false').length,
      };
    });
  await until(count, ({ playing }) => playing === tiles, 300_000);

  /** Frames of the moving tiles, counted by the browser; a tile that restarts counts from zero. */
  const frames = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('article')].map((tile) => {
        const isMoving = tile.querySelector('[data-key-frames="false"]') !== null;
        const quality = tile.querySelector('video')?.getVideoPlaybackQuality();
        return isMoving && quality
          ? { shown: quality.totalVideoFrames, dropped: quality.droppedVideoFrames }
          : undefined;
      }),
    );
  const counted = { shown: 0, dropped: 0 };
  let before = await frames();
  const loads: number[] = [];
  const inputsMs: number[] = [];
  const heapsMb: number[] = [];
  const movings: number[] = [];
  const endMs = Date.now() + seconds * 1000;
  while (Date.now() < endMs) {
    await page.waitForTimeout(sampleEveryMs);
    inputsMs.push(...(await inputToPaint()));
    const { metrics } = await cdp.send('Performance.getMetrics');
    const heap = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0;
    heapsMb.push(heap / 1e6);
    movings.push((await count()).moving);
    loads.push(loadavg()[0] ?? 0);
    const now = await frames();
    for (const [at, one] of now.entries()) {
      const then = before[at];
      if (!one || !then || one.shown < then.shown) continue;
      counted.shown += one.shown - then.shown;
      counted.dropped += one.dropped - then.dropped;
    }
    before = now;
  }
  inputsMs.sort((a, b) => a - b);
  const half = Math.floor(heapsMb.length / 2);
  print(`${tiles} tiles of 1280x720 at 25 fps, ${seconds} s`);
  print(`moving at the end ${movings.at(-1)}, the rest key frames; over time ${movings.join(' ')}`);
  print(`dropped frames of moving tiles: ${((counted.dropped / counted.shown) * 100).toFixed(1)} %`);
  print(`load of the machine, all processes: mean ${mean(loads)}, at most ${Math.max(...loads).toFixed(1)}`);
  print(
    `input to paint: median ${at(inputsMs, 0.5)} ms, nine of ten ${at(inputsMs, 0.9)} ms, worst ${at(inputsMs, 1)} ms`,
  );
  print(
    `script heap: first half ${mean(heapsMb.slice(0, half))} MB, second half ${mean(heapsMb.slice(half))} MB`,
  );

  const few = Math.min(tiles, 9);
  const { id: archive } = await client.addMosaic({
    body: { name: 'Archive', layout: { columns, rows: columns, cells: cells.slice(0, few) } },
  });
  await page.goto(`${server.url}/ui/mosaic/${archive}?t=${Date.now() - 60_000}`);
  await until(spread, (ms) => ms !== undefined, 120_000);
  const spreadsMs: number[] = [];
  while (spreadsMs.length < 50) {
    await page.waitForTimeout(100);
    const ms = await spread();
    if (ms !== undefined) spreadsMs.push(ms);
  }
  spreadsMs.sort((a, b) => a - b);
  print(
    `archive, ${few} tiles, by the clocks in their frames: apart median ${at(spreadsMs, 0.5)} ms, worst of 50 ${at(spreadsMs, 1)} ms`,
  );

  /** Times from a key event's timestamp to the next paint, ms. */
  async function inputToPaint(): Promise<number[]> {
    const found = await page.evaluateHandle(() => {
      const times: number[] = [];
      window.onkeydown = (event) =>
        requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - event.timeStamp)));
      return times;
    });
    for (let press = 0; press < 5; press++) await page.keyboard.press('F2', { delay: 20 });
    const times = await until(
      () => found.jsonValue(),
      ({ length }) => length === 5,
    );
    await found.dispose();
    return times;
  }

  /** How far the frames of the archive's tiles are apart, ms; undefined while not all of them play. */
  function spread(): Promise<number | undefined> {
    return page.evaluate(
      ([reader, wanted]) => {
        const read = new Function(`return (${reader})`)() as typeof readDemoClock;
        const shown = [...document.querySelectorAll('article[data-uid]')].filter((tile) =>
          tile.querySelector('[data-tile-state="playing"]'),
        );
        if (shown.length !== wanted) return undefined;
        const contexts = shown.flatMap((tile) => {
          const video = tile.querySelector('video');
          const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
          if (!video || !context) return [];
          context.canvas.width = video.videoWidth;
          context.canvas.height = video.videoHeight;
          context.drawImage(video, 0, 0);
          return [context];
        });
        const clocks = contexts.map((context) => {
          const { width, height } = context.canvas;
          return read(context.getImageData(0, 0, width, height).data, width, height) ?? Number.NaN;
        });
        return Math.max(...clocks) - Math.min(...clocks);
      },
      [readDemoClock.toString(), few] as const,
    );
  }
} finally {
  await browser.close();
  await server.stop();
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function at(sorted: readonly number[], share: number): string {
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(0);
}

function mean(values: readonly number[]): string {
  return (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(1);
}
