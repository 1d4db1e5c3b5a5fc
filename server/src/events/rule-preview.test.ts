import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RuleEvent } from '../store/outbox.ts';
import { newRuleState, type RuleDefinition } from '../store/rules.ts';
import { nextDueMs, takeDue, takeEvent, type RuleAction } from './rule-evaluator.ts';
import { plainRule } from './rule-fixture.ts';
import { previewOf, simulate } from './rule-preview.ts';

const dayMs = 86_400_000;
const timeZone = 'Europe/Berlin';
/** Of 2026: the nights to these Sundays have 23 and 25 hours. */
const weeks = [Date.UTC(2026, 2, 25), Date.UTC(2026, 9, 21)];

/** The same numbers for the same seed (mulberry32). */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

type Random = ReturnType<typeof randomOf>;

/** A week with outages, and with moments, in the order in which they begin. */
function weekOf(fromMs: number, random: Random): RuleEvent[] {
  const starts = Array.from({ length: 250 }, () => fromMs + random(7 * dayMs)).toSorted((a, b) => a - b);
  return starts.map((startMs, index) => {
    const lasts = random(3) > 0;
    return {
      ...{ id: index + 1, kind: lasts ? 'stream-down' : 'sign-in-failed', stream: lasts ? 'gate' : null },
      ...{ startMs, endMs: startMs + (lasts ? random(400_000) : 0), note: '', code: null },
    };
  });
}

function ruleOf(random: Random): RuleDefinition {
  const clock = () => `${String(random(24)).padStart(2, '0')}:${String(random(60)).padStart(2, '0')}`;
  const span = () => ({
    days: [1, 2, 3, 4, 5, 6, 7].filter(() => random(3) > 0),
    from: clock(),
    to: clock(),
  });
  return {
    ...plainRule,
    kinds: ['stream-down', 'sign-in-failed'],
    schedule: random(4) === 0 ? null : { timeZone, spans: [span(), span(), span()] },
    minSeconds: random(2) * random(300),
    count: random(3) === 0 ? { events: 2 + random(3), withinSeconds: 3_600 + random(20_000) } : null,
    cooldownSeconds: random(2) * random(20_000),
    perHourMax: 1 + random(4),
  };
}

/** What the rule does while the week happens: events are written when they begin, and again when they end. */
function lived(
  definition: RuleDefinition,
  events: readonly RuleEvent[],
  otherFiredMs: readonly number[],
): RuleAction[] {
  let state = newRuleState;
  const actions: RuleAction[] = [];
  const circumstancesAt = (nowMs: number) => ({
    presentMs: null,
    otherFiredMs: otherFiredMs.filter((ms) => ms <= nowMs),
  });
  const writes = events
    .flatMap((event) => {
      const isMoment = event.endMs === event.startMs;
      const begin = { event: isMoment ? event : { ...event, endMs: null }, atMs: event.startMs, isNew: true };
      return isMoment ? [begin] : [begin, { event, atMs: event.endMs ?? 0, isNew: false }];
    })
    .toSorted((a, b) => a.atMs - b.atMs);
  const actOnDue = (untilMs: number) => {
    for (let due = nextDueMs(state); due !== null && due <= untilMs; due = nextDueMs(state)) {
      const result = takeDue(definition, state, due, circumstancesAt(due));
      state = result.state;
      actions.push(...result.actions);
    }
  };
  for (const { event, atMs, isNew } of writes) {
    actOnDue(atMs);
    const circumstances = circumstancesAt(atMs);
    const result = takeEvent(definition, state, event, { isNew, nowMs: atMs, circumstances });
    state = result.state;
    actions.push(...result.actions);
  }
  return actions;
}

const summary = (actions: readonly RuleAction[]) =>
  actions.map(({ event: { id }, atMs, suppressed }) => ({ id, atMs, suppressed }));

for (const [index, fromMs] of weeks.entries())
  test(`[R11.5] [R11.6] what a rule would have done is what it does, in a week in which the clocks change (${index + 1})`, () => {
    let acted = 0;
    for (let seed = 1; seed <= 25; seed++) {
      const random = randomOf(seed);
      const events = weekOf(fromMs, random);
      const toMs = fromMs + 8 * dayMs;
      const other = simulate(ruleOf(random), weekOf(fromMs, random), toMs, []).map(({ atMs }) => atMs);
      const depends = random(2) === 0;
      const definition: RuleDefinition = {
        ...ruleOf(random),
        ...(depends && {
          otherRule: { id: 1, hasActed: random(2) === 0, withinSeconds: 60 + random(40_000) },
        }),
      };
      const expected = lived(definition, events, other);
      assert.deepEqual(summary(simulate(definition, events, toMs, other)), summary(expected), `seed ${seed}`);
      const preview = previewOf(definition, events, { fromMs, toMs }, timeZone, other);
      assert.equal(preview.total, expected.length);
      assert.equal(
        preview.days.reduce((sum, { count }) => sum + count, 0),
        expected.length,
      );
      assert.equal(new Set(preview.days.map(({ date }) => date)).size, preview.days.length);
      acted += expected.length;
    }
    assert.ok(acted > 200, `${acted}`);
  });

test('[R11.6] a preview counts every day of its week, also one of 23 hours', () => {
  const toMs = Date.UTC(2026, 3, 1, 22, 30);
  const { days } = previewOf(
    { ...plainRule, kinds: ['gap'] },
    [],
    { fromMs: toMs - 7 * dayMs, toMs },
    timeZone,
    [],
  );
  assert.deepEqual(
    days.map(({ date }) => date),
    ['03-25', '03-26', '03-27', '03-28', '03-29', '03-30', '03-31', '04-01', '04-02'].map(
      (date) => `2026-${date}`,
    ),
  );
});
