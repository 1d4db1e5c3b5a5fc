import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { nalsOf, readClip, shifted } from '../../fixtures/clip.ts';
import { BitReader, BitWriter } from '../bits.ts';
import type { SampleRecord } from '../sample.ts';
import type { VideoTrack } from '../track.ts';
import { h264Track, parseAvcC } from './avcc.ts';
import { DecodeTimes } from './decode-times.ts';
import { parseH264Sps } from './h264-sps.ts';
import { removeEmulationPrevention } from './nal.ts';

const EPOCH_SECONDS = 1_700_000_000;
const FRAMES_PER_SECOND = 25;
const CLIPS = [
  'h264-b-pyramid.mp4',
  'h264-one-b.mp4',
  'h264-b-allowed.mp4',
  'h264-no-b.mp4',
  'h265-b-pyramid.mp4',
  'h265-no-b.mp4',
];

interface VideoClip {
  readonly track: VideoTrack;
  readonly samples: readonly SampleRecord[];
  readonly frameTicks: number;
}

function videoClip(name: string): VideoClip {
  const { track, samples } = shifted(readClip(name), EPOCH_SECONDS);
  if (track.kind !== 'video') throw new Error(`${name} is not video`);
  return { track, samples, frameTicks: track.timescale / FRAMES_PER_SECOND };
}

/**
 * The same clip with a parameter set that does not specify the reorder depth, as written by many cameras: no
 * VUI.
 */
function withOpenDepth(clip: VideoClip): VideoClip {
  const { sps, pps } = parseAvcC(clip.track.config);
  const stripped = sps.map(withoutVui);
  for (const nal of stripped) assert.equal(parseH264Sps(nal).maxNumReorderFrames, undefined);
  return { ...clip, track: { ...h264Track(1, stripped, pps), timescale: clip.track.timescale } };
}

/** A High-profile 4:2:0 parameter set of x264 up to vui_parameters_present_flag, which becomes 0. */
function withoutVui(sps: Uint8Array): Uint8Array {
  const raw = removeEmulationPrevention(sps);
  const r = new BitReader(raw);
  r.skip(32);
  for (let i = 0; i < 4; i++) r.ue();
  r.skip(2);
  for (let i = 0; i < 4; i++) r.ue();
  r.skip(1);
  r.ue();
  r.ue();
  r.skip(2);
  if (r.flag()) for (let i = 0; i < 4; i++) r.ue();
  const copied = new BitReader(raw);
  const out = new BitWriter();
  while (copied.position < r.position) out.bits(1, copied.bits(1));
  out.bits(1, 0);
  out.bits(1, 1);
  return out.finish();
}

interface Stamped {
  readonly sample: SampleRecord;
  readonly dts: number;
  readonly pts: number;
}

function stampAll(times: DecodeTimes, samples: readonly SampleRecord[]): Stamped[] {
  return samples.map((sample) => ({ sample, ...times.stamp(sample.pts, nalsOf(sample)) }));
}

function assertGrowing(stamped: readonly Stamped[]): void {
  stamped.forEach(({ dts, pts }, index) => {
    assert.ok(dts <= pts, `picture ${index} is decoded after it is shown`);
    const before = stamped[index - 1];
    assert.ok(before === undefined || dts > before.dts, `picture ${index} is decoded before its predecessor`);
    assert.ok(Number.isSafeInteger(dts));
  });
}

for (const name of CLIPS) {
  test(`[R10.2] decode times from presentation times alone equal the encoder's own: ${name}`, () => {
    const { track, samples, frameTicks } = videoClip(name);
    const stamped = stampAll(new DecodeTimes(track), samples);
    assertGrowing(stamped);
    for (const { sample, dts, pts } of stamped) {
      assert.equal(pts, sample.pts);
      assert.equal(dts, sample.dts);
    }
    assert.equal(
      samples.some((sample) => sample.pts !== sample.dts),
      !name.includes('no-b'),
    );
    assert.ok(stamped.every(({ dts, pts }) => pts - dts <= 6 * frameTicks));
  });
}

