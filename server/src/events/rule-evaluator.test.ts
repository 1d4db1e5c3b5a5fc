import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RuleEvent } from '../store/outbox.ts';
import { newRuleState, type RuleDefinition, type RuleState } from '../store/rules.ts';
import { matchTime, nextDueMs, noCircumstances, selects, takeDue, takeEvent } from './rule-evaluator.ts';
import { plainRule } from './rule-fixture.ts';

const base: RuleDefinition = {
  ...plainRule,
  kinds: ['motion', 'stream-down', 'sign-in-failed'],
};

function eventAt(id: number, startMs: number, members: Partial<RuleEvent> = {}): RuleEvent {
  return { id, kind: 'motion', stream: 'gate', startMs, endMs: startMs, note: '', code: null, ...members };
}

/** Ids of the events on which the rule acts when they are reported as they begin. */
function actedOn(definition: RuleDefinition, events: readonly RuleEvent[]): number[] {
  let state: RuleState = newRuleState;
  const acted: number[] = [];
  for (const event of events) {
    const result = takeEvent(definition, state, event, { isNew: true, nowMs: event.startMs });
    state = result.state;
    acted.push(...result.actions.map((action) => action.event.id));
  }
  return acted;
}

test('a rule selects by kind, and by stream or tag; without both, everything', () => {
  const of = (kind: RuleEvent['kind'], stream: string | null) => ({ kind, stream });
  assert.ok(selects(base, of('motion', 'yard'), []));
  assert.ok(selects(base, of('sign-in-failed', null), []));
  assert.ok(!selects(base, of('gap', 'yard'), []));
  const narrow = { ...base, streams: ['gate'], tags: ['Yard'] };
  assert.ok(selects(narrow, of('motion', 'gate'), []));
  assert.ok(selects(narrow, of('motion', 'other'), ['yARD']));
  assert.ok(!selects(narrow, of('motion', 'other'), ['Street']));
  assert.ok(!selects(narrow, of('sign-in-failed', null), []));
});

test('[R11.5] after it acted, a rule pauses; what it holds back is counted and reported the next time', () => {
  const definition = { ...base, cooldownSeconds: 60 };
  let state = newRuleState;
  const take = (id: number, startMs: number) => {
    const result = takeEvent(definition, state, eventAt(id, startMs), { isNew: true, nowMs: startMs });
    state = result.state;
    return result.actions.map(({ suppressed }) => suppressed);
  };
  assert.deepEqual(take(1, 0), [0]);
  assert.deepEqual(take(2, 30_000), []);
  assert.deepEqual(take(3, 59_999), []);
  assert.deepEqual(take(4, 60_000), [2]);
});

test('[R11.5] a rule acts so often in an hour and not more', () => {
  const minute = 60_000;
  const times = [0, 10, 20, 59, 60, 61, 71].map((at, index) => eventAt(index + 1, at * minute));
  assert.deepEqual(actedOn({ ...base, perHourMax: 2 }, times), [1, 2, 5, 7]);
});

test('[R11.5] a rule that counts acts when enough events occur within the time, and then starts at zero', () => {
  const definition = { ...base, count: { events: 3, withinSeconds: 60 } };
  const times = [0, 30, 61, 70, 75, 80, 81].map((at, index) => eventAt(index + 1, at * 1_000));
  assert.deepEqual(actedOn(definition, times), [4, 7]);
});

test('[R11.5] an open event counts when it has lasted long enough, and never when it ends before', () => {
  const definition = { ...base, minSeconds: 10 };
  const open = eventAt(1, 0, { kind: 'stream-down', endMs: null });
  const begun = takeEvent(definition, newRuleState, open, { isNew: true, nowMs: 0 });
  assert.deepEqual(begun.actions, []);
  assert.equal(nextDueMs(begun.state), 10_000);
  assert.deepEqual(takeDue(definition, begun.state, 9_999).actions, []);
  const due = takeDue(definition, begun.state, 10_000);
  assert.deepEqual(
    due.actions.map(({ atMs }) => atMs),
    [10_000],
  );
  const later = takeEvent(definition, due.state, { ...open, endMs: 50_000 }, { isNew: false, nowMs: 50_000 });
  assert.deepEqual(later.actions, [], 'its end is no new event');

  const short = takeEvent(definition, begun.state, { ...open, endMs: 9_000 }, { isNew: false, nowMs: 9_000 });
  assert.deepEqual([short.actions, short.state.pending], [[], []]);
  const late = takeEvent(
    definition,
    begun.state,
    { ...open, endMs: 12_000 },
    { isNew: false, nowMs: 12_000 },
  );
  assert.equal(late.actions.length, 1, 'it ended before the search for due events');
});

