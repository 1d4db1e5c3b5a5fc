import type { Page } from 'playwright-core';
import { readDemoClock } from '../server/src/ffmpeg/demo-clock.ts';
import { until } from './api.ts';

/** The frame that the page's video currently shows, read from its pixels. */
export interface Shown {
  /** A hash of the frame's pixels; differs when the frame differs. */
  readonly digest: number;
  /** UTC milliseconds from the clock that a demo source draws into its frames; undefined without one. */
  readonly clockMs: number | undefined;
  /** The time that the video reports, UTC milliseconds; undefined for a canvas, and while it seeks. */
  readonly atMs: number | undefined;
  readonly width: number;
  readonly height: number;
}

/** What the page's player does, and the time of the frame that it shows, UTC ms. */
export function playerState(page: Page) {
  return page.evaluate(() => {
    const data = document.querySelector<HTMLElement>('[data-player-state]')?.dataset;
    return { state: data?.['playerState'], mode: data?.['playerMode'], utcMs: Number(data?.['utcMs']) };
  });
}

/** Reads the pixels of the first video of the page; undefined while it shows nothing or is seeking. */
export function shownFrame(page: Page): Promise<Shown | undefined> {
  return readFrame(page, 'video');
}

/** The same for the first match of a selector: a video or a canvas. */
export function readFrame(page: Page, selector: string): Promise<Shown | undefined> {
  return page.evaluate(
    ([wanted, readerSource]) => {
      const found = [...document.querySelectorAll<HTMLVideoElement | HTMLCanvasElement>(wanted ?? '')];
      const video = found.find(
        (element) => ('videoWidth' in element ? element.videoWidth : element.width) > 0,
      );
      if (!video) return undefined;
      const isVideo = 'videoWidth' in video;
      if (isVideo && (video.readyState < 2 || video.seeking)) return undefined;
      const canvas = document.createElement('canvas');
      canvas.width = isVideo ? video.videoWidth : video.width;
      canvas.height = isVideo ? video.videoHeight : video.height;
      const context = canvas.getContext('2d', { willReadFrequently: true });
      if (!context) return undefined;
      context.drawImage(video, 0, 0);
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      let digest = 0;
      for (let at = 0; at < data.length; at += 4) digest = (Math.imul(digest, 31) + (data[at] ?? 0)) | 0;
      const read = new Function(`return (${readerSource})`)() as typeof readDemoClock;
      return {
        digest,
        atMs: isVideo && !video.seeking ? video.currentTime * 1000 : undefined,
        clockMs: read(data, canvas.width, canvas.height),
        width: canvas.width,
        height: canvas.height,
      };
    },
    [selector, readDemoClock.toString()] as const,
  );
}

/** Waits until the frame has changed this many times. Rejects when it freezes. */
export async function assertMoves(page: Page, changes = 5): Promise<void> {
  let last: number | undefined;
  for (let seen = 0; seen <= changes; seen++) {
    const shown = await until(
      () => shownFrame(page),
      (frame) => frame !== undefined && frame.digest !== last,
    );
    last = shown?.digest;
  }
}
