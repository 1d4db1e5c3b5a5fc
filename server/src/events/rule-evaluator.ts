import { limits } from '@vidette/contract/constants';
import type { RuleEvent } from '../store/outbox.ts';
import type { PendingEvent, RuleDefinition, RuleState } from '../store/rules.ts';
import { isScheduled } from './rule-schedule.ts';

// When a rule acts: pure functions, the same for live events and for the preview from the journal.

/** One time that a rule acts. */
export interface RuleAction {
  readonly event: RuleEvent;
  /** When the conditions were met, ms since the epoch. */
  readonly atMs: number;
  /** Matching events that the limits held back since it acted before. */
  readonly suppressed: number;
}

/** What a rule's conditions depend on besides its events. Times are milliseconds since the epoch. */
export interface Circumstances {
  /** When a user was last present; null: never, or not known. */
  readonly presentMs: number | null;
  /** When the other rule of the condition acted; oldest first. */
  readonly otherFiredMs: readonly number[];
}

/** Of a rule without such conditions. */
export const noCircumstances: Circumstances = { presentMs: null, otherFiredMs: [] };

export interface Evaluation {
  readonly state: RuleState;
  readonly actions: readonly RuleAction[];
}

const hourMs = 3_600_000;
const presenceMs = limits.presenceMinutes * 60_000;
/** A presence may have been written by another node, whose clock is ahead. */
const aheadMs = 60_000;
/** Events that a rule keeps in mind; beyond them the oldest is forgotten. */
const pendingMax = 1_000;
const handledMax = 300;

/** Kinds whose events last; of the others every entry is a moment, and a minimum duration means nothing. */
const lastingKinds = new Set([
  'motion',
  'annotation',
  'stream-down',
  'recording-stopped',
  'gap',
  'disk',
  'node',
]);

/** Whether a rule is about an event. `tags` are those of its stream. */
export function selects(
  { kinds, streams, tags: wanted }: RuleDefinition,
  event: Pick<RuleEvent, 'kind' | 'stream'>,
  tags: readonly string[],
): boolean {
  if (!kinds.some((kind) => kind === event.kind)) return false;
  if (streams.length === 0 && wanted.length === 0) return true;
  if (event.stream === null) return false;
  if (streams.includes(event.stream)) return true;
  const own = new Set(tags.map((tag) => tag.toLowerCase()));
  return wanted.some((tag) => own.has(tag.toLowerCase()));
}

/**
 * When an event meets the conditions that concern only itself: the schedule at its start, and the minimum duration.
 * Undefined if it never does; later than its end is not possible. An open event has not ended by the time returned.
 */
export function matchTime(definition: RuleDefinition, event: RuleEvent): number | undefined {
  const { schedule, minSeconds } = definition;
  if (schedule !== null && !isScheduled(schedule, event.startMs)) return undefined;
  if (!lastingKinds.has(event.kind)) return event.startMs;
  const dueMs = event.startMs + minSeconds * 1_000;
  return event.endMs !== null && event.endMs < dueMs ? undefined : dueMs;
}

/**
 * An event was written to the journal, or its entry was changed there. A rule acts on an event once, however often its
 * entry changes.
 * @param isNew the entry was added just now
 */
export function takeEvent(
  definition: RuleDefinition,
  state: RuleState,
  event: RuleEvent,
  {
    isNew,
    nowMs,
    circumstances = noCircumstances,
  }: { readonly isNew: boolean; readonly nowMs: number; readonly circumstances?: Circumstances },
): Evaluation {
  const none = { state, actions: [] };
  const lasts = lastingKinds.has(event.kind);
  if (state.handled.includes(event.id) || (!isNew && (!lasts || definition.minSeconds === 0))) return none;
  const waits = state.pending.some(({ id }) => id === event.id);
  if (waits && event.endMs === null) return none;
  const rest = waits ? { ...state, pending: state.pending.filter(({ id }) => id !== event.id) } : state;
  const atMs = matchTime(definition, event);
  if (atMs === undefined) return { state: rest, actions: [] };
  if (event.endMs === null && atMs > nowMs) {
    const { endMs: _, ...open } = event;
    const pending: PendingEvent = { ...open, dueMs: atMs };
    return { state: { ...rest, pending: [...rest.pending, pending].slice(-pendingMax) }, actions: [] };
  }
  const { state: next, actions } = matched(definition, rest, event, { atMs, nowMs, circumstances });
  return { state: lasts ? withHandled(next, event.id) : next, actions };
}

