import { depthText, farAfterText } from '../../../components/depth-text.ts';
import type { I18n } from '../../../i18n/i18n.ts';

const offeredHours = [24, 72, 168, 336, 720, 2160, 8760];

/** Whether one depth keeps less than another; below 0 there is no limit. */
export function isLowerDepth(hours: number, than: number): boolean {
  return hours >= 0 && (than < 0 || hours < than);
}

/**
 * The depths offered by a select: no limit, the usual ones within the server's own limit, and the current one.
 * @param maxHours the server's limit in hours, -1 for none
 */
export function depthChoices(presentHours: number, maxHours: number, i18n: I18n) {
  const within = offeredHours.filter((hours) => maxHours < 0 || hours <= maxHours);
  if (maxHours >= 0) within.push(maxHours);
  const hours = [...new Set([...within, ...(presentHours >= 0 ? [presentHours] : [])])];
  return [-1, ...hours.sort((one, other) => one - other)].map((value) => ({
    value: String(value),
    label: depthText(value, i18n),
  }));
}

const farAfterHours = [0, 24, 72, 168, 336, 720];

/**
 * When recordings are uploaded to S3: never, as soon as possible, or after the usual ages, and the current one.
 */
export function farAfterChoices(presentHours: number, i18n: I18n) {
  const hours = [...new Set([...farAfterHours, ...(presentHours >= 0 ? [presentHours] : [])])];
  return [-1, ...hours.sort((one, other) => one - other)].map((value) => ({
    value: String(value),
    label: farAfterText(value, i18n),
  }));
}
