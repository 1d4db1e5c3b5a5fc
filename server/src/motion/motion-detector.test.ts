import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { MotionDetector, type FrameSize, type MotionEvent } from './motion-detector.ts';

const startMs = Date.UTC(2026, 10, 20, 12);
const frameMs = 80;

/** A uniform random sequence that is the same in each run. */
function* noise(seed: number): Generator<number, never> {
  for (let state = seed; ;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state / 2_147_483_648 - 0.5;
  }
}

/**
 * A camera with a key frame every two seconds; `factor` is the ratio of the inter frames' sizes to their usual
 * size.
 */
function camera(seconds: number, factor: (second: number) => number, fromSecond = 0): FrameSize[] {
  const random = noise(7);
  return Array.from({ length: Math.round((seconds * 1000) / frameMs) }, (_, index) => {
    const second = fromSecond + (index * frameMs) / 1000;
    const position = index % 25;
    // The pattern of encoders: large after a key frame, every second one small.
    const usual = 2_000 * (position < 5 ? 1.8 : 1) * (position % 2 === 0 ? 0.6 : 1);
    const bytes = position === 0 ? 60_000 : usual * factor(second) * 2 ** (0.5 * random.next().value);
    return { timeMs: startMs + second * 1000, bytes, isKey: position === 0, isReordered: false };
  });
}

function detect(frames: readonly FrameSize[]): {
  told: MotionEvent[];
  tentative: MotionEvent[];
  ended: { fromS: number; toS: number }[];
} {
  const told: MotionEvent[] = [];
  const tentative: MotionEvent[] = [];
  const detector = new MotionDetector((event) => (event.isTentative ? tentative : told).push(event));
  for (const frame of frames) detector.frame(frame);
  detector.interrupt();
  const ended = told
    .filter(({ isOpen }) => !isOpen)
    .map((event) => ({ fromS: (event.startMs - startMs) / 1000, toS: (event.endMs - startMs) / 1000 }));
  return { told, tentative, ended };
}

function between(from: number, to: number, factor: number): (second: number) => number {
  return (second) => (second >= from && second < to ? factor : 1);
}

function assertNear(event: { fromS: number; toS: number } | undefined, fromS: number, toS: number): void {
  assert.ok(event, 'nothing was found');
  assert.ok(Math.abs(event.fromS - fromS) <= 2.5, `begins at ${event.fromS} s`);
  assert.ok(Math.abs(event.toS - toS) <= 2.5, `ends at ${event.toS} s`);
}

test('[R10.7] frames that are larger for a while are motion, from when they grew until they are small again', () => {
  const { ended, told } = detect(camera(120, between(60, 68, 1.6)));
  assert.equal(ended.length, 1);
  assertNear(ended[0], 60, 68);
  assert.ok((told[0]?.score ?? 0) > 1.4 && (told[0]?.score ?? 0) < 1.9);
});

test('[R10.7] a scene with only noise has no motion, whatever the pattern of its GOPs', () => {
  assert.deepEqual(detect(camera(600, () => 1)).told, []);
});

test('[R10.7] slow light changes, flashes and lost frames are not motion', () => {
  const darkening = (second: number) => 2 ** (second / 600);
  assert.deepEqual(detect(camera(1200, darkening)).told, []);
  const flashing = (second: number) => (second % 30 < 0.6 && second > 30 ? 8 : 1);
  assert.deepEqual(detect(camera(300, flashing)).told, []);
});

test('[R10.7] a gain switch is not motion, and the scene after it is learnt', () => {
  const { ended } = detect(camera(240, (second) => (second < 60 ? 1 : between(150, 156, 2)(second) * 8)));
  assert.equal(ended.length, 1);
  assertNear(ended[0], 150, 156);
});

test('[R10.7] motion with short rests is one event, and motion with a long rest is two', () => {
  const moving = (second: number) => Math.max(...[60, 66, 100].map((at) => between(at, at + 4, 2)(second)));
  const { ended } = detect(camera(160, moving));
  assert.equal(ended.length, 2);
  assertNear(ended[0], 60, 70);
  assertNear(ended[1], 100, 104);
});

