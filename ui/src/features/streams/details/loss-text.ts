import type { I18n } from '../../../i18n/i18n.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * The amount of recordings lost, in the unit a person would use: whole days or hours from two of them on, "27
 * days".
 */
export function lossSpanText(durationMs: number, i18n: I18n): string {
  if (durationMs >= 2 * dayMs) return i18n.t('stream.depth.days', { days: Math.round(durationMs / dayMs) });
  if (durationMs >= 2 * hourMs)
    return i18n.t('stream.depth.hours', { hours: Math.round(durationMs / hourMs) });
  return i18n.duration(durationMs);
}

/** When the deletion starts (ms since the epoch): time of day in hours and minutes. */
export function lossTimeText(timeMs: number, { language, timeZone }: I18n): string {
  const options = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone } as const;
  return new Intl.DateTimeFormat(language, options).format(timeMs);
}
