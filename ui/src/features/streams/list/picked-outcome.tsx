import { Button } from '@mantine/core';
import { textOf } from '../../../page/failures.ts';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { MessageKey } from '../../../i18n/i18n.ts';
import classes from './picked-bar.module.css';
import type { PickedStream } from './picked.ts';
import type { Work, WorkState } from './use-picked-work.ts';

/** The texts for each kind of action: in progress, all done, and some failed. */
export const workText: Record<Work['kind'], Record<'doing' | 'done' | 'partly', MessageKey>> = {
  pause: {
    doing: 'streams.pausing',
    done: 'streams.paused.all',
    partly: 'streams.paused.some',
  },
  resume: {
    doing: 'streams.resuming',
    done: 'streams.resumed.all',
    partly: 'streams.resumed.some',
  },
  tags: {
    doing: 'streams.tagging',
    done: 'streams.tagged.all',
    partly: 'streams.tagged.some',
  },
  delete: {
    doing: 'streams.deleting',
    done: 'streams.deleted.all',
    partly: 'streams.deleted.some',
  },
};

interface OutcomeViewProps {
  readonly state: Extract<WorkState, { kind: 'over' }>;
  /** Retries the streams that failed or were not reached. */
  readonly onAgain: (streams: readonly PickedStream[]) => void;
  readonly onClose: () => void;
}

/** The number done, and the others with their reasons. */
export function OutcomeView({ state: { work, outcome }, onAgain, onClose }: OutcomeViewProps) {
  const i18n = useI18n();
  const { done, failed, left } = outcome;
  const total = done.length + failed.length + left.length;
  return (
    <div className={classes.outcome}>
      <div className={classes.outcomeHead}>
        <p className={classes.outcomeWords} role="alert">
          {i18n.t(workText[work.kind].partly, { done: done.length, total })}
          {left.length > 0 && ` ${i18n.t('streams.picked.left', { count: left.length })}`}
        </p>
        <Button
          size="sm"
          variant="default"
          onClick={() => onAgain([...failed.map(({ thing }) => thing), ...left])}
        >
          {i18n.t('action.retry')}
        </Button>
        <Button size="sm" variant="default" onClick={onClose}>
          {i18n.t('action.close')}
        </Button>
      </div>
      {failed.length > 0 && (
        <ul className={classes.failures} aria-label={i18n.t('streams.picked.failures')}>
          {failed.map(({ thing, error }) => (
            <li key={thing.uid}>
              <span>{thing.name}</span>
              <span className={classes.reason}>{textOf(error, i18n)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
