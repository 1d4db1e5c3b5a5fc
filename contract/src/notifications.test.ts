import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calls } from './calls.ts';
import { holdLimits } from './constants.ts';

test('[R11.5] what a rule may hold: up to ten minutes before and after an event, for 1 to 365 days', () => {
  const { extraSecondsMax, daysMax } = holdLimits;
  const hold = { leadSeconds: extraSecondsMax, trailSeconds: extraSecondsMax, days: daysMax };
  const refused = (changes: object) => {
    const body = { name: 'Gate', kinds: ['motion'], hold: { ...hold, ...changes } };
    return calls.addRule.body.safeParse(body).error?.issues.map(({ path }) => path.join('.')) ?? [];
  };
  assert.deepEqual([extraSecondsMax, daysMax], [600, 365]);
  assert.deepEqual(refused({}), []);
  assert.deepEqual(refused({ leadSeconds: 0, trailSeconds: 0, days: 1 }), []);
  for (const [member, value] of [
    ['leadSeconds', -1],
    ['leadSeconds', extraSecondsMax + 1],
    ['trailSeconds', -1],
    ['trailSeconds', extraSecondsMax + 1],
    ['days', 0],
    ['days', daysMax + 1],
    ['days', 1.5],
  ] as const)
    assert.deepEqual(refused({ [member]: value }), [`hold.${member}`], `${member} ${value}`);
});
