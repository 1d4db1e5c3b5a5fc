import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page, WebSocket, WebSocketRoute } from 'playwright-core';
import { until } from './api.ts';
import { consoleErrorsOf, desktop, newPerson, signInByCookie } from './browser.ts';
import { recorded } from './footage.ts';
import { recordedFrames } from './recorded-frames.ts';
import { button, TestEnv } from './test-env.ts';
import { allPlaying, frameMs, inStep, shownMoments, tileStates, wallPatienceMs } from './tiles.ts';

// Walls as users watch them: live and from the archive, against real streams whose frames show a clock.

const names = ['Dock', 'Gate 2', 'Roof', 'Yard'] as const;
/** A stream that was paused for a while, so that its archive has a gap. */
const paused = 'Attic';
const gapMs = 11_000;

let testEnv: TestEnv;
let page: Page;
let consoleErrors: string[];
/** When `paused` was stopped and resumed; known once both sides of the gap are recorded. */
let gap: Promise<{ pausedMs: number; resumedMs: number }>;
const uids = new Map<string, string>();

before(async () => {
  testEnv = await TestEnv.start();
  for (const name of [...names, paused]) {
    const body = { name, streamSource: 'demo:tile?fps=10' };
    uids.set(name, (await testEnv.client.addStream({ body })).uid);
  }
  // It runs in parallel with the tests that do not need it.
  gap = makeGap();
  gap.catch(() => undefined);
  const person = await newPerson(testEnv.browser, desktop);
  person.setDefaultTimeout(wallPatienceMs);
  await signInByCookie(person, testEnv.server.url, testEnv.cookie);
  page = await person.newPage();
  consoleErrors = consoleErrorsOf(page);
});

after(() => testEnv?.close());

const uidOf = (name: string) => uids.get(name) ?? '';

async function open(path: string): Promise<void> {
  await page.goto(`${testEnv.server.url}/ui${path}`);
}

/** A mosaic of two by two. */
async function makeMosaic(name: string, streams: readonly string[]): Promise<number> {
  const cells = streams.map((stream, at) => ({
    x: at % 2,
    y: Math.floor(at / 2),
    width: 1,
    height: 1,
    stream: uidOf(stream),
  }));
  const layout = { columns: 2, rows: 2, cells };
  return (await testEnv.client.addMosaic({ body: { name, layout } })).id;
}

async function makeGap(): Promise<{ pausedMs: number; resumedMs: number }> {
  const { client } = testEnv;
  const body = { uid: uidOf(paused) };
  const isRecordedUntil = (name: string, ms: number) =>
    until(
      () => recorded(client, uidOf(name)),
      (fragments) => (fragments.at(-1)?.endMs ?? 0) > ms,
      wallPatienceMs,
    );
  await isRecordedUntil(paused, 1);
  await client.pauseStream({ body });
  const pausedMs = Date.now();
  await isRecordedUntil('Dock', pausedMs + gapMs);
  await client.resumeStream({ body });
  const resumedMs = Date.now();
  await isRecordedUntil(paused, resumedMs + 6_000);
  return { pausedMs, resumedMs };
}

test('[R2.12] [R7.41] all tiles show their streams over one socket; one is enlarged; a kiosk shows only the video', async () => {
  const id = await makeMosaic('All four', names);
  await open('/mosaics');
  const sockets: string[] = [];
  const note = (socket: WebSocket) => sockets.push(new URL(socket.url()).pathname);
  page.on('websocket', note);
  const asked = page.waitForRequest((request) =>
    request.url().includes(`/v1/mosaic/${id}?extend_lease=true`),
  );
  await page.getByRole('link', { name: /^All four/ }).click();
  await asked;
  await allPlaying(page, 4);
  assert.deepEqual(sockets, ['/v1/wall']);
  const widths = await page.evaluate(() =>
    [...document.querySelectorAll('video')].map((one) => one.videoWidth),
  );
  assert.ok(
    widths.every((width) => width > 0),
    String(widths),
  );

  await page.getByRole('button', { name: 'Enlarge Roof' }).focus();
  await page.keyboard.press('Enter');
  const states = await until(
    () => tileStates(page),
    (seen) => seen['Roof'] === 'playing' && Object.values(seen).filter((one) => one === 'idle').length === 3,
    wallPatienceMs,
  );
  assert.equal(Object.keys(states).length, 4);
  await page.keyboard.press('Escape');
  await allPlaying(page, 4);

  await page.getByRole('link', { name: 'Mosaic settings' }).focus();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip the tiles');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.ok(await page.evaluate(() => !document.activeElement?.closest('article')), 'no tile has the focus');

  await page.getByRole('button', { name: 'Video only' }).click();
  await page.waitForURL(/kiosk=true/);
  await page.getByRole('banner').waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('link', { name: 'Mosaic settings' }).count(), 0);
  const frame = await page.getByRole('group', { name: 'Video of All four' }).boundingBox();
  assert.deepEqual(frame, { x: 0, y: 0, width: desktop.width, height: desktop.height });
  await page.keyboard.press('Escape');
  await page.getByRole('banner').waitFor();
  assert.deepEqual(sockets, ['/v1/wall']);
  page.off('websocket', note);
  assert.deepEqual(consoleErrors, []);
});

