import type { ListedStream } from '@vidette/contract/entities';
import { useCallback, type CSSProperties } from 'react';
import { loadStreamSnapshot } from '../streams-api.ts';
import { FreshSnapshot } from '../../../components/fresh-snapshot.tsx';
import { PublicMark, StreamStatus } from '../stream-status.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { I18n } from '../../../i18n/i18n.ts';
import { Link } from '../../../routing/react/link.tsx';
import { PickBox } from './pick-box.tsx';
import { reasonOf } from '../reason.ts';
import classes from './streams-table.module.css';
import { pickingLink, type Picking } from './use-picking.ts';

const snapshotEveryMs = 10_000;
const snapshotWidthPx = 160;

/** The table's headings, matching `StreamsTableRow`. */
export function StreamsTableHead({ isPicking }: { isPicking: boolean }) {
  const i18n = useI18n();
  return (
    <thead className={classes.tableHead}>
      <tr className={classes.head} data-picking={isPicking}>
        <th data-pick="true">
          <span className="visually-hidden">{i18n.t('streams.column.picked')}</span>
        </th>
        <th>
          <span className="visually-hidden">{i18n.t('streams.column.picture')}</span>
        </th>
        <th>{i18n.t('streams.column.name')}</th>
        <th>{i18n.t('streams.column.status')}</th>
        <th data-wide="true">{i18n.t('streams.column.archive')}</th>
        <th data-wide="true">{i18n.t('streams.column.tags')}</th>
        <th data-wide="true">{i18n.t('streams.column.location')}</th>
      </tr>
    </thead>
  );
}

interface StreamsTableRowProps {
  readonly stream: ListedStream | undefined;
  /** Position in the whole list, from 0. */
  readonly place: number;
  readonly picking: Picking;
  readonly style: CSSProperties;
}

/** One stream as a row; empty until its page has loaded. */
export function StreamsTableRow({ stream, place, picking, style }: StreamsTableRowProps) {
  const i18n = useI18n();
  if (!stream) {
    return <tr aria-rowindex={place + 2} className={classes.row} style={style} data-picking={picking.isOn} />;
  }
  const reason = reasonOf(stream, i18n);
  return (
    <tr
      aria-rowindex={place + 2}
      className={classes.row}
      style={style}
      data-picking={picking.isOn}
      data-picked={picking.picked.has(stream.uid)}
    >
      <td className={classes.pickCell} data-pick="true">
        {stream.canEdit && <PickBox picking={picking} place={place} stream={stream} />}
      </td>
      <td className={classes.pictureCell}>
        <RowSnapshot uid={stream.uid} isRunning={stream.status === 'running'} />
      </td>
      <td className={classes.nameCell}>
        <Link
          to="/stream/$uid/view"
          params={{ uid: stream.uid }}
          className={classes.name}
          {...pickingLink(picking, place, stream)}
        >
          {stream.name}
        </Link>
        {reason !== null && <span className={classes.reason}>{reason}</span>}
      </td>
      <td className={classes.statusCell}>
        <StreamStatus status={stream.status} />
        {stream.isPublic && (
          <span data-wide="true">
            <PublicMark />
          </span>
        )}
      </td>
      <td data-wide="true">{archiveText(stream, i18n)}</td>
      <td data-wide="true" className={classes.cut}>
        {stream.tags.join(', ')}
      </td>
      <td data-wide="true" className={classes.cut}>
        {stream.location.name}
      </td>
    </tr>
  );
}

function RowSnapshot({ uid, isRunning }: { uid: string; isRunning: boolean }) {
  const load = useCallback((signal: AbortSignal) => loadStreamSnapshot(uid, snapshotWidthPx, signal), [uid]);
  return <FreshSnapshot load={load} everyMs={isRunning ? snapshotEveryMs : null} />;
}

function archiveText({ archive }: ListedStream, i18n: I18n): string {
  if (!archive.isEnable) return i18n.t('streams.archive.off');
  if (archive.depthHours < 0) return i18n.t('streams.archive.noLimit');
  return i18n.duration(archive.depthHours * 3_600_000);
}