test('[R11.5] an event whose end moves counts once, when it is long enough', () => {
  const definition = { ...base, minSeconds: 5 };
  let state = newRuleState;
  const acted = [2_000, 4_000, 6_000, 8_000].map((endMs, index) => {
    const result = takeEvent(definition, state, eventAt(1, 0, { endMs }), {
      isNew: index === 0,
      nowMs: endMs,
    });
    state = result.state;
    return result.actions.length;
  });
  assert.deepEqual(acted, [0, 0, 1, 0]);
});

test('a moment needs no duration, and a change of an entry is no new event', () => {
  const moment = eventAt(1, 0, { kind: 'sign-in-failed' });
  assert.equal(matchTime({ ...base, minSeconds: 60 }, moment), 0);
  const again = takeEvent(base, newRuleState, moment, { isNew: false, nowMs: 5 });
  assert.deepEqual(again.actions, []);
});

test('a clock that was set back does not silence a rule', () => {
  const definition = { ...base, cooldownSeconds: 60 };
  const state = { ...newRuleState, firedMs: [90_000_000] };
  assert.equal(
    takeEvent(definition, state, eventAt(1, 1_000), { isNew: true, nowMs: 2_000 }).actions.length,
    1,
  );
});

test('[R11.5] a rule for times without users acts when five minutes have passed since one was present', () => {
  const definition = { ...base, unattended: true };
  const acts = (presentMs: number | null, atMs: number, nowMs = atMs) => {
    const circumstances = { ...noCircumstances, presentMs };
    const times = { isNew: true, nowMs, circumstances };
    return takeEvent(definition, newRuleState, eventAt(1, atMs), times).actions.length === 1;
  };
  assert.ok(acts(null, 1_000));
  assert.ok(!acts(1_000, 300_999));
  assert.ok(acts(1_000, 301_000));
  assert.ok(!acts(400_000, 1_000, 400_000), 'a user came before the event was known');
  assert.ok(acts(10_000_000, 1_000), 'the clock was set back after that');
  const begun = takeEvent({ ...definition, minSeconds: 60 }, newRuleState, eventAt(2, 0, { endMs: null }), {
    isNew: true,
    nowMs: 0,
  });
  const due = (presentMs: number) =>
    takeDue({ ...definition, minSeconds: 60 }, begun.state, 60_000, { ...noCircumstances, presentMs });
  assert.deepEqual(due(59_000).actions, []);
});

test('[R11.5] a rule depends on whether another one has acted within a time', () => {
  const acts = (hasActed: boolean, otherFiredMs: readonly number[], atMs: number) => {
    const otherRule = { id: 2, hasActed, withinSeconds: 60 };
    const times = { isNew: true, nowMs: atMs, circumstances: { presentMs: null, otherFiredMs } };
    return takeEvent({ ...base, otherRule }, newRuleState, eventAt(1, atMs), times).actions.length === 1;
  };
  for (const [fired, atMs, isWithin] of [
    [[], 100_000, false],
    [[40_000], 100_000, false],
    [[40_001], 100_000, true],
    [[1, 100_000], 100_000, true],
    [[100_001], 100_000, false],
  ] as const) {
    assert.equal(acts(true, fired, atMs), isWithin, `${fired.join()} at ${atMs}`);
    assert.equal(acts(false, fired, atMs), !isWithin, `${fired.join()} at ${atMs}`);
  }
});

test('[R11.5] what does not meet such a condition does not count', () => {
  const definition = { ...base, unattended: true, count: { events: 2, withinSeconds: 60 } };
  const circumstances = { ...noCircumstances, presentMs: 1_000 };
  const result = takeEvent(definition, newRuleState, eventAt(1, 2_000), {
    ...{ isNew: true, nowMs: 2_000, circumstances },
  });
  assert.deepEqual([result.state.matchedMs, result.state.suppressed], [[], 0]);
});