test('a wall whose connection is lost recovers by itself', async () => {
  const id = await makeMosaic('Cut', names);
  const other = await page.context().newPage();
  const lines: { readonly near: WebSocketRoute; readonly far: WebSocketRoute }[] = [];
  await other.routeWebSocket('**/v1/wall', (near) => {
    lines.push({ near, far: near.connectToServer() });
  });
  await other.goto(`${testEnv.server.url}/ui/mosaic/${id}`);
  await allPlaying(other, 4);
  await Promise.all([lines[0]?.near.close(), lines[0]?.far.close()]);
  await until(
    () => lines.length,
    (count) => count === 2,
    wallPatienceMs,
  );
  await allPlaying(other, 4);
  await other.close();
});

test('on a phone tiles out of view are not requested', async () => {
  const id = await makeMosaic('Phone', names);
  const look = { ...desktop, width: 360, height: 480 };
  await testEnv.openAs(
    testEnv.cookie,
    `/mosaic/${id}`,
    async (phone) => {
      const shows = (name: string, state: string) =>
        until(
          () => tileStates(phone),
          (states) => states[name] === state,
          wallPatienceMs,
        );
      await shows('Dock', 'playing');
      assert.equal((await tileStates(phone))['Yard'], 'idle');
      await phone.getByRole('article', { name: 'Yard' }).scrollIntoViewIfNeeded();
      await Promise.all([shows('Yard', 'playing'), shows('Dock', 'idle')]);
    },
    look,
  );
});

test('each tile without video shows its own reason', async () => {
  const { client } = testEnv;
  const added: [string, string][] = [
    ['Shed', 'rtsp://127.0.0.1:9/unreachable'],
    ['Porch', 'demo:tile?fps=10'],
  ];
  for (const [name, streamSource] of added)
    uids.set(name, (await client.addStream({ body: { name, streamSource } })).uid);
  const id = await makeMosaic('Troubles', ['Dock', 'Yard', 'Shed', 'Porch']);
  await open(`/mosaic/${id}`);
  const says = (name: string, words: string | RegExp) =>
    page.getByRole('article', { name }).getByText(words).waitFor();
  const plays = (name: string) =>
    until(
      () => tileStates(page),
      (states) => states[name] === 'playing',
      wallPatienceMs,
    );
  await Promise.all([plays('Yard'), plays('Porch')]);
  const { failureReason } = await until(
    () => client.getStream({ params: { uid: uidOf('Shed') } }),
    ({ status }) => status === 'failed',
    wallPatienceMs,
  );
  await says('Shed', failureReason ?? '');
  await says('Shed', /^No video since .+, for .+\. The next attempt begins within .+\.$/);

  await client.pauseStream({ body: { uid: uidOf('Yard') } });
  await says('Yard', 'The stream is paused');
  // Refetched without the stream: perhaps as soon as it is deleted.
  const asked = page.waitForResponse(
    async (response) =>
      response.url().includes(`/v1/mosaic/${id}?`) && !(await response.text()).includes(uidOf('Porch')),
  );
  await client.deleteStream({ params: { uid: uidOf('Porch') }, query: { purge: true } });
  await says('Porch', 'This stream has been deleted.');
  // The tile keeps its message then.
  await client.resumeStream({ body: { uid: uidOf('Yard') } });
  await Promise.all([asked, plays('Yard')]);
  await says('Porch', 'This stream has been deleted.');
  await plays('Dock');
  assert.deepEqual(consoleErrors, []);
});

const sharedMs = async () => (await shownMoments(page)).sharedMs;

/**
 * Waits until this many tiles are paused, each at exactly the frame that is recorded for the shared moment.
 * @returns that moment, ms
 */
async function standExactly(count: number): Promise<number> {
  const { sharedMs: momentMs, uids: shown } = await until(
    () => shownMoments(page),
    ({ uids: found }) => found.length === count,
    wallPatienceMs,
  );
  const wanted = await Promise.all(
    shown.map(async (uid) => {
      const span = [momentMs - 20_000, momentMs + 2_000] as const;
      const { client, server, cookie } = testEnv;
      const frames = await recordedFrames(client, { url: server.url, cookie }, uid, span);
      return Math.round(frames.findLast((ms) => ms <= momentMs + 0.5) ?? Number.NaN);
    }),
  );
  await until(
    async () => ({ wanted, ...(await shownMoments(page)) }),
    ({ clocksMs }) => clocksMs.length === count && clocksMs.every((ms, at) => ms === wanted[at]),
    wallPatienceMs,
  );
  return momentMs;
}

