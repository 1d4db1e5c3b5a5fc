import assert from 'node:assert/strict';
import { test } from 'node:test';
import { catchUpRate, clockDoubtMs, FootageClock } from './footage-clock.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const yearMs = 365 * dayMs;
const nowMs = Date.UTC(2026, 10, 22, 12);
/** An archive of one month, whose last run ended a minute ago. */
const month = [{ fromMs: nowMs - 30 * dayMs, nowMs: nowMs - 60_000 }];

/** A machine with both clocks, which are read every ten seconds. */
class Machine {
  monotonicMs = 0;
  wallMs: number;
  readonly clock: FootageClock;

  constructor(wallMs: number, known = month) {
    this.wallMs = wallMs;
    this.clock = new FootageClock(wallMs, 0, known);
  }

  run(ms: number, stepMs = 10_000): this {
    for (let left = ms; left > 0; left -= stepMs) {
      this.monotonicMs += Math.min(left, stepMs);
      this.wallMs += Math.min(left, stepMs);
      this.clock.update(this.wallMs, this.monotonicMs);
    }
    return this;
  }

  set(wallMs: number): number {
    this.wallMs = wallMs;
    return this.clock.update(wallMs, this.monotonicMs);
  }

  /** The time against which footage of a date is aged. */
  nowOf(dateMs: number): number | undefined {
    return this.clock.spans.find(({ fromMs, toMs }) => dateMs >= fromMs && dateMs < toMs)?.nowMs;
  }
}

/** Number of spans that cast doubt on the wall clock by more than is ignored. */
function doubted({ clock, wallMs }: Machine): number {
  return clock.doubtingSpans.filter((span) => span.nowMs < wallMs - hourMs).length;
}

test('[R10.4] after a restart within a minute the wall clock is followed', () => {
  const machine = new Machine(nowMs);
  assert.equal(machine.clock.spans.length, 1);
  assert.equal(machine.nowOf(nowMs - dayMs), nowMs);
});

for (const aheadMs of [2 * hourMs, 40 * dayMs, yearMs, 20 * yearMs]) {
  test(`[R10.4] with a clock ${aheadMs / hourMs} h ahead at start footage ages only by the time elapsed`, () => {
    const machine = new Machine(nowMs + aheadMs).run(clockDoubtMs - 10_000);
    assert.equal(machine.nowOf(nowMs - dayMs), nowMs - 60_000 + clockDoubtMs - 10_000);
    // Footage recorded in this run is as old as this clock says.
    assert.equal(machine.nowOf(nowMs + aheadMs + 1), nowMs + aheadMs + clockDoubtMs - 10_000);
  });
}

test('[R10.4] a server that was off for a week makes up the week, a few hours per hour, and then follows the wall clock', () => {
  const machine = new Machine(nowMs + 7 * dayMs).run(clockDoubtMs);
  machine.run(10 * hourMs);
  const madeUpMs = (machine.nowOf(nowMs - dayMs) ?? 0) - nowMs - clockDoubtMs - 10 * hourMs;
  assert.ok(Math.abs(madeUpMs - 10 * hourMs * catchUpRate) < 2 * hourMs, String(madeUpMs / hourMs));
  machine.run(60 * hourMs);
  assert.equal(machine.clock.spans.length, 1);
  assert.equal(machine.nowOf(nowMs - dayMs), machine.wallMs);
});

test('a machine that is off every night and at weekends is never far behind', () => {
  let known = month;
  let wallMs = nowMs;
  for (let day = 0; day < 60; day++) {
    wallMs += day % 5 === 4 ? 64 * hourMs : 16 * hourMs;
    const machine = new Machine(wallMs, known).run(8 * hourMs, 60_000);
    wallMs = machine.wallMs;
    known = [...machine.clock.eras];
    const oldest = machine.clock.cautiousMs;
    assert.ok(wallMs - oldest < 7 * dayMs, `day ${day}: ${(wallMs - oldest) / hourMs} h`);
  }
  assert.ok(known.length < 8);
});

test('[R10.4] a clock that is behind at start deletes nothing, and is followed as soon as it is corrected', () => {
  const machine = new Machine(Date.UTC(1970, 0, 2)).run(3 * hourMs);
  assert.ok((machine.nowOf(nowMs - dayMs) ?? 0) < nowMs - dayMs);
  machine.set(nowMs + 3 * hourMs);
  machine.run(10_000);
  // Except for the minute that it was off.
  assert.equal(machine.nowOf(nowMs - 20 * dayMs), machine.wallMs);
  // Footage recorded meanwhile is as old as it really is.
  assert.equal(machine.nowOf(Date.UTC(1970, 0, 2, 1)), Date.UTC(1970, 0, 2, 3) + 10_000);
});

