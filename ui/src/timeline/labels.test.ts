import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { labels, labelStepMs } from './labels.ts';
import { TimeScale } from './time-scale.ts';
import { Zone } from './zone.ts';

const HOUR_MS = 3_600_000;
const zones = ['UTC', 'Europe/Moscow', 'Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kathmandu'].map(
  (name) => new Zone(name),
);
const berlin = new Zone('Europe/Berlin');

function clockOf(zone: Zone, ms: number): string {
  return new Date(ms + zone.offsetMs(ms)).toISOString().slice(11, 16);
}

test('[R9.4] steps are 1, 5, 15, 30, 60 minutes or whole hours, the smallest that keeps 70 px', () => {
  const step = (spanMs: number) => labelStepMs(new TimeScale(0, spanMs, 1400)) / 60_000;
  assert.equal(step(20 * 60_000), 1);
  assert.equal(step(21 * 60_000), 5);
  assert.equal(step(100 * 60_000), 5);
  assert.equal(step(300 * 60_000), 15);
  assert.equal(step(600 * 60_000), 30);
  assert.equal(step(20 * HOUR_MS), 60);
  assert.equal(step(23 * HOUR_MS), 120);
});

test('[R9.4] labels are on whole steps of the zone and at least 70 px apart in every view', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2028, 0, 1) }),
      fc.integer({ min: 200_000, max: 36 * HOUR_MS }),
      fc.integer({ min: 320, max: 3840 }),
      fc.constantFrom(...zones),
      (startMs, spanMs, widthPx, zone) => {
        const scale = new TimeScale(startMs, spanMs, widthPx);
        const stepMs = labelStepMs(scale);
        const found = labels(scale, zone);
        for (const [index, label] of found.entries()) {
          assert.equal(zone.clockMs(label.ms) % stepMs, 0);
          assert.ok(scale.contains(label.ms));
          const before = found[index - 1];
          if (before) assert.ok(label.px - before.px >= 70 - 1e-6);
        }
        assert.ok(found.length <= widthPx / 70 + 1);
      },
    ),
  );
});

test('the day in Berlin that skips an hour has 23 hours and no label for that hour', () => {
  const startMs = berlin.fromLocal(2026, 3, 29);
  const endMs = berlin.fromLocal(2026, 3, 30);
  assert.equal(endMs - startMs, 23 * HOUR_MS);
  const clocks = labels(new TimeScale(startMs, endMs - startMs, 2400), berlin).map((label) =>
    clockOf(berlin, label.ms),
  );
  assert.deepEqual(clocks.slice(0, 4), ['00:00', '01:00', '03:00', '04:00']);
});

test('the day in Berlin that repeats an hour has 25 hours and labels the hour twice', () => {
  const startMs = berlin.fromLocal(2026, 10, 25);
  const endMs = berlin.fromLocal(2026, 10, 26);
  assert.equal(endMs - startMs, 25 * HOUR_MS);
  const clocks = labels(new TimeScale(startMs, endMs - startMs, 2400), berlin).map((label) =>
    clockOf(berlin, label.ms),
  );
  assert.deepEqual(clocks.slice(0, 5), ['00:00', '01:00', '02:00', '02:00', '03:00']);
});

test('Lord Howe changes its clocks by half an hour, and labels follow', () => {
  const zone = new Zone('Australia/Lord_Howe');
  const startMs = zone.fromLocal(2026, 4, 5);
  assert.equal(zone.fromLocal(2026, 4, 6) - startMs, 24.5 * HOUR_MS);
  const clocks = labels(new TimeScale(startMs, 4 * HOUR_MS, 800), zone).map((label) =>
    clockOf(zone, label.ms),
  );
  assert.deepEqual(clocks, ['00:00', '00:30', '01:00', '01:30', '01:30', '02:00', '02:30', '03:00', '03:30']);
});

test('a typed local time and back, in every zone and on every clock change', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2028, 0, 1) }),
      fc.constantFrom(...zones),
      (seconds, zone) => {
        const ms = Math.floor(seconds / 1000) * 1000;
        const local = new Date(ms + zone.offsetMs(ms));
        const back = zone.fromLocal(
          local.getUTCFullYear(),
          local.getUTCMonth() + 1,
          local.getUTCDate(),
          local.getUTCHours(),
          local.getUTCMinutes(),
          local.getUTCSeconds(),
        );
        // For a repeated time the first occurrence is taken: the other is an hour (in Lord Howe half an hour)
        // later.
        assert.ok([0, -1_800_000, -HOUR_MS].includes(back - ms), `${back - ms}`);
        assert.equal(back + zone.offsetMs(back), ms + zone.offsetMs(ms));
      },
    ),
  );
});

test('every day of a year is as wide as its hours and shows its date once: Moscow, Berlin, Lord Howe', () => {
  const unusual: Record<string, number[]> = {};
  for (const zone of zones.slice(1, 4)) {
    const lengths: number[] = [];
    for (let day = 1; day <= 365; day++) {
      const startMs = zone.fromLocal(2026, 1, day);
      const endMs = zone.fromLocal(2026, 1, day + 1);
      const scale = new TimeScale(startMs - HOUR_MS, 27 * HOUR_MS, 1440);
      const hours = (scale.toPx(endMs) - scale.toPx(startMs)) / (scale.toPx(HOUR_MS) - scale.toPx(0));
      const rounded = Math.round(hours * 100) / 100;
      if (rounded !== 24) lengths.push(rounded);
      const midnights = labels(scale, zone).filter(({ isMidnight }) => isMidnight);
      const inView = [startMs, endMs].filter((ms) => scale.contains(ms));
      assert.deepEqual(
        midnights.map(({ ms }) => ms),
        inView,
        `${zone.name}, day ${day}`,
      );
    }
    unusual[zone.name] = lengths;
  }
  assert.deepEqual(unusual, {
    'Europe/Moscow': [],
    'Europe/Berlin': [23, 25],
    'Australia/Lord_Howe': [24.5, 23.5],
  });
});
