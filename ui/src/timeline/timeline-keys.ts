import type { Timeline } from './timeline.ts';

const ARROW_MS = 5000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** What each key does. Arrows 5 s, with shift a minute; page keys an hour. */
const actions: Readonly<Record<string, (timeline: Timeline, isShifted: boolean) => void>> = {
  ArrowLeft: (timeline, isShifted) => timeline.step(isShifted ? -MINUTE_MS : -ARROW_MS),
  ArrowDown: (timeline, isShifted) => timeline.step(isShifted ? -MINUTE_MS : -ARROW_MS),
  ArrowRight: (timeline, isShifted) => timeline.step(isShifted ? MINUTE_MS : ARROW_MS),
  ArrowUp: (timeline, isShifted) => timeline.step(isShifted ? MINUTE_MS : ARROW_MS),
  PageDown: (timeline) => timeline.step(-HOUR_MS),
  PageUp: (timeline) => timeline.step(HOUR_MS),
  Home: (timeline) => timeline.toFirst(),
  End: (timeline) => timeline.live(),
  '[': (timeline) => timeline.toRecording(-1),
  ']': (timeline) => timeline.toRecording(1),
  '{': (timeline) => timeline.toGap(-1),
  '}': (timeline) => timeline.toGap(1),
  n: (timeline) => timeline.toEvent(1),
  p: (timeline) => timeline.toEvent(-1),
  '+': (timeline) => timeline.zoomIn(),
  '=': (timeline) => timeline.zoomIn(),
  '-': (timeline) => timeline.zoomOut(),
  _: (timeline) => timeline.zoomOut(),
};

/**
 * A key of the slider, by `KeyboardEvent.key`; false when it has no meaning here. Home goes to the beginning of
 * what is recorded in view, End live, plus and minus zoom; brackets go to the previous and next recording,
 * braces to the gap, P and N to the event.
 */
export function timelineKey(timeline: Timeline, key: string, isShifted: boolean): boolean {
  const act = Object.hasOwn(actions, key) ? actions[key] : undefined;
  act?.(timeline, isShifted);
  return act !== undefined;
}
