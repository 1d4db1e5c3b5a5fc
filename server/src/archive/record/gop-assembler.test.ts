import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Sample } from '@vidette/media/sample';
import { footageOf, footageStartMs as t0 } from '../fixtures/footage-fixture.ts';
import { GopAssembler, type AssemblerStep, type AssembledFragment } from './gop-assembler.ts';

const limits = { fragmentMs: 1_000, fragmentMaxBytes: 1_000_000 };
const footage = footageOf('h264-no-b.mp4', 'aac.mp4');

function assemble(samples: readonly Sample[]): {
  steps: AssemblerStep[];
  fragments: AssembledFragment[];
  assembler: GopAssembler;
} {
  const assembler = new GopAssembler(limits);
  const steps = [
    ...assembler.accept({ type: 'tracks', generation: 1, tracks: footage.tracks }),
    ...samples.flatMap((sample) => assembler.accept({ type: 'sample', sample, startsGop: false })),
    ...assembler.interrupt('recording-off'),
  ];
  return {
    steps,
    fragments: steps.flatMap((step) => (step.type === 'fragment' ? [step.fragment] : [])),
    assembler,
  };
}

test('fragments are contiguous GOPs, and audio is stored with the video of the same time', () => {
  const { fragments, steps } = assemble(footage.between(t0, t0 + 5_000));
  assert.equal(fragments.length, 5);
  assert.deepEqual(steps.at(-1), { type: 'break', cause: 'recording-off' });
  fragments.forEach((fragment, index) => {
    assert.equal(fragment.startsWithKey, true);
    assert.equal(fragment.startTicks, fragments[index - 1]?.endTicks ?? (t0 / 1000) * 90_000);
    const audio = fragment.runs.find(({ track }) => track.kind === 'audio');
    const endSeconds = fragment.endTicks / 90_000;
    const isLast = index === fragments.length - 1;
    assert.ok(audio?.samples.every(({ dts }) => isLast || dts / 48_000 < endSeconds));
  });
  const count = fragments.flatMap(({ runs }) => runs.flatMap(({ samples }) => samples)).length;
  assert.equal(count, footage.between(t0, t0 + 5_000).length);
});

test('whatever the order and damage of samples, decode times increase to the end of each run and fragments do not overlap', () => {
  const source = footage.between(t0, t0 + 6_000);
  const mischief = fc.array(
    fc.record({
      at: fc.nat(source.length - 1),
      timeOffsetMs: fc.integer({ min: -20_000, max: 20_000 }),
      kind: fc.constantFrom('drop', 'shift', 'repeat', 'unkey'),
    }),
    { maxLength: 20 },
  );
  fc.assert(
    fc.property(mischief, (deeds) => {
      const samples = source.flatMap((sample, index) => {
        const deed = deeds.find(({ at }) => at === index);
        if (!deed) return [sample];
        if (deed.kind === 'drop') return [];
        if (deed.kind === 'repeat') return [sample, sample];
        if (deed.kind === 'unkey') return [{ ...sample, isKey: false }];
        const ticks = Math.round((deed.timeOffsetMs * (sample.trackId === 1 ? 90_000 : 48_000)) / 1000);
        return [{ ...sample, dts: sample.dts + ticks, pts: sample.pts + ticks }];
      });
      const { fragments, steps } = assemble(samples);
      let end = 0;
      for (const step of steps) {
        if (step.type === 'break') continue;
        assert.ok(step.fragment.startTicks >= end || step.fragment.startsWithKey);
        assert.ok(step.fragment.endTicks > step.fragment.startTicks);
        end = step.fragment.endTicks;
      }
      for (const { runs } of fragments) {
        for (const { samples: run, endDts } of runs) {
          run.forEach(({ dts }, index) => assert.ok(dts < (run[index + 1]?.dts ?? endDts)));
        }
      }
    }),
  );
});

test('a fragment exceeds its limit by no more than what came with the last frame', () => {
  const heavy = footage
    .between(t0, t0 + 900)
    .map((sample) => (sample.trackId === 1 ? { ...sample, size: 300_000 } : sample));
  const { fragments } = assemble(heavy);
  assert.ok(fragments.length > 4);
  for (const { runs } of fragments) {
    assert.ok(runs.flatMap(({ samples }) => samples).reduce((sum, { size }) => sum + size, 0) < 1_400_000);
  }
  assert.deepEqual(
    fragments.map(({ startsWithKey }) => startsWithKey),
    fragments.map((_, index) => index === 0),
  );
});

test('audio whose clock is far from that of the video is dropped and counted', () => {
  const samples = footage
    .between(t0, t0 + 3_000)
    .map((sample) => (sample.trackId === 2 ? { ...sample, dts: sample.dts + 48_000 * 60 } : sample));
  const { fragments, assembler } = assemble(samples);
  assert.ok(fragments.every(({ runs }) => runs.length === 1));
  assert.ok(assembler.unusableSamples > 100);
});

test('a track that never delivers does not delay the other', () => {
  const { fragments } = assemble(footage.between(t0, t0 + 4_000).filter(({ trackId }) => trackId === 1));
  assert.equal(fragments.length, 4);
});

