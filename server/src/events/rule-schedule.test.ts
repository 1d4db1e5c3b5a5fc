import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isScheduled, localMoment } from './rule-schedule.ts';

const everyDay = [1, 2, 3, 4, 5, 6, 7];
const berlin = 'Europe/Berlin';
const utc = (text: string) => Date.parse(`${text}Z`);

test('[R11.5] a span through midnight belongs to the day on which it begins', () => {
  const schedule = { timeZone: 'UTC', spans: [{ days: [5], from: '22:00', to: '06:00' }] };
  // 2026-11-20 is a Friday.
  assert.equal(isScheduled(schedule, utc('2026-11-20T21:59:59')), false);
  assert.equal(isScheduled(schedule, utc('2026-11-20T22:00')), true);
  assert.equal(isScheduled(schedule, utc('2026-11-21T05:59:59')), true);
  assert.equal(isScheduled(schedule, utc('2026-11-21T06:00')), false);
  assert.equal(isScheduled(schedule, utc('2026-11-21T22:00')), false);
  assert.equal(isScheduled(schedule, utc('2026-11-20T05:00')), false);
});

test('[R11.5] a span of equal times lasts a whole day; one of Sunday ends on Monday', () => {
  const schedule = { timeZone: 'UTC', spans: [{ days: [7], from: '08:00', to: '08:00' }] };
  // 2026-11-22 is a Sunday.
  assert.equal(isScheduled(schedule, utc('2026-11-22T07:59')), false);
  assert.equal(isScheduled(schedule, utc('2026-11-22T08:00')), true);
  assert.equal(isScheduled(schedule, utc('2026-11-23T07:59')), true);
  assert.equal(isScheduled(schedule, utc('2026-11-23T08:00')), false);
});

test('[R11.5] a schedule follows the clock on the wall when summer time begins and ends', () => {
  const night = { timeZone: berlin, spans: [{ days: everyDay, from: '02:00', to: '03:00' }] };
  // 2026-03-29: the hour from 02:00 is skipped.
  for (let minute = 0; minute < 180; minute += 10) {
    assert.equal(isScheduled(night, utc('2026-03-29T00:00') + minute * 60_000), false);
  }
  // 2026-10-25: it comes twice.
  assert.equal(isScheduled(night, utc('2026-10-24T23:59')), false);
  assert.equal(isScheduled(night, utc('2026-10-25T00:30')), true);
  assert.equal(isScheduled(night, utc('2026-10-25T01:30')), true);
  assert.equal(isScheduled(night, utc('2026-10-25T02:00')), false);
  const early = { timeZone: berlin, spans: [{ days: [7], from: '06:00', to: '07:00' }] };
  assert.equal(isScheduled(early, utc('2026-03-29T04:30')), true, 'UTC+2');
  assert.equal(isScheduled(early, utc('2026-10-25T05:30')), true, 'UTC+1');
  assert.equal(isScheduled(early, utc('2026-10-25T04:30')), false);
});

test('midnight is the first minute of a day', () => {
  assert.deepEqual(localMoment('UTC', utc('2026-11-23T00:00')), {
    weekday: 1,
    minuteOfDay: 0,
    date: '2026-11-23',
  });
  assert.equal(localMoment('Asia/Kathmandu', utc('2026-11-23T18:15')).date, '2026-11-24');
});
