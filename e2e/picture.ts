import type { Page } from 'playwright-core';
import { readDemoClock } from '../server/src/ingest/av/demo-clock.ts';
import { until } from './api.ts';

/** What the page's video shows at this moment, read from its pixels. */
export interface Shown {
  /** A hash of the picture's pixels; differs when the picture differs. */
  readonly digest: number;
  /** UTC milliseconds by the clock that a demo source draws into its picture; undefined without one. */
  readonly clockMs: number | undefined;
  readonly width: number;
  readonly height: number;
}

/** Reads the pixels of the first video of the page; undefined while it shows nothing. */
export function shownPicture(page: Page): Promise<Shown | undefined> {
  return page.evaluate((readerSource) => {
    const video = [...document.querySelectorAll('video')].find((element) => element.videoWidth > 0);
    if (!video || video.readyState < 2) return undefined;
    const canvas = document.createElement('canvas');
    canvas.width = video.videoWidth;
    canvas.height = video.videoHeight;
    const context = canvas.getContext('2d', { willReadFrequently: true });
    if (!context) return undefined;
    context.drawImage(video, 0, 0);
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    let digest = 0;
    for (let at = 0; at < data.length; at += 4) digest = (Math.imul(digest, 31) + (data[at] ?? 0)) | 0;
    const read = new Function(`return (${readerSource})`)() as typeof readDemoClock;
    return {
      digest,
      clockMs: read(data, canvas.width, canvas.height),
      width: canvas.width,
      height: canvas.height,
    };
  }, readDemoClock.toString());
}

/** Waits until the picture has changed so many times. Rejects when it stands still. */
export async function assertMoves(page: Page, changes = 5): Promise<void> {
  let last: number | undefined;
  for (let seen = 0; seen <= changes; seen++) {
    const shown = await until(
      () => shownPicture(page),
      (picture) => picture !== undefined && picture.digest !== last,
    );
    last = shown?.digest;
  }
}
