import type { journalKinds } from '@vidette/contract/constants';
import type { Rule } from '@vidette/contract/notifications';
import type { I18n, MessageKey } from '../../i18n/i18n.ts';

type Kind = (typeof journalKinds)[number];
type Span = NonNullable<Rule['schedule']>['spans'][number];

const kindTexts: Record<Kind, MessageKey> = {
  motion: 'rule.kind.motion',
  annotation: 'rule.kind.annotation',
  'stream-down': 'rule.kind.stream-down',
  'recording-stopped': 'rule.kind.recording-stopped',
  gap: 'rule.kind.gap',
  disk: 'rule.kind.disk',
  node: 'rule.kind.node',
  'sign-in-failed': 'rule.kind.sign-in-failed',
  'share-opened': 'rule.kind.share-opened',
  'export-made': 'rule.kind.export-made',
  retention: 'rule.kind.retention',
};

/** A kind of event in words. */
export const kindText = (kind: Kind, i18n: I18n): string => i18n.t(kindTexts[kind]);

/** Names that a rule's sentence needs; undefined for what no longer exists. */
export interface RuleNames {
  readonly stream: (uid: string) => string | undefined;
  readonly target: (id: number) => string | undefined;
  readonly rule: (id: number) => string | undefined;
}

/** A Monday, at noon UTC. */
const mondayMs = Date.UTC(2024, 0, 1, 12);
const dayMs = 86_400_000;

/** The short name of a day of the week; 1 is Monday. */
export function dayText(day: number, i18n: I18n, weekday: 'short' | 'long' = 'short'): string {
  const locale = i18n.language === 'ru' ? 'ru' : 'en-GB';
  return new Intl.DateTimeFormat(locale, { weekday, timeZone: 'UTC' }).format(mondayMs + (day - 1) * dayMs);
}

/** A rule as one sentence: when it acts, and what it does. */
export function ruleSentence(
  rule: Omit<Rule, 'id' | 'name' | 'isEnabled' | 'createdAt' | 'firedAt'>,
  names: RuleNames,
  i18n: I18n,
): string {
  const { kinds } = rule;
  const what = listText(
    kinds.map((kind) => kindText(kind, i18n)),
    i18n,
    'disjunction',
  );
  const conditions = conditionTexts(rule, names, i18n);
  return i18n.t('rule.sentence', {
    what,
    conditions: conditions.map((condition) => `, ${condition}`).join(''),
    where: placeText(rule, names, i18n),
    actions: actionsText(rule, names, i18n),
  });
}

function conditionTexts(
  {
    schedule,
    minSeconds,
    count,
    unattended,
    otherRule,
  }: Pick<Rule, 'schedule' | 'minSeconds' | 'count' | 'unattended' | 'otherRule'>,
  names: RuleNames,
  i18n: I18n,
): string[] {
  return [
    ...(schedule === null ? [] : [spansText(schedule.spans, i18n)]),
    ...(minSeconds === 0
      ? []
      : [i18n.t('rule.sentence.long', { duration: i18n.duration(minSeconds * 1_000) })]),
    ...(count === null
      ? []
      : [
          i18n.t('rule.sentence.count', {
            count: count.events,
            duration: i18n.duration(count.withinSeconds * 1_000),
          }),
        ]),
    ...(unattended ? [i18n.t('rule.sentence.unattended')] : []),
    ...(otherRule === null
      ? []
      : [
          i18n.t(otherRule.hasActed ? 'rule.sentence.other' : 'rule.sentence.other.not', {
            name: names.rule(otherRule.id) ?? i18n.t('rule.other.deleted'),
            duration: i18n.duration(otherRule.withinSeconds * 1_000),
          }),
        ]),
  ];
}

function placeText({ streams, tags }: Pick<Rule, 'streams' | 'tags'>, names: RuleNames, i18n: I18n): string {
  if (streams.length === 0 && tags.length === 0) return i18n.t('rule.sentence.anywhere');
  const places = [
    ...streams.map((uid) => names.stream(uid) ?? uid),
    ...tags.map((tag) => i18n.t('rule.sentence.tag', { tag })),
  ];
  return listText(places, i18n, 'disjunction');
}

function actionsText(
  { targets, bookmarks, exports, hold }: Pick<Rule, 'targets' | 'bookmarks' | 'exports' | 'hold'>,
  names: RuleNames,
  i18n: I18n,
): string {
  const known = targets.flatMap((id) => names.target(id) ?? []);
  const actions = [
    ...(known.length === 0
      ? []
      : [i18n.t('rule.sentence.notify', { targets: listText(known, i18n, 'conjunction') })]),
    ...(bookmarks ? [i18n.t('rule.sentence.bookmark')] : []),
    ...(exports === null ? [] : [i18n.t('rule.sentence.export')]),
    ...(hold === null ? [] : [i18n.t('rule.sentence.hold', { duration: i18n.duration(hold.days * dayMs) })]),
  ];
  return actions.length === 0 ? i18n.t('rule.sentence.nothing') : listText(actions, i18n, 'conjunction');
}

function spansText(spans: readonly Span[], i18n: I18n): string {
  const texts = spans.map(({ days, from, to }) => {
    const time = i18n.t('rule.sentence.span', { from, to });
    return days.length === 7 ? time : `${time} (${daysText(days, i18n)})`;
  });
  return listText(texts, i18n, 'disjunction');
}

/** Days of the week, three or more in a row as a range. */
function daysText(days: readonly number[], i18n: I18n): string {
  const runs: number[][] = [];
  for (const day of days.toSorted((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run?.at(-1) === day - 1) run.push(day);
    else runs.push([day]);
  }
  return runs
    .flatMap((run) => {
      const [first = 1, last = first] = [run[0], run.at(-1)];
      return run.length > 2
        ? [`${dayText(first, i18n)}–${dayText(last, i18n)}`]
        : run.map((day) => dayText(day, i18n));
    })
    .join(', ');
}

/** Items as a list in words. */
function listText(items: readonly string[], i18n: I18n, type: 'conjunction' | 'disjunction'): string {
  return new Intl.ListFormat(i18n.language === 'ru' ? 'ru' : 'en-GB', { type }).format(items);
}
