import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dayAt, depthOf } from './archive-depth.ts';
import { OVERVIEW_LABEL_PX, overviewLabels } from './overview-labels.ts';
import { TimeScale } from './time-scale.ts';
import { Zone } from './zone.ts';

const HOUR_MS = 3_600_000;
const zones = ['UTC', 'Europe/Moscow', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Havana'].map(
  (name) => new Zone(name),
);
const moments = fc.integer({ min: Date.UTC(2023, 0, 1), max: Date.UTC(2028, 0, 1) });

test('days are contiguous, have 23 to 25 hours, begin at midnight in the zone, and end with today', () => {
  fc.assert(
    fc.property(
      moments,
      fc.integer({ min: 0, max: 400 }),
      fc.constantFrom(...zones),
      (nowMs, daysBack, zone) => {
        const oldest = zone.dayOf(nowMs - daysBack * 24 * HOUR_MS);
        const { days, startMs, endMs } = depthOf({ days: [oldest], shares: [0.5] }, zone, nowMs);
        assert.equal(days[0].startMs, startMs);
        assert.equal(days.at(-1)?.endMs, endMs);
        assert.ok(nowMs >= (days.at(-1)?.startMs ?? 0) && nowMs < endMs);
        assert.ok(days.length >= 7);
        for (const [index, day] of days.entries()) {
          const hours = (day.endMs - day.startMs) / HOUR_MS;
          assert.ok(hours >= 23 && hours <= 25, `${hours} h`);
          assert.equal(zone.dayOf(day.startMs), zone.dayOf(day.endMs - 1));
          assert.equal(day.startMs, days[index - 1]?.endMs ?? startMs);
        }
        const recorded = days.filter(({ share }) => share > 0);
        assert.deepEqual(
          recorded.map((day) => [zone.dayOf(day.startMs), day.share]),
          [[oldest, 0.5]],
        );
      },
    ),
    { numRuns: 60 },
  );
});

test('the nights on which clocks change: 23 and 25 hours in Berlin, half an hour on Lord Howe, none in Moscow', () => {
  const hoursOf = (name: string, day: string) => {
    const zone = new Zone(name);
    const depth = depthOf({ days: ['2026-01-01'], shares: [1] }, zone, Date.UTC(2026, 11, 1));
    const found = dayAt(depth, zone.dayStartMs(day) + HOUR_MS);
    return found && (found.endMs - found.startMs) / HOUR_MS;
  };
  assert.equal(hoursOf('Europe/Berlin', '2026-03-29'), 23);
  assert.equal(hoursOf('Europe/Berlin', '2026-10-25'), 25);
  assert.equal(hoursOf('Australia/Lord_Howe', '2026-04-05'), 24.5);
  assert.equal(hoursOf('Australia/Lord_Howe', '2026-10-04'), 23.5);
  assert.equal(hoursOf('Europe/Moscow', '2026-03-29'), 24);
});

test('labels of the overview are never too close, and show days, months or years depending on the depth', () => {
  const nowMs = Date.UTC(2026, 10, 21, 12);
  const labelsOf = (daysBack: number, widthPx: number, zone: Zone) => {
    const depth = depthOf({ days: [zone.dayOf(nowMs - daysBack * 24 * HOUR_MS)], shares: [1] }, zone, nowMs);
    return overviewLabels(depth, new TimeScale(depth.startMs, depth.endMs - depth.startMs, widthPx), zone);
  };
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1500 }),
      fc.integer({ min: 320, max: 3840 }),
      fc.constantFrom(...zones),
      (daysBack, widthPx, zone) => {
        const found = labelsOf(daysBack, widthPx, zone);
        for (const [index, { ms, px }] of found.entries()) {
          assert.equal(zone.dayStartMs(zone.dayOf(ms)), ms);
          const before = found[index - 1];
          if (before) assert.ok(px - before.px >= OVERVIEW_LABEL_PX * 0.95);
        }
      },
    ),
    { numRuns: 40 },
  );
  const [utc] = zones;
  assert.ok(utc);
  assert.deepEqual([...new Set(labelsOf(6, 1400, utc).map(({ unit }) => unit))], ['day']);
  assert.equal(labelsOf(6, 1400, utc).length, 7);
  const mondays = labelsOf(29, 700, utc);
  assert.ok(mondays.every(({ ms }) => new Date(ms).getUTCDay() === 1));
  assert.deepEqual([...new Set(labelsOf(364, 1400, utc).map(({ unit }) => unit))], ['month', 'year']);
});
