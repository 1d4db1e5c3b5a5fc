import type { RulePreview } from '@vidette/contract/notifications';
import { limits } from '@vidette/contract/constants';
import type { RuleEvent } from '../store/outbox.ts';
import { newRuleState, type RuleDefinition, type RuleState } from '../store/rules.ts';
import { matched, matchTime, type RuleAction } from './rule-evaluator.ts';
import { localMoment } from './rule-schedule.ts';

type DayPart = NonNullable<RulePreview['busiest']>['part'];

/** Parts of a day by the hour in which they end. */
const dayParts: readonly (readonly [untilHour: number, part: DayPart])[] = [
  [6, 'night'],
  [12, 'morning'],
  [18, 'afternoon'],
  [22, 'evening'],
  [24, 'night'],
];

const stepMs = 12 * 3_600_000;

/**
 * What a rule would have done with these events. A night belongs to the day on which it begins.
 * @param timeZone of the days, if the rule has no schedule
 * @param otherFiredMs when the rule would have acted on which this one depends
 */
export function previewOf(
  definition: RuleDefinition,
  events: readonly RuleEvent[],
  span: { readonly fromMs: number; readonly toMs: number },
  timeZone: string,
  otherFiredMs: readonly number[],
): Pick<RulePreview, 'events' | 'total' | 'days' | 'busiest'> & { readonly actions: readonly RuleAction[] } {
  const zone = definition.schedule?.timeZone ?? timeZone;
  const actions = simulate(definition, events, span.toMs, otherFiredMs);
  const days = new Map<string, number>();
  // A day of 23 hours would be stepped over by whole days.
  for (let ms = span.fromMs; ms < span.toMs + stepMs; ms += stepMs) {
    days.set(localMoment(zone, Math.min(ms, span.toMs)).date, 0);
  }
  for (const { atMs } of actions) {
    const { date } = localMoment(zone, atMs);
    days.set(date, (days.get(date) ?? 0) + 1);
  }
  return {
    events: events.length,
    total: actions.length,
    days: [...days].toSorted(([a], [b]) => a.localeCompare(b)).map(([date, count]) => ({ date, count })),
    busiest: busiestOf(actions, zone),
    actions: actions.toReversed().slice(0, limits.previewItemsMax),
  };
}

/** When a rule would have acted, in chronological order. Whether a user was present counts as not known. */
export function simulate(
  definition: RuleDefinition,
  events: readonly RuleEvent[],
  nowMs: number,
  otherFiredMs: readonly number[],
): RuleAction[] {
  const matches = events.flatMap((event) => {
    const atMs = matchTime(definition, event);
    return atMs === undefined || atMs > nowMs ? [] : [{ event, atMs }];
  });
  matches.sort((a, b) => a.atMs - b.atMs || a.event.id - b.event.id);
  let state: RuleState = newRuleState;
  const actions: RuleAction[] = [];
  let others = 0;
  for (const { event, atMs } of matches) {
    // At that time, what came later was not known; of what came before, the latest decides.
    while ((otherFiredMs[others] ?? Infinity) <= atMs) others++;
    const circumstances = {
      presentMs: null,
      otherFiredMs: otherFiredMs.slice(Math.max(0, others - 1), others),
    };
    const result = matched(definition, state, event, { atMs, nowMs, circumstances });
    state = result.state;
    actions.push(...result.actions);
  }
  return actions;
}

function busiestOf(actions: readonly RuleAction[], timeZone: string): RulePreview['busiest'] {
  const counts = new Map<string, NonNullable<RulePreview['busiest']>>();
  for (const { atMs } of actions) {
    const { minuteOfDay, weekday: clockWeekday } = localMoment(timeZone, atMs);
    const hour = Math.floor(minuteOfDay / 60);
    const part = dayParts.find(([until]) => hour < until)?.[1] ?? 'night';
    const isAfterMidnight = part === 'night' && hour < 12;
    const weekday = isAfterMidnight ? ((clockWeekday + 5) % 7) + 1 : clockWeekday;
    const key = `${weekday} ${part}`;
    counts.set(key, { weekday, part, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()].toSorted((a, b) => b.count - a.count)[0] ?? null;
}
