import type { I18n } from '../i18n/i18n.ts';

const hoursInDay = 24;

/** The archive depth as text: "7 days". */
export function depthText(depthHours: number, i18n: I18n): string {
  if (depthHours < 0) return i18n.t('stream.depth.noLimit');
  return depthHours % hoursInDay === 0
    ? i18n.t('stream.depth.days', { days: depthHours / hoursInDay })
    : i18n.t('stream.depth.hours', { hours: depthHours });
}

/** How old recordings are when they move to S3, as text: "After 7 days". */
export function farAfterText(hours: number, i18n: I18n): string {
  if (hours < 0) return i18n.t('stream.farAfter.never');
  if (hours === 0) return i18n.t('stream.farAfter.atOnce');
  return hours % hoursInDay === 0
    ? i18n.t('stream.farAfter.days', { days: hours / hoursInDay })
    : i18n.t('stream.farAfter.hours', { hours });
}
