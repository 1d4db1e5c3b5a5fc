import type { ListedStream, StreamStatus as Status } from '@vidette/contract/entities';
import { useCallback, type CSSProperties } from 'react';
import { loadStreamSnapshot } from '../streams-api.ts';
import { StillImage, useFreshStill, type FreshStill } from '../../../components/fresh-snapshot.tsx';
import { LastFrameText } from '../../../components/last-frame-text.tsx';
import { useIsServerLost } from '../../../page/page-context.tsx';
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
/** Two intervals: one that a loaded server missed does not make a camera look stopped. */
const oldAfterMs = 2 * snapshotEveryMs;

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

interface StreamsTableRowProps extends Omit<StreamRowProps, 'stream'> {
  readonly stream: ListedStream | undefined;
}

interface StreamRowProps {
  readonly stream: ListedStream;
  /** Position in the whole list, from 0. */
  readonly place: number;
  readonly picking: Picking;
  readonly style: CSSProperties;
}

/** One stream as a row; empty until its page has loaded. */
export function StreamsTableRow({ stream, ...row }: StreamsTableRowProps) {
  const { place, picking, style } = row;
  if (!stream) {
    return <tr aria-rowindex={place + 2} className={classes.row} style={style} data-picking={picking.isOn} />;
  }
  return <StreamRow stream={stream} {...row} />;
}

function StreamRow({ stream, place, picking, style }: StreamRowProps) {
  const i18n = useI18n();
  const still = useRowStill(stream);
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
        <StillImage still={still} />
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
        <RowStatus status={stream.status} still={still} />
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

function useRowStill({ uid, status }: ListedStream): FreshStill {
  const isServerLost = useIsServerLost();
  const load = useCallback((signal: AbortSignal) => loadStreamSnapshot(uid, snapshotWidthPx, signal), [uid]);
  return useFreshStill(load, status === 'running' ? snapshotEveryMs : null, isServerLost ? 0 : oldAfterMs);
}

/** The stream's state; it says that the stream is live only next to a current snapshot. */
function RowStatus({ status, still }: { readonly status: Status; readonly still: FreshStill }) {
  const isServerLost = useIsServerLost();
  if (still.old && status === 'running' && !isServerLost) return <LastFrameText {...still.old} />;
  return <StreamStatus status={status} />;
}

function archiveText({ archive }: ListedStream, i18n: I18n): string {
  if (!archive.isEnable) return i18n.t('streams.archive.off');
  if (archive.depthHours < 0) return i18n.t('streams.archive.noLimit');
  return i18n.duration(archive.depthHours * 3_600_000);
}
