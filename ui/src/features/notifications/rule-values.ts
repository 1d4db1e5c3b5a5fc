import { journalKinds, limits } from '@vidette/contract/constants';
import type { Rule } from '@vidette/contract/notifications';
import { fieldErrorsOf } from '../../api/field-errors.ts';
import type { I18n, MessageKey } from '../../i18n/i18n.ts';
import type { RuleBody } from './notifications-api.ts';

type Kind = (typeof journalKinds)[number];
type Span = NonNullable<Rule['schedule']>['spans'][number];

/** A rule as its form shows it. */
export interface RuleValues {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly kinds: Kind[];
  readonly streams: string[];
  readonly tags: string[];
  readonly isScheduled: boolean;
  readonly timeZone: string;
  readonly spans: readonly Span[];
  readonly minSeconds: number;
  readonly isCounted: boolean;
  readonly events: number;
  readonly withinMinutes: number;
  readonly unattended: boolean;
  /** Null: it depends on none. */
  readonly otherRule: number | null;
  readonly otherHasActed: boolean;
  readonly otherMinutes: number;
  readonly cooldownMinutes: number;
  readonly perHourMax: number;
  readonly targets: number[];
  readonly bookmarks: boolean;
  readonly isExported: boolean;
  readonly leadSeconds: number;
  readonly trailSeconds: number;
  readonly isHeld: boolean;
  readonly holdLeadSeconds: number;
  readonly holdTrailSeconds: number;
  readonly holdDays: number;
}

/** A part of the form of a rule. */
export interface RulePartProps {
  readonly values: RuleValues;
  readonly errors: Readonly<Record<string, string>>;
  readonly onChange: (changes: Partial<RuleValues>) => void;
}

/** The kinds that concern the server: only administrators see them. */
const serverKinds: ReadonlySet<Kind> = new Set(['disk', 'node', 'sign-in-failed', 'retention']);

/** The kinds that a user's rules can be about. */
export function kindsFor(isAdmin: boolean): Kind[] {
  return journalKinds.filter((kind) => isAdmin || !serverKinds.has(kind));
}

/** Whether a text is one of the kinds. */
export function isKind(text: string): text is Kind {
  return journalKinds.some((kind) => kind === text);
}

const everyDay = [1, 2, 3, 4, 5, 6, 7];
/** A span that a schedule begins with. */
export const newSpan: Span = { days: everyDay, from: '22:00', to: '06:00' };

/** What a new rule begins with. */
export function newRule(timeZone: string): RuleValues {
  return {
    name: '',
    isEnabled: true,
    kinds: ['motion'],
    streams: [],
    tags: [],
    isScheduled: false,
    timeZone,
    spans: [newSpan],
    minSeconds: 0,
    isCounted: false,
    events: 3,
    withinMinutes: 10,
    unattended: false,
    otherRule: null,
    otherHasActed: true,
    otherMinutes: 10,
    cooldownMinutes: 5,
    perHourMax: 12,
    targets: [],
    bookmarks: false,
    isExported: false,
    leadSeconds: 10,
    trailSeconds: 20,
    isHeld: false,
    holdLeadSeconds: 30,
    holdTrailSeconds: 60,
    holdDays: 30,
  };
}