test('[R4.8] the archive of all tiles plays by one clock; a gap is shown only on its own tile, and a link opens the same moment', async () => {
  const id = await makeMosaic('Archive', [...names.slice(0, 3), paused]);
  const { pausedMs, resumedMs } = await gap;
  await open(`/mosaic/${id}`);
  await button(page, 'Watch the archive of all streams').click();
  await page.waitForURL(/t=\d+/);
  await page.getByRole('img', { name: 'Recordings by stream' }).waitFor();

  // Shortly before the gap ends. However long the page took to load, steps of ten seconds lead back into it.
  await open(`/mosaic/${id}?t=${resumedMs - 4_000}`);
  await button(page, 'Pause').click();
  await button(page, 'Play').waitFor();
  while ((await sharedMs()) > resumedMs - 500) await button(page, '10 seconds back').click();
  await page.getByRole('article', { name: paused }).getByText('Not recorded: stream paused').waitFor();
  await until(
    () => tileStates(page),
    (states) =>
      states[paused] === 'gap' && Object.values(states).filter((one) => one === 'paused').length === 3,
    wallPatienceMs,
  );
  const stoodMs = await standExactly(3);
  assert.ok(stoodMs > pausedMs && stoodMs < resumedMs, `${stoodMs - pausedMs} ms after`);
  // Its track shows it as well, if it is long enough to point at.
  const timeline = page.getByRole('slider', { name: 'Timeline of Archive' });
  for (let zoom = 0; zoom < 14; zoom++) await timeline.press('+');
  const lanes = await page.getByRole('img', { name: 'Recordings by stream' }).boundingBox();
  assert.ok(lanes);
  let x = 0;
  await until(
    async () => {
      x = (x + 24) % lanes.width;
      await page.mouse.move(lanes.x + x, lanes.y + lanes.height * (3.5 / 4));
      return page.getByText(/^Attic, .*: Not recorded: stream paused$/).count();
    },
    (count) => count === 1,
    wallPatienceMs,
  );
  const linkedMs = await until(
    () => Number(new URL(page.url()).searchParams.get('t')),
    (moment) => Math.abs(moment - stoodMs) < 5,
    wallPatienceMs,
  );
  await page.goto(page.url());
  await page.locator('[data-shared-ms]').waitFor();
  const openedMs = (await sharedMs()) - linkedMs;
  // It plays from there: far from the current end of the recording.
  assert.ok(openedMs >= 0 && openedMs < gapMs, `${openedMs} ms after`);

  // The clock reaches the point where it is recorded again, and the fourth tile joins the others.
  const joinedMs = await inStep(page, 4);
  assert.ok(joinedMs >= resumedMs - frameMs, `${joinedMs - resumedMs} ms after`);
  await inStep(page, 4, joinedMs);
  await button(page, 'Pause').click();
  await button(page, 'Play').waitFor();
  const laterMs = await standExactly(4);
  await until(
    () => Number(new URL(page.url()).searchParams.get('t')),
    (moment) => Math.abs(moment - laterMs) < 5,
    wallPatienceMs,
  );
  await page.getByRole('button', { name: 'Back to live' }).last().click();
  await page.waitForURL((url) => !url.search.includes('t='));
  await allPlaying(page, 4);
  assert.deepEqual(consoleErrors, []);
});

test('[R4.8] an archive wall skips time that no stream recorded, distinguishes gaps from the time before a camera, and ends live', async () => {
  const { client } = testEnv;
  const { pausedMs, resumedMs } = await gap;
  uids.set(
    'Cellar',
    (await client.addStream({ body: { name: 'Cellar', streamSource: 'demo:tile?fps=10' } })).uid,
  );
  await until(
    () => recorded(client, uidOf('Cellar')),
    (fragments) => fragments.length > 0,
    wallPatienceMs,
  );
  const id = await makeMosaic('Late', [paused, 'Cellar']);
  await open(`/mosaic/${id}?t=${pausedMs + 2_000}`);
  await page.getByText(/^Skipped [\d.]+\ss: nothing is recorded on any stream$/).waitFor();
  await button(page, 'Pause').click();
  await button(page, 'Play').waitFor();
  // The clock jumped to the camera's return, not into the gap.
  assert.ok((await sharedMs()) >= resumedMs - frameMs, `${(await sharedMs()) - resumedMs} ms after`);
  await page.getByRole('article', { name: 'Cellar' }).getByText('Recording had not started').waitFor();
  await until(
    () => tileStates(page),
    (states) => states[paused] === 'paused' && states['Cellar'] === 'gap',
    wallPatienceMs,
  );

  // Before the first stream nothing was to be recorded: that hour is not reported as skipped.
  await open(`/mosaic/${id}?t=${pausedMs - 3_600_000}`);
  await inStep(page, 1);
  assert.equal(await page.getByText(/^Skipped .*\b(h|\d\d\smin)\b/).count(), 0);

  await page.getByLabel('Speed').selectOption('8');
  await page.waitForURL((url) => !url.search.includes('t='));
  await allPlaying(page, 2);
  assert.deepEqual(consoleErrors, []);
});
