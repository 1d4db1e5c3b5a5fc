import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { atTime } from '@vidette/media/placed-sample';
import type { Browser, Page } from 'playwright-core';
import { ManualClock } from '../server/src/base/manual-clock.ts';
import { LoadLevel } from '../server/src/base/load-level.ts';
import { Stream } from '../server/src/hub/stream.ts';
import { encodeClip } from '../server/src/live/clip-fixture.ts';
import { LiveFragmenter } from '../server/src/live/fragmenter.ts';
import { RecordingSink } from '../server/src/live/recording-sink.ts';
import { LiveSession } from '../server/src/live/session.ts';
import { NewestFrame } from '../ui/src/playback/newest-frame.ts';
import { TestClock } from '../ui/src/playback/test-clock.ts';
import { launchBrowser } from './browser.ts';

/** Frames of each case; the clip has one key frame, so that whatever is dropped stays dropped. */
const frames = 30;
/** The viewer joins when these are there. */
const framesBefore = 3;
const framesPerSecond = 25;

let browser: Browser;
let page: Page;
before(async () => {
  browser = await launchBrowser();
  page = await browser.newPage();
});
after(() => browser.close());

interface Sent {
  readonly mimeType: string;
  /** Init segment and fragments, base64. */
  readonly media: readonly string[];
  /** When each frame is shown, seconds. */
  readonly times: readonly number[];
}

/**
 * What reaches the browser's buffer of a camera whose frames come one by one.
 * @param delaysMs by how much each frame comes later than in the clip, after the frame before
 */
async function received(
  delaysMs: (frame: number) => number,
  options: { hasAudio?: boolean; isReordered?: boolean } = {},
): Promise<Sent> {
  const { hasAudio = false, isReordered = false } = options;
  const seconds = frames / framesPerSecond;
  const clip = await encodeClip({ seconds, gopSeconds: seconds, hasAudio, isReordered });
  const clock = new ManualClock();
  const stream = new Stream('s');
  stream.setTracks(clip.tracks);
  const sink = new RecordingSink();
  const view = () => {
    const variant = { audio: true, keyFramesOnly: false };
    const options = { stream, clock, load: new LoadLevel(), fragmenter: new LiveFragmenter() };
    new LiveSession({ ...options, sink, variant, onEnd() {} });
  };
  const pageClock = new TestClock();
  const media: string[] = [];
  let mimeType = '';
  const newest = new NewestFrame(
    {
      isSupported: () => true,
      setType: (type) => (mimeType = type),
      append: (bytes) => media.push(Buffer.from(bytes).toString('base64')),
    },
    pageClock,
    () => {},
  );
  const times: number[] = [];
  let [passed, frame, lateMs] = [0, 0, 0];
  for (const sample of clip.samples) {
    const track = clip.tracks.find(({ id }) => id === sample.trackId);
    const stepMs = track?.kind === 'video' ? delaysMs(frame++) : 0;
    lateMs += stepMs;
    const late = Math.round((lateMs * (track?.timescale ?? 0)) / 1000);
    const moved = atTime(sample, sample.dts + late, sample.pts + late);
    if (track?.kind === 'video') {
      times.push(moved.pts / track.timescale);
      pageClock.advance(1000 / framesPerSecond + stepMs);
    }
    stream.write(moved);
    if (frame === framesBefore && track?.kind === 'video') view();
    clock.advance(20);
    await new Promise((resolve) => setImmediate(resolve));
    const init = sink.messages.find(({ type }) => type === 'init');
    if (init?.type === 'init' && !mimeType) newest.setType(init.mimeType);
    for (; passed < sink.media.length; passed++) newest.append(new Uint8Array(sink.media[passed] ?? []));
  }
  pageClock.advance(100);
  return { mimeType, media, times: times.toSorted((a, b) => a - b) };
}

/**
 * Appends one by one, as during live playback.
 * @param asked numbers of frames
 * @returns how many spans are buffered, and which frame is on screen at the time of each of those
 */
function played(sent: Sent, asked: readonly number[]): Promise<{ spans: number; shown: number[] }> {
  return page.evaluate(
    async ({ mimeType, media, times, asked: wanted }) => {
      document.body.innerHTML = '<video muted></video>';
      const video = document.querySelector('video') as HTMLVideoElement;
      const source = new MediaSource();
      video.src = URL.createObjectURL(source);
      await new Promise((resolve) => source.addEventListener('sourceopen', resolve, { once: true }));
      source.duration = 4_102_444_800;
      const buffer = source.addSourceBuffer(mimeType);
      for (const base64 of media) {
        buffer.appendBuffer(Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)));
        await new Promise((resolve) => buffer.addEventListener('updateend', resolve, { once: true }));
      }
      const shown: number[] = [];
      for (const at of wanted) {
        const time = times[at] ?? NaN;
        const moment = time + ((times[at + 1] ?? time + 0.4) - time) / 2;
        const { buffered } = video;
        const isThere = Array.from({ length: buffered.length }, (_, span) => span).some(
          (span) => moment >= buffered.start(span) && moment < buffered.end(span),
        );
        if (!isThere) {
          shown.push(-1);
          continue;
        }
        const frame = new Promise<number>((resolve) =>
          video.requestVideoFrameCallback((_, metadata) => resolve(metadata.mediaTime)),
        );
        video.currentTime = moment;
        const mediaTime = await frame;
        shown.push(times.findIndex((other) => Math.abs(other - mediaTime) < 0.002));
      }
      return { spans: video.buffered.length, shown };
    },
    { ...sent, asked },
  );
}

const exact: [string, Parameters<typeof received>][] = [
  ['a steady rate', [() => 0]],
  ['reordered frames', [() => 0, { isReordered: true }]],
  ['audio between the frames', [() => 0, { hasAudio: true }]],
  ['uneven steps', [(frame) => [0, 10, 5, 15, -10][frame % 5] ?? 0]],
];
for (const [title, parameters] of exact)
  test(`[R7.12] each frame arrives with a guessed duration, and is shown at its time: ${title}`, async () => {
    // The clip's audio ends a little before its video.
    const asked = Array.from({ length: frames - 2 }, (_, at) => at);
    const { spans, shown } = await played(await received(...parameters), asked);
    assert.deepEqual(shown, asked);
    assert.equal(spans, 1);
  });

const changing: [string, Parameters<typeof received>][] = [
  ['25 to 5 frames a second', [(frame) => (frame > 12 ? 160 : 0)]],
  ['5 to 25 frames a second', [(frame) => (frame < 12 ? 160 : 0)]],
  ['25 to 3 frames a second', [(frame) => (frame > 12 ? 290 : 0)]],
  ['a variable rate', [(frame) => [0, 300, 100, 360, 0][frame % 5] ?? 0]],
];
for (const [title, parameters] of changing)
  test(`[R7.12] a camera whose frames come at another rate is shown without a break: ${title}`, async () => {
    const { spans, shown } = await played(await received(...parameters), [frames - 1]);
    assert.deepEqual(shown, [frames - 1]);
    assert.equal(spans, 1);
  });