/** Video only, with these frame distances, ms; key frames by number. */
function filmed(stepsMs: readonly number[], isKey: (index: number) => boolean): Sample[] {
  let dts = (t0 / 1000) * 90_000;
  return stepsMs.map((stepMs, index) => {
    dts += Math.round(stepMs * 90);
    const data = [new Uint8Array(5)];
    return { trackId: 1, dts, pts: dts, isKey: isKey(index), isDamaged: false, data, size: 5 };
  });
}

const seconds = ({ startTicks, endTicks }: AssembledFragment) => (endTicks - startTicks) / 90_000;

test('[R10.3] whatever the length of GOPs, a fragment lasts little more than a second, and less where it is a part of a GOP', () => {
  for (const gopFrames of [1, 2, 7, 12, 25, 26, 28, 30, 37, 50, 75, 100, 250, 1500]) {
    const { fragments } = assemble(filmed(Array<number>(3000).fill(40), (index) => index % gopFrames === 0));
    const whole = fragments.slice(0, -1);
    assert.ok(Math.max(...whole.map(seconds)) <= 1.1, `GOPs of ${gopFrames}`);
    // The length of the first GOP is unknown while it arrives.
    const known = whole.slice(whole.findIndex(({ startsWithKey }, index) => index > 0 && startsWithKey));
    const parts = known.filter(({ startsWithKey }) => !startsWithKey);
    assert.ok(Math.max(0, ...parts.map(seconds)) <= 0.91, `parts of GOPs of ${gopFrames}`);
    if (gopFrames <= 26) assert.ok(parts.length === 0, `GOPs of ${gopFrames} are written whole`);
    else if (gopFrames <= 1000) assert.ok(Math.max(...known.map(seconds)) <= 0.91, `GOPs of ${gopFrames}`);
    // Parts of a GOP may be shorter than a fragment, but only a few.
    const usual = whole.reduce((sum, fragment) => sum + seconds(fragment), 0) / whole.length;
    assert.ok(usual >= 0.45, `GOPs of ${gopFrames} in fragments of ${usual} s`);
    let [sinceKey, longest] = [0, 0];
    for (const fragment of whole) {
      sinceKey = fragment.startsWithKey ? 0 : sinceKey + seconds(fragment);
      longest = Math.max(longest, sinceKey);
    }
    assert.ok(longest <= Math.max(2.1, gopFrames / 25), `GOPs of ${gopFrames}`);
  }
});

test('[R7.17] fragments begin at whole microseconds, the unit of players, and their frames stay in order', () => {
  const { fragments } = assemble(filmed(Array<number>(500).fill(40.03), (index) => index % 25 === 0));
  assert.ok(fragments.length > 10);
  for (const { runs } of fragments) {
    const [video] = runs;
    assert.ok(video);
    assert.equal((video.samples[0]?.dts ?? 1) % 9, 0);
    const times = [...video.samples.map(({ dts }) => dts), video.endDts];
    assert.ok(times.slice(1).every((dts, index) => dts - (times[index] ?? 0) > 3_500));
  }
});

test('[R10.3] GOPs are written whole or in equal parts, even if their lengths vary or a frame is missing', () => {
  for (const [gopFrames, partsOfGop] of [
    [12, 1],
    [25, 1],
    [26, 1],
    [30, 2],
    [37, 3],
    [50, 3],
    [250, 15],
  ] as const) {
    // One frame in 90 is missing, and the distances vary by one percent, as corrected times do.
    const steps = Array.from({ length: 3000 }, (_, index) =>
      index % 90 === 89 ? 80 : 40 + (index % 200 < 100 ? 0.4 : 0),
    );
    const { fragments } = assemble(filmed(steps, (index) => index % gopFrames === 0));
    const gops = fragments.filter(({ startsWithKey }) => startsWithKey).length;
    const perGop = fragments.length / gops;
    assert.ok(Math.abs(perGop - partsOfGop) <= 0.05 * partsOfGop, `${perGop} parts of GOPs of ${gopFrames}`);
  }
});

test('once GOPs become longer they are written in parts', () => {
  const { fragments } = assemble(
    filmed(Array<number>(2000).fill(40), (index) => (index < 500 ? index % 50 === 0 : index % 250 === 0)),
  );
  assert.ok(Math.max(...fragments.map(seconds)) <= 1.1);
});

test('the frames of an all-intra camera are written every half second, not one by one', () => {
  const { fragments } = assemble(filmed(Array<number>(250).fill(40), () => true));
  assert.ok(fragments.length >= 15 && fragments.length <= 22, `${fragments.length} fragments`);
  assert.ok(fragments.every(({ startsWithKey }) => startsWithKey));
});

test('a camera with a frame every two, eight or twenty seconds has no gaps; one that pauses for that long has', () => {
  for (const stepMs of [2_000, 8_000, 20_000]) {
    const { steps } = assemble(filmed(Array<number>(20).fill(stepMs), () => true));
    assert.deepEqual(
      steps.flatMap((step) => (step.type === 'break' ? [step.cause] : [])),
      ['recording-off'],
    );
  }
  const stall = [...Array<number>(50).fill(40), 4_000, ...Array<number>(50).fill(40)];
  const slower = [...Array<number>(50).fill(40), ...Array<number>(20).fill(4_000)];
  for (const steps of [stall, slower]) {
    const causes = assemble(filmed(steps, () => true)).steps.flatMap((step) =>
      step.type === 'break' ? [step.cause] : [],
    );
    assert.deepEqual(causes, ['no-frames', 'recording-off']);
  }
});
