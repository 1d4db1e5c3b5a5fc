import type { ArchiveGap } from '@vidette/contract/entities';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { withCause } from '../gap-cause-text.ts';
import classes from './gap-list.module.css';

interface GapListProps {
  readonly gaps: readonly ArchiveGap[];
  readonly label: string;
  /** Makes every entry a link to its gap. */
  readonly onGo?: (gap: ArchiveGap) => void;
}

/** Gaps with their start times, durations and causes. */
export function GapList({ gaps, label, onGo }: GapListProps) {
  return (
    <ul className={classes.list} aria-label={label}>
      {gaps.map((gap) => (
        <li key={gap.startTime}>
          {onGo ? (
            <button type="button" className={classes.entry} onClick={() => onGo(gap)}>
              <Entry gap={gap} />
            </button>
          ) : (
            <div className={classes.entry}>
              <Entry gap={gap} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

function Entry({ gap }: { gap: ArchiveGap }) {
  const i18n = useI18n();
  return (
    <>
      <span className={classes.time}>{i18n.dateTime(gap.startTime)}</span>{' '}
      <span>{withCause(i18n.duration(gap.endTime - gap.startTime), gap.cause, i18n)}</span>
    </>
  );
}
