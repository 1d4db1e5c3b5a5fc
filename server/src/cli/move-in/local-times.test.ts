import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ForeignConfigError } from './found-stream.ts';
import { LocalTimes, zoneOfNames } from './local-times.ts';

/** The times at which clocks of a zone show a text as in `2026-10-25 02:30`. */
function timesOf(zone: string, shown: string): string[] {
  const ms = Date.parse(`${shown.replace(' ', 'T')}Z`);
  return new LocalTimes(zone).timesOf(ms).map((time) => new Date(time).toISOString().slice(0, 16));
}

test('[R16.3] a local time that occurs twice has two times, also where clocks are set by half an hour', () => {
  assert.deepEqual(timesOf('Europe/Berlin', '2026-10-25 02:30'), ['2026-10-25T00:30', '2026-10-25T01:30']);
  assert.deepEqual(timesOf('Europe/Berlin', '2026-10-25 01:59'), ['2026-10-24T23:59']);
  assert.deepEqual(timesOf('Europe/Berlin', '2026-10-25 03:00'), ['2026-10-25T02:00']);
  assert.deepEqual(timesOf('America/New_York', '2026-11-01 01:00'), ['2026-11-01T05:00', '2026-11-01T06:00']);
  assert.deepEqual(timesOf('America/New_York', '2026-11-01 00:59'), ['2026-11-01T04:59']);
  assert.deepEqual(timesOf('America/New_York', '2026-11-01 02:00'), ['2026-11-01T07:00']);
  assert.deepEqual(timesOf('Australia/Lord_Howe', '2026-04-05 01:45'), [
    '2026-04-04T14:45',
    '2026-04-04T15:15',
  ]);
  assert.deepEqual(timesOf('Australia/Lord_Howe', '2026-04-05 01:29'), ['2026-04-04T14:29']);
  assert.deepEqual(timesOf('Australia/Lord_Howe', '2026-04-05 02:00'), ['2026-04-04T15:30']);
});

test('[R16.3] a local time that clocks skip has none', () => {
  assert.deepEqual(timesOf('Europe/Berlin', '2026-03-29 02:30'), []);
  assert.deepEqual(timesOf('Europe/Berlin', '2026-03-29 03:00'), ['2026-03-29T01:00']);
  assert.deepEqual(timesOf('America/New_York', '2026-03-08 02:00'), []);
  assert.deepEqual(timesOf('America/New_York', '2026-03-08 01:59'), ['2026-03-08T06:59']);
  assert.deepEqual(timesOf('Australia/Lord_Howe', '2026-10-04 02:15'), []);
  assert.deepEqual(timesOf('Australia/Lord_Howe', '2026-10-04 02:30'), ['2026-10-03T15:30']);
});

test('[R16.3] every quarter of an hour of a year is what the clock shows at it', () => {
  for (const zone of [
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'Africa/Casablanca',
  ]) {
    const times = new LocalTimes(zone);
    const format = new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      dateStyle: 'short',
      timeStyle: 'medium',
    });
    for (let ms = Date.UTC(2026); ms < Date.UTC(2027); ms += 900_000) {
      const shownMs = Date.parse(`${format.format(ms).replace(' ', 'T')}Z`);
      assert.ok(times.timesOf(shownMs).includes(ms), `${zone} ${new Date(ms).toISOString()}`);
    }
  }
});

test('[R16.3] a zone that this machine does not know is refused instead of being taken for UTC', () => {
  assert.equal(zoneOfNames({ TZ: ':Europe/Berlin' }), 'Europe/Berlin');
  assert.notEqual(zoneOfNames({}), '');
  for (const TZ of ['Europe/Berlln', 'CET-1CEST', '/etc/localtime'])
    assert.throws(() => zoneOfNames({ TZ }), ForeignConfigError);
});
