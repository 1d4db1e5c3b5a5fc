import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { StreamState } from '@vidette/contract/entities';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { useIsServerLost } from '../../../page/page-context.tsx';
import { Link } from '../../../routing/react/link.tsx';
import { StatusMark } from '../stream-status.tsx';
import { streamSummaryQuery } from '../streams-api.ts';
import classes from './failed-strip.module.css';

/** The number of streams named in the strip. */
const NAMED_MAX = 6;

interface FailedStripProps {
  readonly failed: readonly StreamState[];
  /** Shows all of them in the list. */
  readonly onShowAll: () => void;
}

/** The streams without video above the list, wherever they are in it. */
export function FailedStrip({ failed, onShowAll }: FailedStripProps) {
  const i18n = useI18n();
  const isServerLost = useIsServerLost();
  const more = failed.length - NAMED_MAX;
  const title = i18n.t('streams.failedNow', { count: failed.length });
  // Which streams have video is not known then.
  if (isServerLost) return null;
  return (
    <section className={classes.strip} aria-label={title}>
      <h2 className={classes.title}>{title}</h2>
      <ul className={classes.items}>
        {failed.slice(0, NAMED_MAX).map((state) => (
          <FailedStream key={state.uid} state={state} />
        ))}
        {more > 0 && (
          <li>
            <button type="button" className={classes.more} onClick={onShowAll}>
              {i18n.t('streams.failedNow.more', { count: more })}
            </button>
          </li>
        )}
      </ul>
    </section>
  );
}

function FailedStream({ state: { uid, failureReason } }: { readonly state: StreamState }) {
  const i18n = useI18n();
  const { data: stream } = useQuery(streamSummaryQuery(uid));
  return (
    <li>
      <Link to="/stream/$uid/view" params={{ uid }} className={classes.item}>
        <StatusMark status="failed" />
        <span className={classes.name} title={stream?.name}>
          {stream ? stream.name : <Skeleton width="6rem" height="1rem" />}
        </span>
        <span className={classes.reason}>{failureReason ?? i18n.t('streams.reason.failed')}</span>
      </Link>
    </li>
  );
}
