import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ElementPlay } from './element-play.ts';
import { settle } from './test-clock.ts';
import { TestVideo } from './test-media.ts';

/** An element whose pauses are reported later or not at all: a browser reports them in a separate task. */
class SilentVideo extends TestVideo {
  isSilent = false;

  override pause(): void {
    if (this.isSilent) this.paused = true;
    else super.pause();
  }
}

/** A playing element, and how its pauses were attributed: true for the viewer's. */
async function setUp() {
  const video = new SilentVideo();
  video.spans = [{ start: 0, end: 100 }];
  const play = new ElementPlay(video, { onStarted() {}, onRefused() {} });
  const pauses: boolean[] = [];
  video.addEventListener('pause', () => pauses.push(play.isViewersPause()));
  play.start();
  await settle();
  return { video, play, pauses };
}

test('a pause from outside the page is the viewer’s, a pause by the engine is not', async () => {
  const { video, play, pauses } = await setUp();
  play.hold();
  assert.deepEqual(pauses, [false]);
  play.start();
  await settle();
  video.pause();
  assert.deepEqual(pauses, [false, true]);
});

test('an element that is held again before it has reported the pause was still held by the engine', async () => {
  const { video, play, pauses } = await setUp();
  video.isSilent = true;
  play.hold();
  play.hold();
  video.dispatchEvent(new Event('pause'));
  assert.deepEqual(pauses, [false]);
});

test('a pause that a new source kept the element from reporting does not hide a later one of the viewer', async () => {
  const { video, play, pauses } = await setUp();
  video.isSilent = true;
  play.hold();
  video.isSilent = false;
  play.start();
  await settle();
  video.pause();
  assert.deepEqual(pauses, [true]);
});
