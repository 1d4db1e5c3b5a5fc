import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ManualClock } from '../base/manual-clock.ts';
import { PollRounds } from './rtsp/poll-rounds.ts';
import { maxAheadMs, runClock, SourceTiming, utcMs, type TrackTiming } from './timing.ts';

const startMs = Date.UTC(2026, 0, 1);
const videoRate = 90_000;
const frameTicks = 3600;
const frameMs = 40;

interface TimingRun {
  readonly frames: number;
  /** Source ticks of frame n. */
  readonly source: (frame: number) => number;
  /** Arrival of frame n, ms after the start. */
  readonly arrivalMs: (frame: number) => number;
  readonly before?: (frame: number, track: TrackTiming) => void;
}

/** UTC in ms of every frame, by `mapGrowing`. */
function play({ frames, source, arrivalMs, before }: TimingRun): { outMs: number[]; track: TrackTiming } {
  const track = new SourceTiming().addTrack(videoRate, videoRate);
  const outMs: number[] = [];
  for (let frame = 0; frame < frames; frame++) {
    before?.(frame, track);
    outMs.push((track.mapGrowing(source(frame), startMs + arrivalMs(frame)) * 1000) / videoRate);
  }
  return { outMs, track };
}

function assertGrowing(outMs: readonly number[]): void {
  outMs.slice(1).forEach((ms, index) => assert.ok(ms > (outMs[index] ?? 0), `frame ${index + 1}`));
}

const even = (frame: number) => frame * frameTicks;
const onTime = (frame: number) => frame * frameMs;

/** When the rounds end in which connections without low-latency readers are read, ms after the start. */
function roundEnds(lengthMs: number): number[] {
  const clock = new ManualClock(startMs);
  let state = 1;
  clock.random = () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
  const rounds = new PollRounds(clock);
  const ends: number[] = [];
  const again = () => {
    ends.push(clock.monotonicMs());
    rounds.rest(again);
  };
  rounds.rest(again);
  clock.advance(lengthMs);
  return ends;
}

describe('the wall clock', () => {
  test('[R10.3] is read again by each connection: a corrected clock is used from the next one on', () => {
    const clock = new ManualClock(startMs);
    const before = runClock(clock);
    assert.equal(utcMs(before), startMs);
    clock.stepWall(3_600_000);
    assert.equal(utcMs(before), startMs);
    assert.equal(utcMs(runClock(clock)), startMs + 3_600_000);
  });

  test('[R10.3] is read once by each: its steps change nothing, time never goes back', () => {
    const clock = new ManualClock(startMs);
    assert.equal(utcMs(clock), startMs);
    for (const stepMs of [3_600_000, -7_200_000]) {
      clock.stepWall(stepMs);
      const before = utcMs(clock);
      clock.advance(1500);
      assert.equal(utcMs(clock), before + 1500);
    }
    assert.equal(utcMs(clock), startMs + 3000);
  });
});

