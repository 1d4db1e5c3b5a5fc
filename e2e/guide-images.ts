// `npm run guide-images [NAME...]`: takes the pictures of the guide from the real product, with drawn cameras and the archive
// of an hour, into `guide/images`.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { administratorOf, clientOf, until } from './api.ts';
import { desktop, launchBrowser, newPerson, signInByCookie, type Look } from './browser.ts';
import { recordPast } from './past-footage.ts';
import { startServer } from './server.ts';

const folder = join(import.meta.dirname, '../guide/images');
const wanted = process.argv.slice(2);
const minuteMs = 60_000;

/** A picture of the guide, and the steps to it. */
interface GuideImage {
  readonly name: string;
  readonly path: string;
  readonly look: Look;
  readonly act?: (page: Page) => Promise<unknown>;
}

const wide: Look = { ...desktop, width: 1280, height: 800 };
const phone: Look = { ...desktop, width: 390, height: 760, colorScheme: 'light' };

/** @param uids streams with footage @param mosaic of all of them */
function images(uids: readonly string[], mosaic: string): readonly GuideImage[] {
  const [gate = ''] = uids;
  const savesRange = async (page: Page) => {
    await page.getByRole('button', { name: 'Save footage' }).click();
    await page.locator('aside h2').waitFor();
  };
  return [
    {
      name: 'streams',
      path: '/streams',
      look: { ...wide, height: 320 },
      act: (page) => page.waitForFunction(() => document.querySelectorAll('main img').length === 4),
    },
    {
      name: 'player',
      path: `/stream/${gate}/view`,
      look: wide,
      // Two hours of the timeline instead of a day.
      act: async (page) => {
        for (let times = 0; times < 3; times++) await page.keyboard.press('+');
        await page.waitForFunction(
          () => document.querySelectorAll('[data-camera-strip] :is(img, canvas)').length === 4,
        );
      },
    },
    { name: 'player-phone', path: `/stream/${gate}/view`, look: phone },
    {
      name: 'save',
      path: `/stream/${gate}/view?t=${Date.now() - 10 * minuteMs}`,
      look: wide,
      act: savesRange,
    },
    { name: 'wall', path: `/mosaic/${mosaic}`, look: wide },
    { name: 'add-stream', path: '/add-stream', look: { ...wide, colorScheme: 'light' } },
  ];
}

async function take(browser: Browser, url: string, cookie: string, image: GuideImage): Promise<void> {
  const context = await newPerson(browser, image.look);
  await signInByCookie(context, url, cookie);
  const page = await context.newPage();
  // Stills have the lowest priority of all, and cameras are drawn on the same processor.
  page.setDefaultTimeout(180_000);
  await page.goto(`${url}/ui${image.path}`);
  await page.locator('main :is(h1, h2, input, video)').first().waitFor();
  await until(
    () => page.locator('[aria-busy=true]').count(),
    (count) => count === 0,
  );
  await page.waitForFunction(() =>
    [...document.querySelectorAll('video')].every((video) => video.readyState >= video.HAVE_CURRENT_DATA),
  );
  await image.act?.(page);
  await page.waitForFunction(() => [...document.images].every((one) => one.complete && one.naturalWidth > 0));
  // Controls fade away, and so do messages about what has just begun.
  await page.waitForFunction(() =>
    document.getAnimations().every(({ playState }) => playState !== 'running'),
  );
  const session = await context.newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 70 });
  const bytes = Buffer.from(data, 'base64');
  await writeFile(join(folder, `${image.name}.webp`), bytes);
  process.stdout.write(`${image.name}.webp  ${(bytes.length / 1000).toFixed(0)} kB\n`);
  await context.close();
}

/** Streams with an hour of footage that has gaps, in a data folder whose server is stopped. */
async function prepare(dataDir: string): Promise<{ uids: string[]; mosaic: string; cookie: string }> {
  const server = await startServer({ dataDir });
  const { client, cookie } = await administratorOf(server);
  const uids: string[] = [];
  for (const [name, tag] of [
    ['Gate', 'outside'],
    ['Loading dock', 'outside'],
    ['Entrance', 'inside'],
    ['Stairs', 'inside'],
  ] as const)
    uids.push((await client.addStream({ body: { name, streamSource: 'demo:', tags: [tag] } })).uid);
  const cells = uids.map((stream, at) => ({ x: at % 2, y: Math.floor(at / 2), width: 1, height: 1, stream }));
  const layout = { columns: 2, rows: 2, cells };
  const { id } = await client.addMosaic({ body: { name: 'All cameras', isShared: true, layout } });
  await server.stop();
  const nowMs = Date.now();
  const span = (from: number, to: number) => ({
    startMs: nowMs - from * minuteMs,
    endMs: nowMs - to * minuteMs,
  });
  for (const uid of uids) await recordPast(dataDir, uid, [span(60, 41), span(37, 22), span(21, 3)]);
  return { uids, mosaic: String(id), cookie };
}

const dataDir = await mkdtemp(join(tmpdir(), 'vidette-guide-images-'));
const browser = await launchBrowser();
try {
  const { uids, mosaic, cookie } = await prepare(dataDir);
  const server = await startServer({ dataDir, env: { VIDETTE_OVERLOAD_YIELDS: 'false' } });
  try {
    const client = clientOf(server, cookie);
    await until(
      () => client.listStreamStatuses(),
      ({ items }) => items.every(({ status }) => status === 'running'),
    );
    await mkdir(folder, { recursive: true });
    for (const image of images(uids, mosaic))
      if (wanted.length === 0 || wanted.includes(image.name)) await take(browser, server.url, cookie, image);
  } finally {
    await server.stop();
  }
} finally {
  await browser.close();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
}
