import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { MomentFormat } from './moment-format.ts';
import { parseMoment } from './moment-input.ts';
import { Zone } from './zone.ts';

const berlin = new Zone('Europe/Berlin');
/** 21 November 2026, 18:30 in Berlin. */
const referenceMs = Date.UTC(2026, 10, 21, 17, 30);
const parse = (text: string) => parseMoment(text, { zone: berlin, referenceMs, nowMs: referenceMs });
const iso = (text: string) => {
  const ms = parse(text);
  return ms === undefined ? undefined : new Date(ms).toISOString().slice(0, 19);
};

test('no component has a date or time field of the browser', () => {
  const source = join(import.meta.dirname, '..');
  const files = globSync('**/*.tsx', { cwd: source });
  assert.ok(files.length > 100);
  const found = files.filter((file) =>
    /type=["'{]+(date|datetime-local|time|month|week)\b/.test(readFileSync(join(source, file), 'utf8')),
  );
  assert.deepEqual(found, []);
});

test('a time alone is on the day of the reference', () => {
  assert.equal(iso('13:05'), '2026-11-21T12:05:00');
  assert.equal(iso(' 13:05:09 '), '2026-11-21T12:05:09');
  assert.equal(iso('9:05'), '2026-11-21T08:05:00');
  assert.equal(iso('00:00'), '2026-11-20T23:00:00');
  assert.equal(iso('1:05 pm'), '2026-11-21T12:05:00');
  assert.equal(iso('12:00 am'), '2026-11-20T23:00:00');
  assert.equal(iso('12:30 p.m.'), '2026-11-21T11:30:00');
});

test('dates are understood as they are written in either language, with or without a time, in any order', () => {
  const texts = [
    '2026-07-01 12:20:30',
    '2026-07-01T12:20:30',
    '01.07.2026 12:20:30',
    '1.7.26, 12:20:30',
    '1/7/2026 12:20:30',
    '12:20:30 1/7',
    '1 Jul 2026, 12:20:30',
    'July 1, 2026 12:20:30',
    '1 июля 2026 г., 12:20:30',
    '1 июля 2026\u00a0г., 12:20:30',
    '1 июл. 2026 г. 12:20:30',
    '2026-07-01T10:20:30.000Z',
    '2026-07-01 13:20:30+03:00',
    '1 July 2026 05:20:30 UTC-5',
    '1 Jul 2026,\u00a012:20:30',
  ];
  for (const text of texts) assert.equal(iso(text), '2026-07-01T10:20:30', text);
  assert.equal(iso('1.7.2026'), '2026-06-30T22:00:00');
  assert.equal(iso('yesterday 13:05'), '2026-11-20T12:05:00');
  assert.equal(iso('вчера 13:05'), '2026-11-20T12:05:00');
  assert.equal(iso('today'), '2026-11-20T23:00:00');
  assert.equal(iso('21 Nov 2026, 13:05:09 CET'), '2026-11-21T12:05:09');
  assert.equal(iso('1 Jul 2026, 13:05:09 CEST'), '2026-07-01T11:05:09');
});

test('today and yesterday are those of the clock, whatever day the field holds', () => {
  const held = { zone: berlin, referenceMs: Date.UTC(2026, 2, 3), nowMs: referenceMs };
  assert.equal(parseMoment('yesterday 13:05', held), parse('20 Nov 2026, 13:05'));
  assert.equal(parseMoment('сегодня', held), parse('21 Nov 2026'));
  assert.equal(parseMoment('13:05', held), parse('3 Mar 2026, 13:05'));
  assert.equal(parseMoment('1.7', held), parse('1 Jul 2026'));
});

test('what is no date and time is refused, and so is one that doesn’t exist', () => {
  for (const text of [
    '',
    ' ',
    '13',
    '13:5',
    '24:00',
    '13:60',
    '13:05:60',
    '0:30 am',
    '13:05 pm',
    '30.02.2026',
    '31 Nov 2026',
    '2026-13-01',
    '0.1.2026',
    '1.1.1969',
    '1 Foo 2026',
    '13:05 13:06',
    '13:05 and more',
    '13:05x',
    'constructor',
    '9999999999999',
  ])
    assert.equal(parse(text), undefined, text);
});

test('a written moment is read as the same moment, in both languages and in any zone', () => {
  // Until 2038; an hour that a zone repeats is read as its first, so those are left out.
  for (const name of ['Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Kiritimati', 'UTC']) {
    const zone = new Zone(name);
    for (const language of ['en', 'ru'] as const) {
      const format = new MomentFormat(language, zone);
      fc.assert(
        fc.property(fc.integer({ min: 86_400, max: 2_145_916_799 }), (second) => {
          const ms = second * 1000;
          const isRepeated = zone.offsetMs(ms - 7_200_000) > zone.offsetMs(ms);
          fc.pre(!isRepeated);
          assert.equal(
            parseMoment(format.write(ms), { zone, referenceMs, nowMs: referenceMs }),
            ms,
            format.write(ms),
          );
        }),
        { numRuns: 60 },
      );
    }
  }
});

test('a field writes the profile’s format, with a 24-hour clock and the zone', () => {
  const ms = Date.UTC(2026, 10, 23, 12, 5, 9);
  assert.equal(new MomentFormat('en', berlin).write(ms), '23 Nov 2026, 13:05:09');
  assert.equal(new MomentFormat('ru', berlin).write(ms), '23.11.2026, 13:05:09');
  assert.equal(
    new MomentFormat('en', berlin).write(Date.UTC(2026, 10, 22, 23, 0, 0)),
    '23 Nov 2026, 00:00:00',
  );
  assert.equal(new MomentFormat('en', berlin).zoneName(ms), 'CET');
  assert.equal(new MomentFormat('en', berlin).zoneName(Date.UTC(2026, 6, 1)), 'CEST');
});

test('arrows step the unit at the caret: a clock’s units by their length, days, months and years by the local calendar', () => {
  const format = new MomentFormat('en', berlin);
  const ms = Date.UTC(2026, 10, 23, 12, 5, 9);
  // 23 Nov 2026, 13:05:09
  const at = (position: number) => format.unitAt(ms, position);
  assert.deepEqual([0, 2, 3, 7, 13, 16, 19, 21].map(at), [
    'day',
    'day',
    'month',
    'year',
    'hour',
    'minute',
    'second',
    'second',
  ]);
  const step = (from: string, unit: Parameters<MomentFormat['step']>[1], count: number) =>
    format.write(format.step(parse(from) ?? 0, unit, count));
  assert.equal(step('23 Nov 2026 23:59:59', 'second', 1), '24 Nov 2026, 00:00:00');
  assert.equal(step('31 Jan 2026 10:00', 'month', 1), '28 Feb 2026, 10:00:00');
  assert.equal(step('1 Jan 2026 10:00', 'month', -1), '01 Dec 2025, 10:00:00');
  assert.equal(step('29 Feb 2028 10:00', 'year', 1), '28 Feb 2029, 10:00:00');
  // Summer time begins in the night: the local time stays.
  assert.equal(step('28 Mar 2026 10:00', 'day', 1), '29 Mar 2026, 10:00:00');
  assert.equal(step('29 Mar 2026 01:59:59', 'second', 1), '29 Mar 2026, 03:00:00');
});
