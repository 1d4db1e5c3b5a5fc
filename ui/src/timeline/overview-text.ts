import type { I18n } from '../i18n/i18n.ts';
import { dayAt } from './archive-depth.ts';
import type { OverviewLabel } from './overview-labels.ts';
import type { OverviewView } from './overview.ts';
import { timelineMessages } from './moment-text.ts';
import type { Zone } from './zone.ts';

/** What a moment's day holds: `14 Nov 2026: 62% recorded`. */
export function dayText({ depth }: OverviewView, ms: number, i18n: I18n, zone: Zone): string {
  const day = i18n.date(ms, zone.name);
  const share = dayAt(depth, ms)?.share ?? 0;
  if (share <= 0) return i18n.t('overview.nothing', { day });
  // Rounded down, as what has a gap must not read as whole; and what there is a little of not as nothing.
  const shown = Math.max(0.001, Math.floor(share * 1000) / 1000);
  const percent = i18n.number(shown, { style: 'percent', maximumFractionDigits: 1 });
  return i18n.t('overview.day', { day, share: percent });
}

/** What a screen reader says of the overview: the day in the middle of its window, and what the window reaches over. */
export function windowText(view: OverviewView, i18n: I18n, zone: Zone): string {
  const { shownFromMs, shownToMs } = view;
  const { moment } = timelineMessages(i18n, zone, { wallMs: () => view.nowMs });
  const day = dayText(view, (shownFromMs + shownToMs) / 2, i18n, zone);
  return i18n.t('overview.window', { day, from: moment(shownFromMs), to: moment(shownToMs) });
}

/** How the overview writes its labels. */
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
