import type { Page } from 'playwright-core';
import { readDemoClock } from '../server/src/ffmpeg/demo-clock.ts';
import { until } from './api.ts';

// The content of a wall's tiles, read from its page.

/** How long to wait for a wall on a busy machine. */
export const wallPatienceMs = 60_000;

/** The status of each tile on the page, by the name of its stream. */
export function tileStates(page: Page): Promise<Record<string, string>> {
  return page.evaluate(() =>
    Object.fromEntries(
      [...document.querySelectorAll<HTMLElement>('article[data-uid]')].map((tile) => [
        tile.getAttribute('aria-label') ?? '',
        tile.querySelector<HTMLElement>('[data-tile-state]')?.dataset['tileState'] ?? '',
      ]),
    ),
  );
}

/** Waits until the page has exactly this number of tiles, and all of them play. */
export function allPlaying(page: Page, count: number): Promise<Record<string, string>> {
  return until(
    () => tileStates(page),
    (states) =>
      Object.keys(states).length === count && Object.values(states).every((state) => state === 'playing'),
    wallPatienceMs,
  );
}

/** The content of tiles that play or are paused. */
export interface ShownMoments {
  /** Time of the clock that all tiles share, ms. */
  readonly sharedMs: number;
  /** Times from the clocks in their frames, ms; and the streams that they show, in the same order. */
  readonly clocksMs: readonly number[];
  /** Times from the video elements, ms; during playback slightly later than their frames. */
  readonly elementsMs: readonly number[];
  readonly uids: readonly string[];
}

export function shownMoments(page: Page): Promise<ShownMoments> {
  return page.evaluate((readerSource) => {
    const read = new Function(`return (${readerSource})`)() as typeof readDemoClock;
    const tiles = [...document.querySelectorAll('article[data-uid]')].filter((tile) =>
      tile.querySelector('[data-tile-state="playing"], [data-tile-state="paused"]'),
    );
    // All frames are captured before any is read: reading takes longer than a frame lasts.
    const frames = tiles.flatMap((tile) => {
      const video = tile.querySelector('video');
      const canvas = document.createElement('canvas');
      const context = canvas.getContext('2d', { willReadFrequently: true });
      if (!video || !context) return [];
      canvas.width = video.videoWidth;
      canvas.height = video.videoHeight;
      context.drawImage(video, 0, 0);
      return [context];
    });
    const shared = document.querySelector<HTMLElement>('[data-shared-ms]')?.dataset['sharedMs'];
    const clocksMs = frames.map((context) => {
      const { width, height } = context.canvas;
      return read(context.getImageData(0, 0, width, height).data, width, height) ?? Number.NaN;
    });
    const elementsMs = tiles.map((tile) => (tile.querySelector('video')?.currentTime ?? Number.NaN) * 1000);
    const uids = tiles.map((tile) => tile.getAttribute('data-uid') ?? '');
    return { sharedMs: Number(shared), clocksMs, elementsMs, uids };
  }, readDemoClock.toString());
}

/** Frame duration of a source with ten frames a second. */
export const frameMs = 100;

/** Waits until this many tiles show frames at most one frame apart. @returns the first of their moments, ms */
export async function inStep(page: Page, count: number, isFarFrom = Number.NaN): Promise<number> {
  const { clocksMs } = await until(
    () => shownMoments(page),
    ({ clocksMs: seen }) =>
      seen.length === count &&
      Math.max(...seen) - Math.min(...seen) <= frameMs &&
      !(Math.abs(Math.min(...seen) - isFarFrom) < frameMs),
    wallPatienceMs,
  );
  return Math.min(...clocksMs);
}
