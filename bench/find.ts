/**
 * `npm run bench find [DAYS=30] [GOP_SECONDS=2]`: when did the bicycle disappear, in an archive of 30 days with GOPs of two
 * seconds and a day's gap? A person who clicks the first of sixteen frames that differs, in the page, has at most six
 * clicks and five seconds of waiting; then the same question is asked of the server. The footage is generated: one key
 * frame for each GOP, with days and nights, and people who pass. Recording it takes
 * twenty minutes, or five with TMPDIR on a disk in memory.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { ChangeLine } from '@vidette/contract/archive-changes';
import { administratorOf, clientOf, until } from '../e2e/api.ts';
import { launchBrowser, newPerson, signInByCookie } from '../e2e/browser.ts';
import { recordPast } from '../e2e/past-footage.ts';
import { startServer } from '../e2e/server.ts';
import { bicycle, yardFootage } from '../server/src/ffmpeg/worker/yard-fixture.ts';

const days = Number(process.argv[2] ?? 30);
const gopMs = Number(process.argv[3] ?? 2) * 1000;
const hourMs = 3_600_000;
const clicksGoal = 6;
const waitGoalMs = 5_000;

const endMs = Math.floor(Date.now() / gopMs) * gopMs - hourMs;
const startMs = endMs - days * 24 * hourMs;
const partMs = days * 0.8 * hourMs;
/** One of thirty parts is not recorded. */
const gapMs = startMs + 12 * partMs;
const changeMs = Math.floor((startMs + days * 24 * hourMs * 0.6371) / gopMs) * gopMs;
const lights = [0.35, 0.6, 1, 0.8];

/** Recorded in parts that the recorder's queue can hold; for the last second of each the server is stopped. */
async function fill(dataDir: string, uid: string): Promise<void> {
  const footage = await yardFootage(
    gopMs,
    (ms) => ({
      hasBicycle: ms < changeMs,
      hasPerson: (ms / gopMs) % 50 < 2,
      light: lights[Math.floor(ms / (6 * hourMs)) % lights.length] ?? 1,
    }),
    lights,
  );
  for (let ms = startMs; ms < endMs; ms += partMs) {
    const part = { startMs: ms, endMs: Math.min(endMs, ms + partMs) };
    if (ms !== gapMs) await recordPast(dataDir, uid, [part], {}, { footage });
  }
}

/** Whether the bicycle is in each frame of a round: its frame is much brighter than the ground beside it. */
function bicyclesIn(page: Page): Promise<boolean[]> {
  const { left, top } = bicycle;
  return page.locator('[role=dialog] li canvas').evaluateAll(
    (all, [x, y]) =>
      all.map((one) => {
        const canvas = one as HTMLCanvasElement;
        const context = canvas.getContext('2d');
        const level = (atX: number, atY: number) => {
          const { data } = context!.getImageData(atX * canvas.width, atY * canvas.height, 3, 3);
          return data.filter((_, index) => index % 4 === 1).reduce((sum, value) => sum + value, 0) / 9;
        };
        return level(x!, y!) > 1.3 * level(0.95, 0.9);
      }),
    [left + 0.115, top + 0.085],
  );
}

interface Manual {
  readonly clicks: number;
  readonly waitMs: number;
  readonly isExact: boolean;
  readonly playMs: number;
}