/** Open events that have lasted long enough by now. */
export function takeDue(
  definition: RuleDefinition,
  state: RuleState,
  nowMs: number,
  circumstances: Circumstances = noCircumstances,
): Evaluation {
  const due = state.pending.filter(({ dueMs }) => dueMs <= nowMs);
  let next: RuleState = { ...state, pending: state.pending.filter(({ dueMs }) => dueMs > nowMs) };
  const actions: RuleAction[] = [];
  for (const { dueMs, ...event } of due) {
    const result = matched(
      definition,
      next,
      { ...event, endMs: null },
      { atMs: dueMs, nowMs, circumstances },
    );
    next = withHandled(result.state, event.id);
    actions.push(...result.actions);
  }
  return { state: next, actions };
}

/** When the first pending event is due; null without one. */
export function nextDueMs({ pending }: RuleState): number | null {
  return pending.length === 0 ? null : Math.min(...pending.map(({ dueMs }) => dueMs));
}

/** Whether the conditions hold that concern neither the event nor the rule's own past. */
function holdsAt(
  { unattended, otherRule }: RuleDefinition,
  { atMs, nowMs, circumstances }: MatchTimes,
): boolean {
  const { presentMs, otherFiredMs } = circumstances;
  if (unattended && presentMs !== null && presentMs > atMs - presenceMs && presentMs <= nowMs + aheadMs) {
    return false;
  }
  if (otherRule === null) return true;
  const sinceMs = atMs - otherRule.withinSeconds * 1_000;
  const hasActed = otherFiredMs.some((ms) => ms > sinceMs && ms <= Math.max(atMs, nowMs));
  return hasActed === otherRule.hasActed;
}

interface MatchTimes {
  /** When the event's own conditions were met, ms since the epoch. */
  readonly atMs: number;
  readonly nowMs: number;
  readonly circumstances: Circumstances;
}

/**
 * An event matched: if the other conditions hold, counts it, and applies the limits. Times later than now are ignored,
 * because the clock was set back after them.
 */
export function matched(
  definition: RuleDefinition,
  state: RuleState,
  event: RuleEvent,
  times: MatchTimes,
): Evaluation {
  if (!holdsAt(definition, times)) return { state, actions: [] };
  const { count, cooldownSeconds, perHourMax } = definition;
  const { atMs, nowMs } = times;
  let { matchedMs } = state;
  if (count !== null) {
    const sinceMs = atMs - count.withinSeconds * 1_000;
    matchedMs = [...matchedMs.filter((ms) => ms > sinceMs && ms <= nowMs), atMs].slice(-count.events);
    if (matchedMs.length < count.events) return { state: { ...state, matchedMs }, actions: [] };
  }
  const before = state.firedMs.filter((ms) => ms <= Math.max(nowMs, atMs));
  const last = before.at(-1);
  const isCooling = last !== undefined && cooldownSeconds > 0 && atMs < last + cooldownSeconds * 1_000;
  const inLastHour = before.filter((ms) => ms > atMs - hourMs).length;
  if (isCooling || inLastHour >= perHourMax) {
    return { state: { ...state, matchedMs, suppressed: state.suppressed + 1 }, actions: [] };
  }
  const firedMs = [...before, atMs].toSorted((a, b) => a - b).slice(-perHourMax);
  return {
    state: { ...state, matchedMs: [], firedMs, suppressed: 0 },
    actions: [{ event, atMs, suppressed: state.suppressed }],
  };
}

function withHandled(state: RuleState, id: number): RuleState {
  return { ...state, handled: [...state.handled, id].slice(-handledMax) };
}
