import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Zone } from '../../timeline/zone.ts';
import { isWithin, readTimeOfDay, writeTimeOfDay } from './time-of-day.ts';

test('[R11.4] a time of day is read in the usual ways, and nothing else is', () => {
  for (const [text, minute] of [
    ['22:05', 1325],
    ['22.05', 1325],
    ['2205', 1325],
    ['705', 425],
    ['7', 420],
    [' 07:00 ', 420],
    ['24:00', 1440],
    ['0', 0],
  ] as const)
    assert.equal(readTimeOfDay(text), minute, text);
  for (const text of ['', '25', '24:01', '12:60', '7:5', 'noon', '-1', '12:00:00'])
    assert.equal(readTimeOfDay(text), undefined, text);
  assert.equal(writeTimeOfDay(425), '07:05');
});

test('[R11.4] a period of the day follows the zone’s clock, also past midnight and after a change of the clocks', () => {
  const berlin = new Zone('Europe/Berlin');
  const night = { fromMinute: 22 * 60, toMinute: 6 * 60 };
  const at = (iso: string) => isWithin(Date.parse(iso), night, berlin);
  assert.deepEqual([at('2026-11-20T20:59:59Z'), at('2026-11-20T21:00:00Z')], [false, true]);
  assert.deepEqual([at('2026-11-21T04:59:59Z'), at('2026-11-21T05:00:00Z')], [true, false]);
  assert.deepEqual([at('2026-07-21T19:59:59Z'), at('2026-07-21T20:00:00Z')], [false, true]);
  const day = { fromMinute: 8 * 60, toMinute: 9 * 60 };
  assert.ok(isWithin(Date.parse('2026-11-20T07:30:00Z'), day, berlin));
  assert.ok(!isWithin(Date.parse('2026-11-20T08:00:00Z'), day, berlin));
});
