import type { ReplyOf } from '@vidette/contract/client';
import type { Stream } from '@vidette/contract/entities';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { reasonOf } from '../reason.ts';
import { outageTexts, wholeSeconds } from './outage-text.ts';
import classes from './stream.module.css';

interface StreamVerdictProps {
  readonly stream: Stream;
  readonly stats: ReplyOf<'getStreamStats'>;
  /** When the metrics were read, ms since the epoch. */
  readonly askedMs: number;
}

/** In a sentence, whether video arrives; otherwise since when not, why, and when the source is tried again. */
export function StreamVerdict({ stream, stats, askedMs }: StreamVerdictProps) {
  const i18n = useI18n();
  const { status, statusSince } = stats;
  const { since, next } = outageTexts(stats, askedMs, i18n);
  const reason = reasonOf({ ...stream, status }, i18n);
  const sentences =
    status === 'running'
      ? [i18n.t('debug.well', { duration: i18n.duration(wholeSeconds(askedMs - statusSince)) })]
      : [status === 'failed' && since, reason, next].filter((text) => typeof text === 'string');
  return (
    <p className={classes.verdict} data-status={status}>
      {sentences.join(' ')}
    </p>
  );
}
