import type { ReplyOf } from '@vidette/contract/client';
import { DataTable } from '../../../components/data-table.tsx';
import { StatusMark } from '../stream-status.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import classes from './stream.module.css';

interface OutagesTableProps {
  /** Oldest first. */
  readonly outages: ReplyOf<'getStreamStats'>['outages'];
  /** End of an outage that is still going on, ms since the epoch. */
  readonly nowMs: number;
}

/** Outages with start, duration and cause, which is below the state on narrow screens; newest first. */
export function OutagesTable({ outages, nowMs }: OutagesTableProps) {
  const i18n = useI18n();
  if (outages.length === 0) return <p className={classes.logEmpty}>{i18n.t('debug.outages.none')}</p>;
  return (
    <DataTable
      label={i18n.t('debug.outages')}
      head={
        <>
          <th>{i18n.t('debug.outages.since')}</th>
          <th>{i18n.t('debug.outages.length')}</th>
          <th>{i18n.t('stream.info.state')}</th>
          <th data-wide="true">{i18n.t('stream.info.reason')}</th>
        </>
      }
    >
      {outages.toReversed().map(({ startTime, endTime, status, reason }) => {
        const lengthMs = Math.max(0, Math.round(((endTime ?? nowMs) - startTime) / 1000) * 1000);
        return (
          <tr key={startTime}>
            <td>{i18n.dateTime(startTime)}</td>
            <td>
              {endTime === null
                ? i18n.t('debug.outages.lasts', { duration: i18n.duration(lengthMs) })
                : i18n.duration(lengthMs)}
            </td>
            <td>
              <StatusMark status={status} />
              {reason !== null && <div className={classes.outageReason}>{reason}</div>}
            </td>
            <td data-wide="true">
              <div>{reason}</div>
            </td>
          </tr>
        );
      })}
    </DataTable>
  );
}