/** Searches as a person does who sees at a glance, and counts only what they wait for. */
async function byHand(page: Page): Promise<Manual> {
  let [clicks, waitMs, chosenMs] = [0, 0, 0];
  const dialog = page.getByRole('dialog');
  let clickedMs = performance.now();
  await page.getByRole('button', { name: 'Compare whole frames' }).click();
  for (;;) {
    const step = clicks + 1;
    // Looked at with each frame of the browser: asking from here ten times a second would add half a second.
    await page.waitForFunction(
      (text) => {
        const shown = document.querySelector('[role=dialog]');
        if (!shown) return true;
        const canvases = [...shown.querySelectorAll<HTMLElement>('li canvas')];
        const areLoaded = canvases.length > 1 && canvases.every(({ dataset }) => dataset.loaded === 'true');
        return areLoaded && shown.textContent.includes(text);
      },
      `Step ${step}.`,
      { polling: 'raf', timeout: 60_000 },
    );
    if ((await dialog.count()) === 0) break;
    waitMs += performance.now() - clickedMs;
    const place = (await bicyclesIn(page)).indexOf(false);
    if (place < 1) throw new Error('No frame of this round differs from its first one.');
    const chosen = dialog.locator('li button').nth(place - 1);
    const time = await chosen.getAttribute('data-find-ms');
    chosenMs = Number(time);
    clickedMs = performance.now();
    await chosen.click();
    clicks++;
  }
  await page.getByText(/^It changed between/).waitFor();
  // The search ends at neighbouring GOPs.
  const isExact = chosenMs === changeMs;
  const marks = page.locator('[data-player-mode=archive][data-player-state=playing]');
  const playedMs = await until(
    async () => ((await marks.count()) === 0 ? 0 : Number(await marks.getAttribute('data-utc-ms'))),
    (utcMs) => Math.abs(utcMs - changeMs) <= 3 * gopMs,
    30_000,
  );
  return {
    clicks,
    waitMs,
    isExact: isExact && playedMs >= changeMs - gopMs,
    playMs: performance.now() - clickedMs,
  };
}

const dataDir = await mkdtemp(join(tmpdir(), 'vidette-bench-find-'));
const browser = await launchBrowser();
let hasFailed = false;
try {
  const first = await startServer({ dataDir });
  const { client: setup, cookie } = await administratorOf(first);
  const { uid } = await setup.addStream({
    body: { name: 'Yard', streamSource: 'demo:?fps=5', archive: { isEnable: false, depthHours: -1 } },
  });
  await first.stop();
  const fillingMs = performance.now();
  await fill(dataDir, uid);
  console.log(
    `${days} days, GOPs of ${gopMs / 1000} s: recorded in ${((performance.now() - fillingMs) / 1000).toFixed(0)} s`,
  );
  const server = await startServer({ dataDir });
  try {
    const client = clientOf(server, cookie);
    const context = await newPerson(browser);
    await signInByCookie(context, server.url, cookie);
    const page = await context.newPage();
    await page.goto(`${server.url}/ui/stream/${uid}/view?t=${startMs + hourMs}`);
    await page
      .locator('[data-player-mode=archive][data-player-state=playing]')
      .waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Find the moment of a change' }).click();
    const manual = await byHand(page);
    console.log(
      `by hand: ${manual.clicks} clicks (goal ${clicksGoal}), ${(manual.waitMs / 1000).toFixed(1)} s of waiting ` +
        `(goal ${waitGoalMs / 1000}), ${manual.isExact ? 'the exact GOP' : 'ANOTHER GOP'}; it plays ${(manual.playMs / 1000).toFixed(1)} s after the last click`,
    );
    hasFailed ||= manual.clicks > clicksGoal || manual.waitMs > waitGoalMs || !manual.isExact;
    await context.close();

    const begunMs = performance.now();
    const reply = await client.searchArchiveChanges({
      params: { uid },
      query: { start_time: startMs, end_time: endMs, ...bicycle },
    });
    const lines = (await reply.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ChangeLine);
    const tookMs = performance.now() - begunMs;
    const end = lines.at(-1);
    const [mark] = lines.filter((line) => line.type === 'mark');
    const isFound = mark?.endTime === changeMs && mark.startTime === changeMs - gopMs;
    console.log(
      `by the server: ${(tookMs / 1000).toFixed(1)} s for ${end?.type === 'end' ? end.frames : 0} frames, ` +
        `${isFound ? 'the exact GOP is the first mark' : 'ANOTHER GOP'} of ${lines.filter((line) => line.type === 'mark').length}`,
    );
    hasFailed ||= !isFound;
  } finally {
    await server.stop();
  }
} finally {
  await browser.close();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
}
process.exitCode = hasFailed ? 1 : 0;
