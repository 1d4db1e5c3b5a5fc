import type { ReplyOf } from '@vidette/contract/client';
import type { Stream } from '@vidette/contract/entities';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { reasonOf } from '../reason.ts';
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
  const { status, statusSince, nextAttempt } = stats;
  const duration = i18n.duration(wholeSeconds(askedMs - statusSince));
  const reason = reasonOf({ ...stream, status }, i18n);
  const sentences =
    status === 'running'
      ? [i18n.t('debug.well', { duration })]
      : [
          status === 'failed' && i18n.t('debug.dark', { time: i18n.dateTime(statusSince), duration }),
          reason,
          nextAttempt !== null &&
            i18n.t('debug.next', {
              duration: i18n.duration(Math.max(1000, wholeSeconds(nextAttempt - askedMs))),
            }),
        ].filter((text) => typeof text === 'string');
  return (
    <p className={classes.verdict} data-status={status}>
      {sentences.join(' ')}
    </p>
  );
}

function wholeSeconds(durationMs: number): number {
  return Math.max(0, Math.round(durationMs / 1000) * 1000);
}