test('[R10.7] long motion is reported before its end, with the same start', () => {
  const uneven = (second: number) => between(60, 105, 1.8 + 0.8 * Math.sin(second))(second);
  const { told } = detect(camera(140, uneven));
  assert.deepEqual(
    told.map(({ isOpen }) => isOpen),
    [true, true, false],
  );
  assert.equal(new Set(told.map((event) => event.startMs)).size, 1);
});

test('[R11.13] motion is announced within three seconds, and so is that it was none', () => {
  const frames = camera(120, between(60, 68, 1.6));
  const seen: { atMs: number; event: MotionEvent }[] = [];
  let atMs = 0;
  const detector = new MotionDetector((event) => seen.push({ atMs, event }));
  for (const frame of frames) {
    atMs = frame.timeMs;
    detector.frame(frame);
  }
  const [first, last] = seen;
  assert.deepEqual([first?.event.isTentative, first?.event.isOpen, last?.event.isOpen], [true, true, false]);
  assert.ok(first && first.atMs - first.event.startMs < 4_000, `after ${String(first?.atMs)}`);
  const gainSwitch = detect(camera(240, (second) => (second < 60 ? 1 : 8)));
  assert.deepEqual(gainSwitch.told, []);
  assert.deepEqual(
    gainSwitch.tentative.map(({ isOpen }) => isOpen),
    [true, false],
  );
});

test('[R10.7] the start of a stream and its return are not motion', () => {
  const told: MotionEvent[] = [];
  const detector = new MotionDetector((event) => told.push(event));
  for (const frame of camera(60, between(0, 4, 4))) detector.frame(frame);
  detector.interrupt();
  detector.resume(startMs + 90_000);
  for (const frame of camera(60, between(90, 92, 4), 90)) detector.frame(frame);
  detector.interrupt();
  assert.deepEqual(told, []);
});

test('any sizes at any times yield events in order', () => {
  const frame = fc.record({
    stepMs: fc.nat(3_000),
    bytes: fc.nat(10_000_000),
    isKey: fc.boolean(),
    isReordered: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 400 }), (steps) => {
      let timeMs = startMs;
      const { told } = detect(steps.map(({ stepMs, ...rest }) => ({ ...rest, timeMs: (timeMs += stepMs) })));
      told.forEach((event, index) => {
        assert.ok(event.endMs >= event.startMs && Number.isFinite(event.score));
        assert.ok(event.startMs >= (told[index - 1]?.startMs ?? 0));
      });
    }),
  );
});

test('[R10.7] an object that crosses a real, noisy scene is found', async () => {
  const box = "x='if(between(t,40,46),-40+70*(t-40),-99)':y=90";
  const frame = `gradients=s=320x180:r=10:c0=gray:c1=white:x0=0:y0=0:x1=319:y1=179:speed=0.00001[ground];testsrc=s=320x240:r=10,crop=24:48:60:60[box];[ground][box]overlay=${box},noise=alls=2:allf=t`;
  const encode = `-f lavfi -i ${frame.replaceAll(' ', '')} -t 60 -pix_fmt yuv420p -c:v libx264 -preset ultrafast -tune zerolatency -g 20 -crf 26 -f mpegts -`;
  const run = promisify(execFile);
  const { stdout: clip } = await run('ffmpeg', `-v error ${encode}`.split(' '), {
    encoding: 'buffer',
    maxBuffer: 1 << 26,
  });
  const probe = '-v error -select_streams v -show_entries packet=dts_time,size,flags -of csv=p=0 -';
  const probing = run('ffprobe', probe.split(' '), { maxBuffer: 1 << 24 });
  probing.child.stdin?.end(clip);
  const { stdout } = await probing;
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const firstS = Number(rows[0]?.[0]);
  const { ended } = detect(
    rows.map(([dts = '', bytes = '', flags = '']) => ({
      timeMs: startMs + (Number(dts) - firstS) * 1000,
      bytes: Number(bytes),
      isKey: flags.startsWith('K'),
      isReordered: false,
    })),
  );
  assert.equal(ended.length, 1);
  assertNear(ended[0], 40, 46);
});
