import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Client } from '@vidette/contract/client';
import { freePort } from '../server/src/ingest/fixtures/live-sources.ts';
import { administratorOf, until } from './api.ts';
import { desktop, launchBrowser, newPerson } from './browser.ts';
import { playerState } from './frame.ts';
import { startServer, type TestServer } from './server.ts';

let server: TestServer;
let client: Client;
let cookie: string;
let browser: Browser;

before(async () => {
  server = await startServer();
  ({ client, cookie } = await administratorOf(server));
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** The number of amber pixels in the lane at the bottom of the timeline's band. */
function trackMarks(page: Page): Promise<number> {
  return page.evaluate(() => {
    const canvas = document.querySelector<HTMLCanvasElement>('canvas[data-timeline]');
    const context = canvas?.getContext('2d');
    if (!canvas || !context) return 0;
    const { data } = context.getImageData(0, Math.round((50 * canvas.height) / 84), canvas.width, 1);
    let marks = 0;
    for (let at = 0; at < data.length; at += 4) {
      const [red = 0, green = 0, blue = 0] = data.slice(at, at + 3);
      if (red > 200 && green > 140 && green < 200 && blue < 100) marks++;
    }
    return marks;
  });
}

test('[R10.7] [R7.18] motion in front of a camera becomes an annotation and a mark on the timeline, and a key jumps there', async (t) => {
  const port = await freePort('tcp');
  const box = "x='if(between(t,24,30),-40+60*(t-24),-99)':y=90";
  const frame = `color=gray:s=320x180:r=10[ground];testsrc=s=320x240:r=10,crop=24:48:60:60[box];[ground][box]overlay=${box},noise=alls=2:allf=t`;
  const encode =
    '-c:v libx264 -preset ultrafast -tune zerolatency -pix_fmt yuv420p -g 20 -crf 26 -f mpegts -listen 1';
  const camera = spawn(
    'nice',
    [
      'ffmpeg',
      '-v',
      'error',
      '-re',
      '-f',
      'lavfi',
      '-i',
      frame,
      ...encode.split(' '),
      `http://127.0.0.1:${port}/camera.ts`,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  t.after(() => camera.kill('SIGKILL'));
  const { uid } = await client.addStream({
    body: { name: 'Yard', streamSource: `http://127.0.0.1:${port}/camera.ts` },
  });
  await until(
    () => client.getStream({ params: { uid } }),
    ({ status }) => status === 'running',
  );
  const startedMs = Date.now();
  const listed = () =>
    client.listAnnotations({ query: { streamId: uid, from: startedMs - 60_000, to: Date.now() } });
  const { items } = await until(listed, ({ items: [first] }) => first !== undefined, 90_000);
  const [event] = items;
  assert.ok(event?.timeEnd);
  assert.deepEqual([event.type, event.kind, event.streamId], ['event', 'motion', uid]);
  const lastedMs = event.timeEnd - event.time;
  assert.ok(lastedMs > 3_000 && lastedMs < 10_000, `lasted ${lastedMs} ms`);

  const person = await newPerson(browser, desktop);
  t.after(() => person.close());
  const [name = '', value = ''] = cookie.split('=');
  await person.addCookies([{ name, value, url: server.url }]);
  const page = await person.newPage();
  await page.goto(`${server.url}/ui/stream/${uid}/view`);
  const zoomIn = page.getByRole('button', { name: 'Zoom in' });
  while (await zoomIn.isEnabled()) await zoomIn.click();
  await until(
    () => trackMarks(page),
    (marks) => marks >= 3,
  );
  await page.getByRole('button', { name: 'Previous event' }).click();
  const shown = await until(
    () => playerState(page),
    ({ mode, state }) => mode === 'archive' && state === 'playing',
  );
  assert.ok(
    shown.utcMs > event.time - 3_000 && shown.utcMs < event.time + 5_000,
    `${shown.utcMs - event.time} ms`,
  );
  await until(
    () => page.getByRole('slider', { name: 'Timeline of Yard' }).getAttribute('aria-valuetext'),
    (text) => text?.endsWith(', motion') ?? false,
  );

  await client.saveStream({ params: { uid }, body: { motion: { isEnable: false } } });
  assert.deepEqual((await client.getStream({ params: { uid } })).motion, { isEnable: false });
});
