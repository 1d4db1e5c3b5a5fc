import type { I18n } from '../../i18n/i18n.ts';
import { markNear } from '../../timeline/changes.ts';
import { kindName } from '../../timeline/event-kinds.ts';
import { eventAt } from '../../timeline/events.ts';
import { withCause } from '../../timeline/gap-cause-text.ts';
import { intervalAt } from '../../timeline/intervals.ts';
import type { Viewer } from './viewer.ts';

/** A bookmark is shown within this many pixels of its flag. */
const NEAR_PX = 10;

/** The content of the timeline at a moment, besides its time: the cause of a gap, events, bookmarks, holds. */
export function tipText({ timeline }: Pick<Viewer, 'timeline'>, ms: number, i18n: I18n): string[] {
  const { intervals, gaps, begunMs, events, bookmarks, holds, changes, scale, nowMs } = timeline.getView();
  const words: string[] = [];
  if (ms > nowMs) return words;
  const nearMs = NEAR_PX * scale.msPerPx;
  const interval = intervalAt(intervals, ms);
  if (interval?.kind === 'gap' && begunMs !== undefined && ms < begunMs) {
    words.push(i18n.t('gap.cause.before-recording'));
  } else if (interval?.kind === 'gap') {
    const startMs = Math.max(interval.startMs, begunMs ?? interval.startMs);
    const length = i18n.t('timeline.tip.gap', { duration: i18n.duration(interval.endMs - startMs) });
    words.push(withCause(length, intervalAt(gaps, ms)?.cause, i18n));
  }
  const event = eventAt(events, ms);
  if (event) words.push(kindName(event.kind, i18n));
  const bookmark = bookmarks.find(({ startMs, endMs }) => ms >= startMs - nearMs && ms <= endMs + nearMs);
  if (bookmark) words.push(bookmark.note === '' ? i18n.t('timeline.tip.bookmark') : bookmark.note);
  const hold = holds.find(({ startMs, endMs }) => ms >= startMs && ms <= endMs);
  if (hold) words.push(i18n.t('hold.until', { time: i18n.dateTime(hold.untilMs), rule: hold.rule }));
  const mark = markNear(changes, ms, scale);
  if (mark) words.push(i18n.t('find.auto.tip', { time: i18n.time(mark.endTime) }));
  return words;
}
