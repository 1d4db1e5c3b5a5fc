import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sample } from '@vidette/media/sample';
import { audio, frame, videoTrack } from '../hub/sample-fixture.ts';
import { FrameWatchdog, watchdogPeriodMs, type FrameWatchdogOptions } from './frame-watchdog.ts';
import { HeldStart } from './held-start.ts';

interface Case {
  readonly title: string;
  readonly options?: FrameWatchdogOptions;
  /** When frames arrived, seconds; the source counts as a stream from the second one. */
  readonly frames?: readonly number[];
  /** When frames arrived that could not be passed on. */
  readonly awaitedVideo?: readonly number[];
  /** Audio that cannot be passed on arrives every second. */
  readonly hasAudio?: boolean;
  /** When the source counts as lost, seconds, and what the message must match. */
  readonly lostAt: number;
  readonly reason: RegExp;
}

const cases: readonly Case[] = [
  { title: 'no first frame', lostAt: 20, reason: /no frame within 20 s/ },
  { title: 'one frame', frames: [5], lostAt: 35, reason: /no frame within 30 s/ },
  { title: 'frames without a key frame', awaitedVideo: [1, 15], lostAt: 35, reason: /no frame/ },
  { title: 'audio alone', hasAudio: true, lostAt: 20, reason: /sent only audio for 20 s/ },
  { title: 'audio alone, again', options: { tries: 2 }, hasAudio: true, lostAt: 40, reason: /only audio/ },
  { title: 'a quick camera', frames: [1, 2, 3, 4], lostAt: 14, reason: /stopped sending video .* 10 s/ },
  { title: 'a frame every 5 s', frames: [0, 5, 10, 15], lostAt: 30, reason: /stopped sending video/ },
  { title: 'a frame every 40 s', frames: [0, 28, 68, 108], lostAt: 198, reason: /for 90 s/ },
  { title: 'a burst that leaves the interval open', frames: [1, 1.1], lostAt: 31.1, reason: /video/ },
];

for (const { title, options = {}, frames = [], awaitedVideo = [], hasAudio, lostAt, reason } of cases) {
  test(`[R10.2] the watchdog: ${title}`, () => {
    const watchdog = new FrameWatchdog(options, 0);
    const arrivals = [
      ...frames.map((seconds) => ({ seconds, isFrame: true })),
      ...awaitedVideo.map((seconds) => ({ seconds, isFrame: false })),
    ];
    let passed = 0;
    for (let nowMs = 0; nowMs < 600_000; nowMs += watchdogPeriodMs) {
      for (const { seconds, isFrame } of arrivals) {
        const atMs = seconds * 1000;
        if (atMs <= nowMs - watchdogPeriodMs || atMs > nowMs) continue;
        if (isFrame) watchdog.noteFrame(atMs);
        else watchdog.noteAwaited('video', atMs);
        if (isFrame && ++passed === 2) watchdog.run();
      }
      if (hasAudio) watchdog.noteAwaited('audio', nowMs);
      const fault = watchdog.look('video', nowMs);
      if (!fault) continue;
      assert.match(fault.message, reason);
      assert.ok(Math.abs(nowMs / 1000 - lostAt) <= 0.5, `lost after ${nowMs / 1000} s`);
      return;
    }
    assert.fail('never lost');
  });
}

test('samples are held until the second frame, up to a limit, and holding restarts with other tracks', () => {
  const start = new HeldStart();
  const take = (sample: Sample, isUrgent = false) => {
    if (sample.trackId === videoTrack.id) start.noteFrame();
    return start.take(sample, isUrgent);
  };
  assert.equal(take(audio(0)), undefined);
  assert.equal(take(frame(0, { isKey: true })), undefined);
  assert.equal(start.isSingleFrame, true);
  start.restart();
  assert.equal(start.isSingleFrame, false);
  assert.equal(take(frame(1, { isKey: true })), undefined);
  assert.deepEqual(
    take(frame(2))?.map(({ dts }) => dts),
    [frame(1).dts],
  );
  assert.equal(start.isOver, true);
  start.restart();
  assert.equal(take(audio(3), true), undefined);
  assert.equal(take(frame(3, { isKey: true }), true)?.length, 1, 'a viewer waits for it');
  const flooded = new HeldStart();
  for (let index = 0; index < 500; index++) assert.equal(flooded.take(audio(index), false), undefined);
  assert.equal(flooded.take(audio(500), false)?.length, 500);
});
