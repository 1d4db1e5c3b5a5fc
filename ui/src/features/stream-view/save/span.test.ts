import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Zone } from '../../../timeline/zone.ts';
import { fileNameOf, problemOf, spanAround, spanLengths, spanOfDays, wayOf } from './span.ts';

const hourMs = 3_600_000;
const now = Date.UTC(2026, 10, 21, 12);

test('a span must be in order, not in the future, and not too long', () => {
  assert.equal(problemOf({ startMs: now - 2, endMs: now - 1 }, now, 10), undefined);
  assert.equal(problemOf({ startMs: now - 1, endMs: now - 1 }, now, 10), 'order');
  assert.equal(problemOf({ startMs: now + 1, endMs: now + 2 }, now, 10), 'future');
  assert.equal(problemOf({ startMs: now - 12, endMs: now - 1 }, now, 10), 'tooLong');
});

test('whole days follow the clocks of the zone, even on nights when they change', () => {
  const hoursOf = (day: string, zone: string) => {
    const { startMs, endMs } = spanOfDays({ start: day, end: day }, new Zone(zone), now);
    return (endMs - startMs) / hourMs;
  };
  assert.equal(hoursOf('2026-11-01', 'Europe/Moscow'), 24);
  assert.equal(hoursOf('2026-03-29', 'Europe/Berlin'), 23);
  assert.equal(hoursOf('2026-10-25', 'Europe/Berlin'), 25);
  assert.equal(hoursOf('2026-10-04', 'Australia/Lord_Howe'), 23.5);
  assert.equal(hoursOf('2026-04-05', 'Australia/Lord_Howe'), 24.5);
  const today = spanOfDays({ start: '2026-11-20', end: '2026-11-21' }, new Zone('UTC'), now);
  assert.deepEqual(today, { startMs: Date.UTC(2026, 10, 20), endMs: now });
  assert.equal(new Zone('Europe/Moscow').dayOf(Date.UTC(2026, 10, 20, 22)), '2026-11-21');
});

test('[R9.3] a span up to the download limit is one file; a longer one, or one of several streams, is a package', () => {
  const span = { startMs: 0, endMs: hourMs };
  assert.equal(wayOf(span, 0, hourMs), 'download');
  assert.equal(wayOf({ ...span, endMs: hourMs + 1 }, 0, hourMs), 'export');
  assert.equal(wayOf(span, 1, hourMs), 'export');
});

test('a range around a moment has its length and whole seconds, and does not reach into the future', () => {
  const nowMs = Date.UTC(2026, 10, 21, 12, 0, 0, 700);
  for (const lengthMs of spanLengths) {
    for (const ms of [nowMs - 3_600_000, nowMs - 10_300, nowMs, nowMs + 5_000]) {
      const { startMs, endMs } = spanAround(ms, lengthMs, nowMs);
      assert.equal(endMs - startMs, lengthMs);
      assert.equal(startMs % 1000, 0);
      assert.ok(endMs <= nowMs);
      assert.ok(startMs <= ms);
    }
  }
  assert.deepEqual(spanAround(600_000, 120_000, nowMs), { startMs: 540_000, endMs: 660_000 });
});

test('a typed file name keeps what every system accepts', () => {
  assert.equal(fileNameOf('  Ворота 2: 14/00? '), 'Ворота 2 14 00');
  assert.equal(fileNameOf('..\\..\\secret\u0000.'), 'secret');
  assert.equal(fileNameOf(' ?/. '), undefined);
});
