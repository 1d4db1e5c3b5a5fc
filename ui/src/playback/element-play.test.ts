import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ElementPlay } from './element-play.ts';
import { settle } from './test-clock.ts';
import { TestVideo } from './test-media.ts';

/** An element that plays, and how its pauses were judged: true for the viewer's. */
async function setUp() {
  const video = new TestVideo();
  video.spans = [{ start: 0, end: 100 }];
  const play = new ElementPlay(video, { onStarted() {}, onRefused() {} });
  const pauses: boolean[] = [];
  video.addEventListener('pause', () => pauses.push(play.isViewersPause()));
  play.start();
  await settle();
  return { video, play, pauses };
}

/** A browser reports a pause in a task of its own, if at all. @returns makes the element report again */
function pauseSilently(video: TestVideo): () => void {
  video.pause = () => {
    video.paused = true;
  };
  return () => {
    video.pause = TestVideo.prototype.pause;
  };
}

test('a pause by other means than the page is the viewer’s, a pause by the engine is not', async () => {
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
  pauseSilently(video);
  play.hold();
  play.hold();
  video.dispatchEvent(new Event('pause'));
  assert.deepEqual(pauses, [false]);
});

test('a pause that a new source kept the element from reporting does not hide a later one of the viewer', async () => {
  const { video, play, pauses } = await setUp();
  const speak = pauseSilently(video);
  play.hold();
  speak();
  play.start();
  await settle();
  video.pause();
  assert.deepEqual(pauses, [true]);
});
