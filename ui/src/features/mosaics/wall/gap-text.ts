import type { GapCause } from '@vidette/contract/entities';
import type { I18n } from '../../../i18n/i18n.ts';

/** Says that a moment is not recorded, and why if known. */
export function gapText(cause: GapCause | undefined, i18n: I18n): string {
  if (cause === 'before-recording') return i18n.t('wall.beforeRecording');
  return cause === undefined || cause === 'none'
    ? i18n.t('wall.gap')
    : i18n.t('wall.gap.cause', { cause: i18n.t(`gap.cause.${cause}`) });
}
