import type { ReplyOf } from '@vidette/contract/client';
import type { I18n } from '../../../i18n/i18n.ts';

/**
 * Since when a stream has had no video, and when its source is tried again, in a sentence each.
 * @param askedMs when the metrics were read, ms since the epoch
 */
export function outageTexts(
  { statusSince, nextAttempt }: Pick<ReplyOf<'getStreamStats'>, 'statusSince' | 'nextAttempt'>,
  askedMs: number,
  i18n: I18n,
): { readonly since: string; readonly next: string | undefined } {
  const duration = i18n.duration(wholeSeconds(askedMs - statusSince));
  const since = i18n.t('debug.dark', { time: i18n.dateTime(statusSince), duration });
  if (nextAttempt === null) return { since, next: undefined };
  const wait = i18n.duration(Math.max(1000, wholeSeconds(nextAttempt - askedMs)));
  return { since, next: i18n.t('debug.next', { duration: wait }) };
}

/** A duration rounded to whole seconds, and not below zero, ms. */
export function wholeSeconds(durationMs: number): number {
  return Math.max(0, Math.round(durationMs / 1000) * 1000);
}
