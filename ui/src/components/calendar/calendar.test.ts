import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Calendar, CalendarError, monthsShown, violationsOf } from './calendar.ts';
import { addDays, daysBetween, isDay, msOf, weeksOf } from './days.ts';

const bounds = { min: '2026-01-10', max: '2026-11-21' };

function violations(build: () => unknown): readonly string[] {
  try {
    build();
    return [];
  } catch (error) {
    assert.ok(error instanceof CalendarError);
    return error.violations;
  }
}

test('[R5.3] bounds and periods that break a rule are errors, one per rule', () => {
  const period = (start: string, end: string) => ({ ...bounds, period: { start, end } });
  assert.deepEqual(
    violations(() => new Calendar(bounds)),
    [],
  );
  assert.deepEqual(
    violations(() => new Calendar({ min: '2026-02-02', max: '2026-02-02' })),
    [],
  );
  assert.deepEqual(
    violations(() => new Calendar({ min: '2026-02-02', max: '2026-02-01' })),
    ['min-after-max'],
  );
  assert.deepEqual(
    violations(() => new Calendar(period('2026-03-02', '2026-03-01'))),
    ['start-after-end'],
  );
  assert.deepEqual(
    violations(() => new Calendar(period('2026-01-09', '2026-03-01'))),
    ['start-out-of-bounds'],
  );
  assert.deepEqual(
    violations(() => new Calendar(period('2026-03-01', '2026-11-22'))),
    ['end-out-of-bounds'],
  );
  assert.deepEqual(
    violations(() => new Calendar(period('2026-02-30', '2026-03-01'))),
    ['not-a-day'],
  );
  assert.deepEqual(
    violations(() => new Calendar({ ...period('2026-03-01', '2026-03-08'), maxRangeDays: 7 })),
    ['too-long'],
  );
  assert.deepEqual(violationsOf({ ...bounds, period: { start: '2026-12-02', end: '2026-01-01' } }), [
    'start-after-end',
    'start-out-of-bounds',
    'end-out-of-bounds',
  ]);
});

test('[R5.3] months are shown in multiples of three, three by default and twelve at most', () => {
  assert.equal(monthsShown(), 3);
  assert.deepEqual(
    [0, 1, 3, 4, 6, 11, 12, 13, 99].map((asked) => monthsShown(asked)),
    [3, 3, 3, 6, 6, 12, 12, 12, 12],
  );
  assert.deepEqual(new Calendar(bounds).months, ['2026-09-01', '2026-10-01', '2026-11-01']);
  assert.equal(new Calendar({ ...bounds, months: 40 }).months.length, 12);
});

test('[R5.3] weeks start on Monday, and contain each day of the month once', () => {
  const [firstWeek] = weeksOf('2026-11-01');
  // The first of November 2026 is a Sunday.
  assert.deepEqual(firstWeek, [...Array.from({ length: 6 }, () => undefined), '2026-11-01']);
  fc.assert(
    fc.property(fc.integer({ min: 1990, max: 2100 }), fc.integer({ min: 1, max: 12 }), (year, month) => {
      const first = `${year}-${String(month).padStart(2, '0')}-01`;
      const weeks = weeksOf(first);
      const days = weeks.flat().filter((day) => day !== undefined);
      assert.equal(days.length, new Date(Date.UTC(year, month, 0)).getUTCDate());
      assert.ok(days.every((day, index) => day === addDays(first, index)));
      for (const week of weeks) {
        assert.equal(week.length, 7);
        week.forEach((day, index) => {
          if (day !== undefined) assert.equal((new Date(msOf(day)).getUTCDay() + 6) % 7, index);
        });
      }
    }),
  );
});

test('[R5.3] two clicks choose a range in either order; a third starts a new one', () => {
  let calendar = new Calendar(bounds).click('2026-10-20').click('2026-10-05');
  assert.deepEqual(calendar.period, { start: '2026-10-05', end: '2026-10-20' });
  assert.ok(calendar.stateOf('2026-10-10').isSelected);
  assert.ok(!calendar.stateOf('2026-10-21').isSelected);
  calendar = calendar.click('2026-11-01');
  assert.equal(calendar.period, undefined);
  assert.equal(calendar.anchor, '2026-11-01');
  assert.deepEqual(calendar.click('2026-11-01').period, { start: '2026-11-01', end: '2026-11-01' });
});

test('[R5.3] if a selection is a single day, one click is enough', () => {
  const calendar = new Calendar({ ...bounds, maxRangeDays: 1 }).click('2026-10-20');
  assert.deepEqual(calendar.period, { start: '2026-10-20', end: '2026-10-20' });
  assert.deepEqual(calendar.click('2026-10-05').period, { start: '2026-10-05', end: '2026-10-05' });
});

test('[R5.3] days outside the bounds or disabled can’t be clicked, nor those beyond the longest range', () => {
  const calendar = new Calendar({ ...bounds, maxRangeDays: 7, isDisabled: (day) => day === '2026-11-10' });
  for (const day of ['2026-01-09', '2026-11-22', '2026-11-10']) {
    assert.ok(!calendar.stateOf(day).isClickable, day);
    assert.equal(calendar.click(day), calendar);
  }
  const begun = calendar.click('2026-11-03');
  assert.ok(begun.isClickable('2026-11-09') && begun.isClickable('2026-10-28'));
  assert.ok(!begun.isClickable('2026-11-11') && !begun.isClickable('2026-10-27'));
  assert.equal(begun.click('2026-11-11'), begun);
});

test('[R5.3] whatever is clicked, the selection keeps to every rule', () => {
  const day = fc.integer({ min: -40, max: 400 }).map((offset) => addDays('2026-01-01', offset));
  fc.assert(
    fc.property(fc.array(day, { maxLength: 12 }), fc.integer({ min: 1, max: 40 }), (clicks, maxRangeDays) => {
      let calendar = new Calendar({ ...bounds, maxRangeDays });
      for (const clicked of clicks) calendar = calendar.click(clicked);
      assert.deepEqual(violationsOf({ ...bounds, maxRangeDays, period: calendar.period }), []);
    }),
  );
});

test('page buttons are disabled at the bounds, and keys stay within them', () => {
  const calendar = new Calendar(bounds);
  assert.ok(calendar.canTurn(-1) && !calendar.canTurn(1));
  assert.deepEqual(calendar.turn(-8).months, ['2026-01-01', '2026-02-01', '2026-03-01']);
  assert.ok(!calendar.turn(-8).canTurn(-1));
  assert.equal(calendar.step('2026-11-21', 1), '2026-11-21');
  assert.equal(calendar.step('2026-11-21', -7), '2026-11-14');
  assert.ok(calendar.showing('2026-02-14').months.includes('2026-02-01'));
  assert.ok(!isDay('2026-13-01') && !isDay('yesterday') && isDay('2028-02-29'));
  assert.equal(daysBetween('2026-03-28', '2026-03-30'), 3);
});