describe('the source clock', () => {
  test('frames that arrive evenly keep exactly the durations of the source', () => {
    const { outMs, track } = play({ frames: 2000, source: even, arrivalMs: onTime });
    outMs.forEach((ms, frame) => assert.ok(Math.abs(ms - startMs - frame * frameMs) < 0.01));
    assert.equal(track.jumps, 0);
  });

  for (const perSecond of [25, 12.5, 5, 4]) {
    test(`of ${perSecond} frames per second, read alternately in rounds and immediately, is followed within 25 ms`, () => {
      const stepMs = 1000 / perSecond;
      const readMs = roundEnds(240_000);
      let round = 0;
      const { outMs, track } = play({
        frames: 240 * perSecond - perSecond,
        source: (frame) => (frame * videoRate) / perSecond,
        arrivalMs(frame) {
          const sentMs = frame * stepMs;
          while ((readMs[round] ?? Infinity) < sentMs) round++;
          // A viewer watches every other minute, and at the start no reader waits for the first frame.
          const isWatched = frame === 0 || Math.floor(sentMs / 60_000) % 2 === 1;
          return isWatched ? sentMs : (readMs[round] ?? sentMs);
        },
      });
      assertGrowing(outMs);
      outMs.forEach((ms, frame) => {
        const errorMs = ms - startMs - frame * stepMs;
        assert.ok(Math.abs(errorMs) < 25, `frame ${frame}: ${errorMs} ms`);
      });
      assert.equal(track.jumps, 0);
    });
  }

  test('[R10.3] a delayed first packet dates frames in the future for three seconds at most', () => {
    const heldUpMs = 350;
    const { outMs } = play({
      frames: 200,
      source: even,
      arrivalMs: (frame) => Math.max(onTime(frame), heldUpMs),
    });
    assertGrowing(outMs);
    const aheadMs = outMs.map((ms, frame) => ms - startMs - Math.max(onTime(frame), heldUpMs));
    assert.ok(Math.max(...aheadMs) > 300, 'the delayed packet was trusted at first');
    assert.ok(Math.max(...aheadMs.slice(Math.ceil((heldUpMs + 3000) / frameMs))) <= 100);
  });

  test('network jitter does not affect the times', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 300, maxLength: 300 }),
        (delays) => {
          const { outMs } = play({
            frames: 300,
            source: even,
            arrivalMs: (frame) => onTime(frame) + (delays[frame] ?? 0),
          });
          assertGrowing(outMs);
          outMs.slice(1).forEach((ms, index) => {
            const length = ms - (outMs[index] ?? 0);
            const isAhead = ms - startMs - onTime(index + 1) > 90;
            assert.ok(
              length <= frameMs * 1.011 && length >= frameMs * (isAhead ? 0.89 : 0.989),
              `${length} ms`,
            );
          });
        },
      ),
      { numRuns: 30 },
    );
  });

  test('a clock that is 200 ppm off is followed slowly, without drifting away', () => {
    for (const ppm of [200, -200]) {
      const frames = 30 * 60 * 25;
      const { outMs } = play({
        frames,
        source: (frame) => Math.round(frame * frameTicks * (1 + ppm / 1e6)),
        arrivalMs: (frame) => onTime(frame) + (frame % 7) * 3,
      });
      assertGrowing(outMs);
      const last = (outMs.at(-1) ?? 0) - startMs - (frames - 1) * frameMs;
      assert.ok(Math.abs(last) < 60, `${last} ms off after half an hour at ${ppm} ppm`);
    }
  });

  test('[R10.1] jumps restart at the time of arrival, never before what was already delivered', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ at: fc.integer({ min: 1, max: 199 }), ms: fc.integer({ min: -1e9, max: 1e9 }) }),
          { maxLength: 4 },
        ),
        (jumps) => {
          const shift = (frame: number) =>
            jumps.reduce((sum, { at, ms }) => sum + (frame >= at ? ms * 90 : 0), 0);
          const { outMs } = play({
            frames: 200,
            source: (frame) => even(frame) + shift(frame),
            arrivalMs: onTime,
          });
          assertGrowing(outMs);
          outMs.forEach((ms, frame) => {
            const lateMs = startMs + onTime(frame) - ms;
            assert.ok(
              lateMs > -3100 * (jumps.length + 1) && lateMs < 1600 * (jumps.length + 1),
              `${lateMs} ms late`,
            );
          });
        },
      ),
    );
  });

  test('after a burst of old frames at the start, times converge to the present', () => {
    const { outMs } = play({
      frames: 3000,
      source: even,
      arrivalMs: (frame) => Math.max(frame, 50) * frameMs - 50 * frameMs,
    });
    assertGrowing(outMs);
    const first = (outMs[0] ?? 0) - startMs;
    const last = (outMs.at(-1) ?? 0) - startMs - (3000 - 1 - 50) * frameMs;
    assert.equal(Math.round(first), 0);
    assert.ok(Math.abs(last) < 25, `${last} ms ahead`);
  });

  for (const speed of [0.1, 0.5, 0.9, 1.01, 1.05, 1.2, 2, 20, 100]) {
    test(`[R10.3] that runs ${speed} times as fast is followed: never in the future, and soon correct`, () => {
      const { outMs } = play({
        frames: 60 * 25,
        source: (frame) => Math.round(frame * frameTicks * speed),
        arrivalMs: (frame) => onTime(frame) + (frame % 5) * 4,
      });
      assertGrowing(outMs);
      const errors = outMs.map((ms, frame) => ms - startMs - onTime(frame));
      assert.ok(Math.max(...errors) <= maxAheadMs + 20, `${Math.max(...errors)} ms ahead`);
      assert.ok(Math.min(...errors) >= -10_000, `${Math.min(...errors)} ms late`);
      const settled = errors.slice(30 * 25);
      assert.ok(Math.max(...settled) < 500 && Math.min(...settled) > -2_000, `${settled.at(-1)} ms`);
      const steps = outMs.slice(1).map((ms, index) => ms - (outMs[index] ?? 0));
      assert.ok(Math.max(...steps) < 1_000, 'without a gap');
    });
  }

  test('[R10.3] a buffered GOP sent on connection is not dated in the future', () => {
    for (const buffered of [25, 100, 250]) {
      const { outMs, track } = play({
        frames: 1500,
        source: even,
        arrivalMs: (frame) => Math.max(0, frame - buffered) * frameMs + Math.min(frame, buffered) * 2,
      });
      assertGrowing(outMs);
      const ahead = outMs.map(
        (ms, frame) => ms - startMs - Math.max(0, frame - buffered) * frameMs - Math.min(frame, buffered) * 2,
      );
      assert.ok(Math.max(...ahead) <= maxAheadMs, `${Math.max(...ahead)} ms ahead`);
      assert.ok(
        Math.max(...ahead.slice(buffered + 10 * 25)) < 120,
        'ten seconds later all times are correct',
      );
      assert.equal(track.jumps, 0);
    }
  });

  test('a connection that stalls and catches up at one and a half times the speed is not mistaken for a fast clock', () => {
    const stallAt = 400;
    const { outMs, track } = play({
      frames: 1500,
      source: even,
      arrivalMs: (frame) =>
        frame < stallAt
          ? onTime(frame)
          : Math.max(onTime(frame), onTime(stallAt) + 6_000 + (frame - stallAt) * 27),
    });
    assert.equal(track.jumps, 0);
    outMs.forEach((ms, frame) => assert.ok(Math.abs(ms - startMs - onTime(frame)) < 1, `frame ${frame}`));
  });

  test('a connection that stalls and catches up shifts no times', () => {
    const { outMs, track } = play({
      frames: 600,
      source: even,
      arrivalMs: (frame) =>
        frame >= 200 && frame < 350 ? Math.max(350 * frameMs, onTime(frame)) : onTime(frame),
    });
    assert.equal(track.jumps, 0);
    outMs.forEach((ms, frame) => assert.ok(Math.abs(ms - startMs - frame * frameMs) < 1));
  });

  test('presentation times of reordered frames go back and forth as the source does', () => {
    const track = new SourceTiming().addTrack(videoRate, videoRate);
    const order = [0, 3, 1, 2, 6, 4, 5, 9, 7, 8];
    const out = order.map((frame, index) => track.map(frame * frameTicks, startMs + index * frameMs));
    const first = out[0] ?? 0;
    assert.deepEqual(
      out.map((ticks) => Math.round((ticks - first) / frameTicks)),
      order,
    );
  });
});

