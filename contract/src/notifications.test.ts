import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calls } from './calls.ts';
import { holdLimits, journalKinds, limits, ruleExportLimits } from './constants.ts';
import { mqttTopicMaxLength } from './mqtt.ts';

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

const many = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const uidsOf = (count: number) => many(count).map((id) => `cam${String(id).padStart(9, '0')}`);
const spansOf = (count: number) => ({
  timeZone: 'UTC',
  spans: many(count).map(() => ({ days: [1], from: '22:00', to: '06:00' })),
});

test('[R11.7] every member of a rule is accepted up to its limit, and refused at its field beyond it', () => {
  const refused = (changes: object) => {
    const body = { name: 'Gate', kinds: ['motion'], ...changes };
    const issues = calls.addRule.body.safeParse(body).error?.issues ?? [];
    return [...new Set(issues.map(({ path }) => path.join('.')))];
  };
  const { ruleSecondsMax: seconds, ruleEventsMax: events } = limits;
  const extra = ruleExportLimits.extraSecondsMax;
  const within = { events: 2, withinSeconds: 1 };
  const other = { id: 1, hasActed: true, withinSeconds: 1 };
  const surround = { leadSeconds: 0, trailSeconds: 0 };
  const edges: readonly (readonly [path: string, accepted: object, refused: object])[] = [
    ['name', { name: 'x'.repeat(limits.nameMaxLength) }, { name: 'x'.repeat(limits.nameMaxLength + 1) }],
    ['name', { name: 'x' }, { name: ' ' }],
    ['kinds', { kinds: journalKinds }, { kinds: [...journalKinds, 'motion'] }],
    ['kinds', { kinds: ['gap'] }, { kinds: [] }],
    ['kinds', { kinds: ['gap', 'motion'] }, { kinds: ['gap', 'gap'] }],
    ['streams', { streams: uidsOf(limits.ruleStreamsMax) }, { streams: uidsOf(limits.ruleStreamsMax + 1) }],
    ['tags', { tags: many(limits.tagsMax).map(String) }, { tags: many(limits.tagsMax + 1).map(String) }],
    ['tags.0', { tags: ['x'.repeat(limits.tagMaxLength)] }, { tags: ['x'.repeat(limits.tagMaxLength + 1)] }],
    [
      'schedule.spans',
      { schedule: spansOf(limits.ruleSpansMax) },
      { schedule: spansOf(limits.ruleSpansMax + 1) },
    ],
    ['schedule.spans', { schedule: spansOf(1) }, { schedule: spansOf(0) }],
    ['minSeconds', { minSeconds: seconds }, { minSeconds: seconds + 1 }],
    ['minSeconds', { minSeconds: 0 }, { minSeconds: -1 }],
    ['count.events', { count: { ...within, events } }, { count: { ...within, events: events + 1 } }],
    ['count.events', { count: within }, { count: { ...within, events: 1 } }],
    ['count.withinSeconds', { count: within }, { count: { ...within, withinSeconds: 0 } }],
    [
      'otherRule.withinSeconds',
      { otherRule: other },
      { otherRule: { ...other, withinSeconds: seconds + 1 } },
    ],
    ['cooldownSeconds', { cooldownSeconds: seconds }, { cooldownSeconds: seconds + 1 }],
    ['perHourMax', { perHourMax: limits.rulePerHourMax }, { perHourMax: limits.rulePerHourMax + 1 }],
    ['perHourMax', { perHourMax: 1 }, { perHourMax: 0 }],
    ['targets', { targets: many(limits.ruleTargetsMax) }, { targets: many(limits.ruleTargetsMax + 1) }],
    [
      'exports.leadSeconds',
      { exports: { ...surround, leadSeconds: extra } },
      { exports: { ...surround, leadSeconds: extra + 1 } },
    ],
  ];
  for (const [path, good, bad] of edges) {
    assert.deepEqual(refused(good), [], path);
    assert.deepEqual(refused(bad), [path], path);
  }
});

test('[R11.9] every member of a target is accepted up to its limit, and refused at its field beyond it', () => {
  const refused = (settings: object) =>
    calls.addTarget.body
      .safeParse({ name: 'Night shift', settings })
      .error?.issues.map(({ path }) => path.join('.')) ?? [];
  const url = (length: number) => `https://hooks.example.org/${'x'.repeat(length - 26)}`;
  const to = (count: number) => many(count).map((id) => `a${id}@example.org`);
  const edges: readonly (readonly [path: string, accepted: object, refused: object])[] = [
    [
      'settings.url',
      { type: 'webhook', url: url(limits.sourceMaxLength) },
      { type: 'webhook', url: url(limits.sourceMaxLength + 1) },
    ],
    ['settings.url', { type: 'webhook', url: 'http://a/' }, { type: 'webhook', url: 'ftp://a/' }],
    [
      'settings.to',
      { type: 'email', to: to(limits.emailRecipientsMax) },
      { type: 'email', to: to(limits.emailRecipientsMax + 1) },
    ],
    ['settings.to', { type: 'email', to: to(1) }, { type: 'email', to: [] }],
    [
      'settings.to.0',
      { type: 'email', to: ['a@example.org'] },
      { type: 'email', to: ['a@example.org\r\nBcc: b@example.org'] },
    ],
    [
      'settings.to.0',
      { type: 'email', to: ['a@example.org'] },
      { type: 'email', to: ['a@example.org, b@example.org'] },
    ],
    [
      'settings.topic',
      { type: 'mqtt', topic: 'x'.repeat(mqttTopicMaxLength) },
      { type: 'mqtt', topic: 'x'.repeat(mqttTopicMaxLength + 1) },
    ],
    ['settings.topic', { type: 'mqtt', topic: 'yard/night' }, { type: 'mqtt', topic: 'yard/#' }],
    ['settings.topic', { type: 'mqtt', topic: 'yard' }, { type: 'mqtt', topic: 'yard//night' }],
  ];
  for (const [path, good, bad] of edges) {
    assert.deepEqual(refused(good), [], path);
    assert.deepEqual(refused(bad), [path], JSON.stringify(bad).slice(0, 100));
  }
});