for (const name of ['h264-b-pyramid.mp4', 'h264-one-b.mp4']) {
  test(`[R10.2] if the parameter set does not specify the depth it is learnt within the first GOP: ${name}`, () => {
    const { track, samples } = withOpenDepth(videoClip(name));
    const stamped = stampAll(new DecodeTimes(track), samples);
    assertGrowing(stamped);
    const secondKey = samples.findIndex((sample, index) => index > 0 && sample.isKey);
    stamped.forEach(({ sample, dts, pts }, index) => {
      assert.equal(pts, sample.pts);
      if (index >= secondKey) assert.equal(dts, sample.dts);
    });
  });
}

test('[R10.2] without reordering decode and presentation times are equal, even if the depth is not specified', () => {
  const { track, samples } = withOpenDepth(videoClip('h264-b-allowed.mp4'));
  for (const { sample, dts, pts } of stampAll(new DecodeTimes(track), samples)) {
    assert.equal(dts, sample.pts);
    assert.equal(pts, sample.pts);
  }
});

/** Indices of lost frames; the first frame is a key frame, because no reader starts before one. */
const losses = fc.array(fc.integer({ min: 1, max: 49 }), { maxLength: 12 });
const jitterTicks = fc.array(fc.integer({ min: -25, max: 25 }), { minLength: 50, maxLength: 50 });

for (const name of CLIPS) {
  test(`[R10.2] decode times increase despite lost frames and unsteady timestamps: ${name}`, () => {
    const clip = videoClip(name);
    const open = name.startsWith('h264-b') || name === 'h264-one-b.mp4' ? withOpenDepth(clip) : undefined;
    fc.assert(
      fc.property(fc.boolean(), losses, jitterTicks, (isOpen, lost, jitter) => {
        const { track, samples, frameTicks } = (isOpen ? open : undefined) ?? clip;
        const received = samples
          .map((sample, index) => ({ ...sample, pts: sample.pts + (jitter[index] ?? 0) }))
          .filter((_, index) => !lost.includes(index));
        const stamped = stampAll(new DecodeTimes(track), received);
        assertGrowing(stamped);
        for (const { sample, pts } of stamped) {
          // A depth that is still being learnt may misplace some frames; a known one none.
          const tolerance = track === clip.track ? 0 : 4 * frameTicks;
          assert.ok(pts - sample.pts <= tolerance, `shown ${pts - sample.pts} ticks late`);
        }
      }),
      { numRuns: 200 },
    );
  });
}

test('[R10.2] a forward jump is followed immediately, without compressing or delaying later frames', () => {
  const { track, samples, frameTicks } = videoClip('h264-b-pyramid.mp4');
  const times = new DecodeTimes(track);
  stampAll(times, samples);
  const later = samples.map((sample) => ({ ...sample, pts: sample.pts + 3600 * track.timescale }));
  const stamped = stampAll(times, later);
  assertGrowing(stamped);
  for (const { sample, dts, pts } of stamped) {
    assert.equal(pts, sample.pts);
    assert.ok(pts - dts <= 6 * frameTicks);
  }
});

test('[R10.2] if time goes back, decode times still increase until it has caught up', () => {
  const { track, samples } = videoClip('h264-b-pyramid.mp4');
  const times = new DecodeTimes(track);
  const before = stampAll(times, samples);
  const earlier = samples.map((sample) => ({ ...sample, pts: sample.pts - 10 * track.timescale }));
  assertGrowing([...before, ...stampAll(times, earlier)]);
});

test('[R10.2] decode times increase across new parameter sets in mid-stream', () => {
  const first = videoClip('h264-no-b.mp4');
  const second = videoClip('h264-b-pyramid.mp4');
  const times = new DecodeTimes(first.track);
  const before = stampAll(times, first.samples);
  times.setTrack(second.track);
  const offset = 2 * second.track.timescale;
  const after = stampAll(
    times,
    second.samples.map((sample) => ({ ...sample, pts: sample.pts + offset })),
  );
  assertGrowing([...before, ...after]);
  for (const { sample, pts } of after) assert.equal(pts, sample.pts);
});

test('truncated or random slices never stop the timestamps', () => {
  const { track } = withOpenDepth(videoClip('h264-b-pyramid.mp4'));
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 40 }), (frames) => {
      const times = new DecodeTimes(track);
      let last = Number.NEGATIVE_INFINITY;
      frames.forEach((bytes, index) => {
        const { dts, pts } = times.stamp(1e14 + index * 512, [Uint8Array.from([0x41, ...bytes])]);
        assert.ok(dts > last && dts <= pts);
        last = dts;
      });
    }),
  );
});