describe('sender reports', () => {
  test('[R10.1] determine the capture time if they agree with the arrivals', () => {
    const { outMs } = play({
      frames: 500,
      source: even,
      arrivalMs: (frame) => onTime(frame) + 400,
      before: (frame, track) => {
        if (frame === 0) track.report(startMs, 0);
      },
    });
    assert.equal(Math.round((outMs[0] ?? 0) - startMs), 0);
  });

  test('one that arrives late takes effect gradually', () => {
    const { outMs } = play({
      frames: 1500,
      source: even,
      arrivalMs: (frame) => onTime(frame) + 300,
      before: (frame, track) => {
        if (frame === 100) track.report(startMs + onTime(100), even(100));
      },
    });
    assertGrowing(outMs);
    outMs.slice(1).forEach((ms, index) => assert.ok(Math.abs(ms - (outMs[index] ?? 0) - frameMs) < 0.5));
    assert.ok(Math.abs((outMs.at(-1) ?? 0) - startMs - onTime(1499)) < 20);
  });

  test('invalid reports are not trusted', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1e13, max: 1e13, noNaN: true }), { minLength: 1, maxLength: 20 }),
        (reports) => {
          const { outMs } = play({
            frames: 400,
            source: even,
            arrivalMs: onTime,
            before: (frame, track) => {
              const ms = reports[frame / 20];
              if (ms !== undefined && Math.abs(ms - startMs) > 60_000) track.report(ms, even(frame));
            },
          });
          outMs.forEach((ms, frame) => assert.ok(Math.abs(ms - startMs - onTime(frame)) < 1));
        },
      ),
    );
  });

  test('[R10.1] keep audio in sync with the video, even if the camera has the wrong date', () => {
    const cameraEpochMs = Date.UTC(1970, 0, 2);
    const timing = new SourceTiming();
    const video = timing.addTrack(videoRate, videoRate);
    const audio = timing.addTrack(8000, 8000);
    let apartMs = 0;
    for (let frame = 0; frame < 3000; frame++) {
      const nowMs = startMs + onTime(frame);
      if (frame % 125 === 60) {
        video.report(cameraEpochMs + onTime(frame), even(frame) + 5_000_000);
        audio.report(cameraEpochMs + onTime(frame), frame * 320 + 777);
      }
      const videoMs = video.map(even(frame) + 5_000_000, nowMs) / 90;
      // Audio of the same time arrives 300 ms later.
      const audioMs = audio.mapGrowing(frame * 320 + 777, nowMs + 300) / 8;
      apartMs = audioMs - videoMs;
    }
    assert.ok(Math.abs(apartMs) <= 20, `${apartMs} ms apart`);
  });

  const absurd: Record<string, (frame: number) => { video?: number; audio?: number }> = {
    'none at all': () => ({}),
    'for the video alone, from a clock that is 1.5 s behind': (frame) => ({
      video: startMs + onTime(frame) - 1_500,
    }),
    'for the audio alone, from a clock that is 1.5 s behind': (frame) => ({
      audio: startMs + onTime(frame) - 1_500,
    }),
    'from a clock that has stopped': (frame) => (frame % 250 < 125 ? { video: startMs } : { audio: startMs }),
    'from a clock that has stopped in 1970': (frame) => (frame % 250 < 125 ? { video: 5 } : { audio: 5 }),
    'from a clock that runs backwards': (frame) => {
      const ntpMs = startMs - onTime(frame);
      return frame % 250 < 125 ? { video: ntpMs } : { audio: ntpMs };
    },
    'whose era ends': (frame) => {
      const ntpMs = startMs + onTime(frame) - (frame < 1_500 ? 0 : 2 ** 32 * 1000);
      return { video: ntpMs, audio: ntpMs };
    },
    'whose clock jumps with each of them': (frame) => ({
      video: startMs + onTime(frame) + ((frame * 7919) % 3_000),
      audio: startMs + onTime(frame) + ((frame * 104_729) % 3_000),
    }),
  };
  for (const [name, reported] of Object.entries(absurd)) {
    test(`[R10.1] ${name}: audio stays in sync with the video within 40 ms, and time follows arrival`, () => {
      const timing = new SourceTiming();
      const video = timing.addTrack(videoRate, videoRate);
      const audio = timing.addTrack(8000, 8000);
      let latestMs = 0;
      for (let frame = 0; frame < 5_000; frame++) {
        const nowMs = startMs + onTime(frame);
        const { video: videoNtpMs, audio: audioNtpMs } = frame % 125 === 60 ? reported(frame) : {};
        if (videoNtpMs !== undefined) video.report(videoNtpMs, even(frame));
        if (audioNtpMs !== undefined) audio.report(audioNtpMs, frame * 320);
        const videoMs = video.map(even(frame), nowMs) / 90;
        const audioMs = audio.mapGrowing(frame * 320, nowMs) / 8;
        // A first report can't be verified; the tracks drift apart by at most 1 % until the next.
        latestMs = Math.max(latestMs, Math.abs(videoMs - nowMs));
        const apartMs = Math.abs(audioMs - videoMs);
        if (frame > 1_000) assert.ok(apartMs < 40, `frame ${frame}: ${apartMs} ms apart`);
        assert.ok(apartMs < 250, `frame ${frame}: ${apartMs} ms apart`);
      }
      assert.ok(latestMs < 500, `${latestMs} ms from the arrival`);
    });
  }

  test('[R10.1] if there are none, audio begins with its video: a packet is as old as its duration', () => {
    for (const frameSamples of [160, 1024, 4096]) {
      const timing = new SourceTiming();
      const video = timing.addTrack(videoRate, videoRate);
      const audio = timing.addTrack(8000, 8000);
      const arrivalOf = (samples: number) => startMs + (samples * 1000) / 8000 + 5;
      const videoMs = video.map(0, startMs + 5) / 90;
      const audioMs = audio.mapGrowing(0, arrivalOf(frameSamples), frameSamples) / 8;
      assert.ok(Math.abs(audioMs - videoMs) < 1, `${audioMs - videoMs} ms apart`);
    }
  });

  test('a camera whose clock is set keeps its even frame durations', () => {
    const { outMs } = play({
      frames: 600,
      source: even,
      arrivalMs: onTime,
      before: (frame, track) => {
        if (frame % 100 === 0)
          track.report(startMs + onTime(frame) + (frame >= 300 ? 3_600_000 : 0), even(frame));
      },
    });
    outMs.forEach((ms, frame) => assert.ok(Math.abs(ms - startMs - onTime(frame)) < 1));
  });
});
