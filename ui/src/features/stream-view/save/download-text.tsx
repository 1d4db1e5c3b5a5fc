import { Progress } from '@mantine/core';
import type { ArchiveGap } from '@vidette/contract/entities';
import { textOf } from '../../../page/failures.ts';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { GapList } from '../../../timeline/react/gap-list.tsx';
import classes from './save.module.css';
import type { DownloadState } from './use-footage-download.ts';

interface DownloadTextProps {
  readonly state: DownloadState;
  /** The missing parts of the requested range, as the archive reports them; undefined until known. */
  readonly gaps: readonly ArchiveGap[] | undefined;
}

/** The progress of a download, and then how much of the request was delivered. */
export function DownloadText({ state, gaps }: DownloadTextProps) {
  const i18n = useI18n();
  switch (state.name) {
    case 'idle':
      return null;
    case 'running': {
      const { doneBytes, totalBytes } = state.progress;
      const text = i18n.t('save.progress', { done: i18n.bytes(doneBytes), total: i18n.bytes(totalBytes) });
      return (
        <div className={classes.progress}>
          <Progress
            value={totalBytes > 0 ? (doneBytes / totalBytes) * 100 : 0}
            aria-label={i18n.t('save.download')}
          />
          <span>{text}</span>
        </div>
      );
    }
    case 'failed':
      return (
        <p role="alert" className={classes.failed}>
          {i18n.t('save.failed')}. {textOf(state.error, i18n)}
        </p>
      );
    case 'done': {
      const { asked, delivered } = state;
      const missingMs = asked.endMs - asked.startMs - delivered.durationMs;
      return (
        <div role="status">
          <p>
            {i18n.t('save.done', {
              from: i18n.dateTime(delivered.startMs),
              to: i18n.dateTime(delivered.endMs),
              duration: i18n.duration(delivered.durationMs),
              size: i18n.bytes(delivered.bytes),
            })}
          </p>
          <p className={classes.quiet}>
            {i18n.t('save.done.asked', {
              from: i18n.dateTime(asked.startMs),
              to: i18n.dateTime(asked.endMs),
            })}{' '}
            {missingMs >= 1000 && i18n.t('save.missing', { duration: i18n.duration(missingMs) })}
          </p>
          {gaps && gaps.length > 0 && missingMs >= 1000 && (
            <GapList gaps={gaps} label={i18n.t('save.done.gaps')} />
          )}
          {delivered.endsEarly && (
            <p>{i18n.t('save.done.early', { time: i18n.dateTime(delivered.endMs) })}</p>
          )}
        </div>
      );
    }
  }
}