test('[R10.4] clock steps during a run, years forward and back, delete nothing and have no lasting effect', () => {
  const machine = new Machine(nowMs).run(5 * hourMs);
  assert.equal(Math.round(machine.set(machine.wallMs + 3 * yearMs) / yearMs), 3);
  machine.run(clockDoubtMs / 2);
  assert.equal(machine.nowOf(nowMs - dayMs), nowMs + 5 * hourMs + clockDoubtMs / 2);
  assert.ok(machine.set(machine.wallMs - 3 * yearMs) < 0);
  machine.run(hourMs);
  assert.equal(machine.nowOf(nowMs - dayMs), machine.wallMs);
  machine.set(machine.wallMs - yearMs);
  machine.run(10 * hourMs);
  assert.equal(machine.nowOf(nowMs - dayMs), machine.wallMs);
  machine.set(machine.wallMs + yearMs);
  assert.equal(machine.nowOf(nowMs - dayMs), machine.wallMs);
});

test('a wrong clock of one run proves nothing to the next', () => {
  const first = new Machine(nowMs + yearMs).run(60_000);
  const second = new Machine(first.wallMs + 5_000, [...first.clock.eras]).run(60_000);
  assert.ok((second.nowOf(nowMs - dayMs) ?? 0) < nowMs + 10 * 60_000);
  const third = new Machine(nowMs + 100_000, [...second.clock.eras]).run(60_000);
  assert.equal(third.nowOf(nowMs - dayMs), third.wallMs);
});

test('a clock that runs fast, beyond what a time server adjusts, is not trusted', () => {
  const machine = new Machine(nowMs);
  for (let look = 0; look < 360; look++) {
    machine.monotonicMs += 10_000;
    machine.wallMs += 30_000;
    machine.clock.update(machine.wallMs, machine.monotonicMs);
  }
  const believedMs = (machine.nowOf(nowMs - dayMs) ?? 0) - nowMs;
  assert.ok(believedMs < 1.2 * hourMs, String(believedMs / hourMs));
  assert.ok(machine.clock.eras.length <= 32);
});

test('[R10.4] a clock that returned from an excursion is trusted, even after a restart; one that stays away is not', () => {
  for (const offMs of [-2 * dayMs, 40 * dayMs]) {
    const machine = new Machine(nowMs + offMs).run(60_000);
    const isAhead = offMs > 0;
    assert.equal(doubted(machine), isAhead ? 1 : 0, 'only a clock that is ahead would delete too much');
    assert.equal(doubted(new Machine(machine.wallMs, [...machine.clock.eras])), isAhead ? 1 : 0);
    machine.set(nowMs + 60_000);
    assert.equal(doubted(machine), 0);
    assert.equal(doubted(new Machine(machine.wallMs, [...machine.clock.eras])), 0);
    // Footage of the excursion ages as before.
    assert.equal(machine.clock.spans.length, 2);
  }
});

test('[R10.4] a clock that is corrected after a start with a wrong one is trusted, however short the time off was', () => {
  for (const offMinutes of [1, 5, 50]) {
    const startMs = nowMs + offMinutes * 60_000;
    const machine = new Machine(startMs - 2 * dayMs).run(5 * 60_000);
    machine.set(startMs + 5 * 60_000);
    assert.equal(doubted(machine), 0, `${offMinutes} min`);
    const next = new Machine(machine.wallMs + 5 * 60_000, [...machine.clock.eras]);
    assert.equal(doubted(next), 0, `${offMinutes} min, after another restart`);
    // The time that it was off is not known to have passed.
    assert.ok((next.nowOf(nowMs - dayMs) ?? 0) <= next.wallMs);
    assert.equal(doubted(new Machine(machine.wallMs + dayMs, [...machine.clock.eras])) > 0, true);
  }
});

test('small steps by a time server are accepted', () => {
  const machine = new Machine(nowMs);
  for (let step = 0; step < 10; step++) {
    assert.equal(machine.run(1_000_000).set(machine.wallMs + 30_000), 0);
    assert.equal(machine.run(1_000_000).set(machine.wallMs - 30_000), 0);
  }
  assert.equal(machine.clock.spans.length, 1);
});

test('eras without footage are removed, except that of the wall clock', () => {
  const machine = new Machine(nowMs + yearMs);
  machine.clock.forget(() => true);
  assert.deepEqual(machine.clock.spans, [
    { fromMs: 0, toMs: Number.POSITIVE_INFINITY, nowMs: nowMs + yearMs },
  ]);
});
