import type { I18n } from '../i18n/i18n.ts';
import { dayAt } from './archive-depth.ts';
import type { OverviewLabel } from './overview-labels.ts';
import type { OverviewView } from './overview.ts';
import { timelineMessages } from './moment-text.ts';
import type { Zone } from './zone.ts';

/** The content of a moment's day: `14 Nov 2026: 62% recorded`. */
export function dayText({ depth }: OverviewView, ms: number, i18n: I18n, zone: Zone): string {
  const day = i18n.date(ms, zone.name);
  const share = dayAt(depth, ms)?.share ?? 0;
  if (share <= 0) return i18n.t('overview.nothing', { day });
  // Rounded down, because a day with a gap must not read as complete; but any recording reads as more than
  // nothing.
  const shown = Math.max(0.001, Math.floor(share * 1000) / 1000);
  const percent = i18n.number(shown, { style: 'percent', maximumFractionDigits: 1 });
  return i18n.t('overview.day', { day, share: percent });
}

/**
 * The text of the overview for a screen reader: the day in the middle of its window, and the window's extent.
 */
export function windowText(view: OverviewView, i18n: I18n, zone: Zone): string {
  const { shownFromMs, shownToMs } = view;
  const { moment } = timelineMessages(i18n, zone, { wallMs: () => view.nowMs });
  const day = dayText(view, (shownFromMs + shownToMs) / 2, i18n, zone);
  return i18n.t('overview.window', { day, from: moment(shownFromMs), to: moment(shownToMs) });
}

/** The label formatters of the overview. */
export function overviewLabelText(i18n: I18n, zone: Zone): (label: OverviewLabel) => string {
  const locale = i18n.language === 'en' ? 'en-GB' : i18n.language;
  const inZone = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, timeZone: zone.name });
  const formats = {
    day: inZone({ day: 'numeric', month: 'short' }),
    month: inZone({ month: 'short' }),
    year: inZone({ year: 'numeric' }),
  };
  return ({ ms, unit }) => formats[unit].format(ms);
}