/** The form's values of a rule. @param timeZone for one without a schedule */
export function ruleValues(rule: Rule, timeZone: string): RuleValues {
  const {
    name,
    isEnabled,
    kinds,
    streams,
    tags,
    schedule,
    minSeconds,
    count,
    perHourMax,
    targets,
    bookmarks,
    unattended,
    otherRule,
    exports,
    hold,
  } = rule;
  const before = newRule(timeZone);
  return {
    name,
    isEnabled,
    kinds,
    streams,
    tags,
    isScheduled: schedule !== null,
    timeZone: schedule?.timeZone ?? timeZone,
    spans: schedule?.spans ?? before.spans,
    minSeconds,
    isCounted: count !== null,
    events: count?.events ?? before.events,
    withinMinutes: count ? count.withinSeconds / 60 : before.withinMinutes,
    unattended,
    otherRule: otherRule?.id ?? null,
    otherHasActed: otherRule?.hasActed ?? before.otherHasActed,
    otherMinutes: otherRule ? otherRule.withinSeconds / 60 : before.otherMinutes,
    cooldownMinutes: rule.cooldownSeconds / 60,
    perHourMax,
    targets,
    bookmarks,
    isExported: exports !== null,
    leadSeconds: exports?.leadSeconds ?? before.leadSeconds,
    trailSeconds: exports?.trailSeconds ?? before.trailSeconds,
    isHeld: hold !== null,
    holdLeadSeconds: hold?.leadSeconds ?? before.holdLeadSeconds,
    holdTrailSeconds: hold?.trailSeconds ?? before.holdTrailSeconds,
    holdDays: hold?.days ?? before.holdDays,
  };
}

/** The request that saves or previews a rule. */
export function ruleBody(values: RuleValues): RuleBody {
  const { isScheduled, timeZone, spans, isCounted, events, withinMinutes, cooldownMinutes, ...rest } = values;
  const { otherRule, otherHasActed, otherMinutes, isExported, leadSeconds, trailSeconds, ...others } = rest;
  const { isHeld, holdLeadSeconds, holdTrailSeconds, holdDays, ...same } = others;
  return {
    ...same,
    name: values.name.trim(),
    schedule: isScheduled
      ? { timeZone, spans: spans.map((span) => ({ ...span, days: [...span.days] })) }
      : null,
    count: isCounted ? { events, withinSeconds: Math.round(withinMinutes * 60) } : null,
    exports: isExported ? { leadSeconds, trailSeconds } : null,
    hold: isHeld ? { leadSeconds: holdLeadSeconds, trailSeconds: holdTrailSeconds, days: holdDays } : null,
    otherRule:
      otherRule === null
        ? null
        : { id: otherRule, hasActed: otherHasActed, withinSeconds: Math.round(otherMinutes * 60) },
    cooldownSeconds: Math.round(cooldownMinutes * 60),
  };
}

/** Whether a text is a time of day, as in `22:00`. */
export const isClockTime = (text: string): boolean => /^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/.test(text);

/** What is missing before the rule can be saved, by field. */
export function ruleProblems(values: RuleValues, i18n: I18n): Record<string, string> {
  const problems: Record<string, string> = {};
  if (values.name.trim() === '') problems['name'] = i18n.t('rule.name.missing');
  if (values.kinds.length === 0) problems['kinds'] = i18n.t('rule.kinds.missing');
  if (values.isScheduled) {
    for (const [index, { days, from, to }] of values.spans.entries()) {
      if (days.length === 0) problems[`schedule.spans.${index}.days`] = i18n.t('rule.days.missing');
      if (!isClockTime(from)) problems[`schedule.spans.${index}.from`] = i18n.t('rule.time.unreadable');
      if (!isClockTime(to)) problems[`schedule.spans.${index}.to`] = i18n.t('rule.time.unreadable');
    }
  }
  if (values.targets.length === 0 && !values.bookmarks && !values.isExported && !values.isHeld)
    problems['targets'] = i18n.t('rule.targets.missing');
  return problems;
}

const fieldText: Readonly<Record<string, MessageKey>> = {
  'schedule.timeZone': 'rule.zone.unknown',
  'otherRule.id': 'rule.other.missing',
  targets: 'rule.targets.missing',
};

/** What the server rejected, by field. */
export function ruleErrors(error: unknown, i18n: I18n): Record<string, string> {
  return fieldErrorsOf(error, i18n, {}, fieldText);
}

/** The longest duration that fits a field, minutes. */
export const minutesMax = limits.ruleSecondsMax / 60;
