import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from './api.ts';
import { desktop, newPerson, signInByCookie } from './browser.ts';
import { TestEnv } from './test-env.ts';
import { allPlaying, tileStates, wallPatienceMs } from './tiles.ts';

// Video is live only while its frames arrive: tests what a wall, a stream's page and the list show when they
// don't.

let testEnv: TestEnv;
let uid: string;
let mosaic: number;
/** One more than a wall moves at first, so that one certainly shows key frames. */
const tiles = 5;

before(async () => {
  testEnv = await TestEnv.start();
  const cells = [];
  for (let at = 0; at < tiles; at++) {
    const body = { name: `Camera ${at + 1}`, streamSource: 'demo:tile?fps=5' };
    const { uid: stream } = await testEnv.client.addStream({ body });
    uid ??= stream;
    cells.push({ x: at, y: 0, width: 1, height: 1, stream });
  }
  const layout = { columns: tiles, rows: 1, cells };
  mosaic = (await testEnv.client.addMosaic({ body: { name: 'All', layout } })).id;
});

after(() => testEnv?.close());

/** "Last frame 12:40:18, 14 s ago". */
const lastFrame = /^Last frame \d\d:\d\d:\d\d, (\d+\ss|\d+\smin(\s\d+\ss)?) ago$/;

/** Waits until a page shows a text, even on a busy machine. */
const says = (page: Page, words: string | RegExp) =>
  page.getByText(words).first().waitFor({ timeout: wallPatienceMs });

/** Asserts repeatedly that every tile has a message with the time of the frame that it still shows. */
async function noneIsLive(page: Page): Promise<void> {
  await until(
    () => tileStates(page),
    (states) => Object.values(states).every((state) => state === 'waiting'),
    wallPatienceMs,
  );
  const ages = page.locator('article[data-uid] [data-old=true]').getByText(lastFrame);
  await until(
    () => ages.count(),
    (count) => count === tiles,
    wallPatienceMs,
  );
  // Ticks and budget decisions continue; none of them results in a frame.
  const seen: string[] = [];
  let looks = 0;
  await until(
    () => tileStates(page),
    (states) => {
      seen.push(...Object.values(states));
      return ++looks === 15;
    },
  );
  assert.deepEqual(
    seen.filter((name) => name !== 'waiting' && name !== 'connecting'),
    [],
  );
}

test('[R7.53] nothing is called live while the server hangs or is gone: walls with key frames, the player, the list', async () => {
  const { server, cookie, browser } = testEnv;
  const person = await newPerson(browser, { ...desktop, width: 1800 });
  await signInByCookie(person, server.url, cookie);
  const wall = await person.newPage();
  await wall.goto(`${server.url}/ui/mosaic/${mosaic}`);
  // Before they all play: a machine with time to spare moves all of them soon.
  await wall.locator('[data-key-frames=true]').first().waitFor({ state: 'attached' });
  await allPlaying(wall, tiles);
  const view = await person.newPage();
  await view.goto(`${server.url}/ui/stream/${uid}/view`);
  const badge = view.locator('[data-mode=live][data-moving]');
  await view.locator('[data-moving=true]').waitFor({ timeout: wallPatienceMs });
  assert.equal(await badge.innerText(), 'Live');
  const list = await person.newPage();
  await list.goto(`${server.url}/ui/streams`);
  const live = list.locator('article [data-status=running]');
  await until(
    () => live.count(),
    (count) => count === tiles,
    wallPatienceMs,
  );

  server.signal('SIGSTOP');
  try {
    await noneIsLive(wall);
    // How video is reduced says nothing where there is none.
    assert.equal(await wall.getByText('Key frames', { exact: true }).count(), 0);
    await says(view, 'No new frames. Waiting for the next one…');
    await says(view, lastFrame);
    assert.equal(await badge.innerText(), 'Not live');
    assert.equal(await view.locator('[data-live=true], main [data-status=running]').count(), 0);
    await says(list, 'Until the server answers, it is not known whether it records.');
    assert.equal(await live.count(), 0);
    await says(list, lastFrame);
  } finally {
    server.signal('SIGCONT');
  }
  await allPlaying(wall, tiles);
  await view.locator('[data-moving=true]').waitFor({ timeout: wallPatienceMs });
  await live.nth(tiles - 1).waitFor({ timeout: wallPatienceMs });

  await server.kill();
  await noneIsLive(wall);
  await says(wall, 'The server can’t be reached.');
  await says(view, lastFrame);
  assert.equal(await badge.innerText(), 'Not live');
  await list.locator('article [data-status=unknown]').first().waitFor({ timeout: wallPatienceMs });
  assert.equal(await live.count(), 0);
});
