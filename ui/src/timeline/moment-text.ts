import type { I18n } from '../i18n/i18n.ts';
import { browserClock, type PageClock } from '../base/clock.ts';
import type { TimelineMessages } from './draw.ts';
import { kindName } from './event-kinds.ts';
import { eventAt } from './events.ts';
import { withCause } from './gap-cause-text.ts';
import { intervalAt } from './intervals.ts';
import type { TimelineView } from './timeline-view.ts';
import type { Zone } from './zone.ts';

const DAY_MS = 86_400_000;

/**
 * The timeline's moment for a screen reader: the position of the playhead, the kind of interval, and what
 * follows.
 */
export function momentText(view: TimelineView, i18n: I18n, zone: Zone): string {
  const ms = view.playheadMs;
  if (ms === undefined) return i18n.t('timeline.nothing');
  const event = eventAt(view.events, ms);
  const place = placeText(view, ms, i18n, zone);
  if (!event) return place;
  return `${place}, ${kindName(event.kind, i18n).toLocaleLowerCase(i18n.language)}`;
}

function placeText(view: TimelineView, ms: number, i18n: I18n, zone: Zone): string {
  const words = timelineMessages(i18n, zone, { wallMs: () => view.nowMs });
  const time = words.moment(ms);
  const interval = intervalAt(view.intervals, ms);
  if (!interval) return time;
  if (interval.kind === 'gap' && view.begunMs !== undefined && ms < view.begunMs)
    return i18n.t('timeline.at.before', { time });
  if (interval.kind === 'live') return i18n.t('timeline.at.live', { time });
  const values = { time, from: words.moment(interval.startMs), to: words.moment(interval.endMs) };
  if (interval.kind === 'gap')
    return withCause(i18n.t('timeline.at.gap', values), intervalAt(view.gaps, ms)?.cause, i18n);
  const here = i18n.t('timeline.at.fragment', values);
  const next = intervalAt(view.intervals, interval.endMs);
  if (next?.kind === 'live') return `${here}, ${i18n.t('timeline.then.live')}`;
  if (next?.kind !== 'gap' || next.endMs >= view.nowMs) return here;
  const gap = i18n.t('timeline.then.gap', { duration: i18n.duration(next.endMs - next.startMs) });
  return `${here}, ${withCause(gap, intervalAt(view.gaps, next.startMs)?.cause, i18n)}`;
}

/** Times as the timeline writes them: in its zone, with the date where it isn't today. */
export function timelineMessages(
  i18n: I18n,
  zone: Zone,
  clock: Pick<PageClock, 'wallMs'> = browserClock,
): TimelineMessages {
  const locale = i18n.language === 'en' ? 'en-GB' : i18n.language;
  const inZone = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: zone.name });
  const hourAndMinute = inZone({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const day = inZone({ day: 'numeric', month: 'short' });
  const dayOf = (ms: number) => Math.floor((ms + zone.offsetMs(ms)) / DAY_MS);
  return {
    label: (ms) => hourAndMinute.format(ms),
    day: (ms) => day.format(ms),
    moment: (ms) => {
      const time = i18n.time(ms, zone.name);
      return dayOf(ms) === dayOf(clock.wallMs()) ? time : `${day.format(ms)} ${time}`;
    },
  };
}
