import { shareJudgedAfterMs } from '@vidette/contract/constants';
import type { RecordedShares } from '@vidette/contract/recorded-shares';
import type { I18n } from '../i18n/i18n.ts';

/** The share of a day and of a month that was recorded: `99.8% of 24 hours, 97% of 30 days`. */
export function recordedShareText({ day, month }: RecordedShares, i18n: I18n): string {
  if (day.share === null && month.share === null) return i18n.t('recorded.nothing');
  if (month.expectedMs < shareJudgedAfterMs) return i18n.t('recorded.young');
  return i18n.t('recorded.shares', { day: percent(day.share, i18n), month: percent(month.share, i18n) });
}

/** Rounded down: an archive with a gap must not read as complete. */
function percent(share: number | null, i18n: I18n): string {
  if (share === null) return '–';
  return i18n.number(Math.floor(share * 1000) / 1000, { style: 'percent', maximumFractionDigits: 1 });
}
