import type { ListedStream } from '@vidette/contract/entities';
import type { CSSProperties } from 'react';
import { StillImage, type FreshStill } from '../../../components/fresh-snapshot.tsx';
import { LastFrameText } from '../../../components/last-frame-text.tsx';
import { SortHead } from '../../../components/data-table.tsx';
import { useIsServerLost } from '../../../page/page-context.tsx';
import { PublicMark, StreamStatus } from '../stream-status.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { Link } from '../../../routing/react/link.tsx';
import { sortTypeOf, type Column, type SortType } from './choices.ts';
import { smallStills, useStreamStill } from '../use-stream-still.ts';
import { PickBox } from './pick-box.tsx';
import { useReason } from '../use-reason.ts';
import { StreamFigure } from './stream-figures.tsx';
import classes from './streams-table.module.css';
import { pickingLink, type Picking } from './use-picking.ts';

const stillOptions = { widthPx: 160, ...smallStills };

/** The widths of the columns that can be hidden. */
const widths: Readonly<Record<Column, string>> = {
  status: 'minmax(8.5rem, 12rem)',
  share: '7.5rem',
  oldest: '7.5rem',
  bitrate: '5.5rem',
  viewers: '4.5rem',
  depth: '7rem',
  tags: 'minmax(7.5rem, 2fr)',
  location: 'minmax(7.5rem, 2fr)',
};

/** The columns of the table, for its heading and its rows. */
export function columnsStyle(shown: readonly Column[]): CSSProperties {
  return { '--columns': shown.map((column) => widths[column]).join(' ') } as CSSProperties;
}

interface StreamsTableHeadProps {
  readonly isPicking: boolean;
  readonly columns: readonly Column[];
  readonly sort: SortType;
  readonly onSort: (sort: SortType) => void;
}

/** The table's headings, matching `StreamsTableRow`: buttons that sort by their columns. */
export function StreamsTableHead({ isPicking, columns, sort, onSort }: StreamsTableHeadProps) {
  const i18n = useI18n();
  const order = (wanted: string) => {
    const known = sortTypeOf(wanted);
    if (known) onSort(known);
  };
  return (
    <thead className={classes.tableHead}>
      <tr className={classes.head} data-picking={isPicking}>
        <th data-pick="true">
          <span className="visually-hidden">{i18n.t('streams.column.picked')}</span>
        </th>
        <th>
          <span className="visually-hidden">{i18n.t('streams.column.picture')}</span>
        </th>
        <SortHead name="name" sort={sort} onSort={order}>
          {i18n.t('streams.column.name')}
        </SortHead>
        {columns.map((column) => (
          <SortHead
            key={column}
            name={column}
            sort={sort}
            onSort={order}
            isWide={column !== 'status'}
            isLargestFirst={column === 'bitrate' || column === 'viewers'}
          >
            {i18n.t(`streams.column.${column}`)}
          </SortHead>
        ))}
      </tr>
    </thead>
  );
}

interface StreamsTableRowProps extends Omit<StreamRowProps, 'stream'> {
  readonly stream: ListedStream | undefined;
}

interface StreamRowProps {
  readonly stream: ListedStream;
  readonly columns: readonly Column[];
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

function StreamRow({ stream, columns, place, picking, style }: StreamRowProps) {
  const still = useStreamStill(stream.uid, stream.status, stillOptions);
  const { status, live, node } = stream;
  // "On demand" says it already.
  const isSaid = status === 'pending' && live.onDemand && node.available && columns.includes('status');
  const known = useReason(stream);
  const reason = isSaid ? null : known;
  return (
    <tr
      aria-rowindex={place + 2}
      className={classes.row}
      style={style}
      data-picking={picking.isOn}
      data-picked={picking.picked.has(stream.uid)}
    >
      <td className={classes.pickCell} data-pick="true">
        <PickBox picking={picking} place={place} stream={stream} />
      </td>
      <td className={classes.pictureCell}>
        <StillImage still={still} />
      </td>
      <td className={classes.nameCell}>
        <Link
          to="/stream/$uid/view"
          params={{ uid: stream.uid }}
          className={classes.name}
          title={stream.name}
          {...pickingLink(picking, place, stream)}
        >
          {stream.name}
        </Link>
        {reason !== null && (
          <span className={classes.reason} title={reason}>
            {reason}
          </span>
        )}
      </td>
      {columns.map((column) => (
        <td key={column} className={classes.cut} data-wide={column === 'status' ? undefined : 'true'}>
          {column === 'status' ? (
            <RowStatus stream={stream} still={still} />
          ) : (
            <StreamFigure stream={stream} column={column} />
          )}
        </td>
      ))}
    </tr>
  );
}

interface RowStatusProps {
  readonly stream: ListedStream;
  readonly still: FreshStill;
}

function RowStatus({ stream, still }: RowStatusProps) {
  return (
    <span className={classes.status}>
      <CurrentStatus stream={stream} still={still} />
      {stream.isPublic && (
        <span data-wide="true">
          <PublicMark />
        </span>
      )}
    </span>
  );
}

/** The stream's state; it says that the stream is live only next to a current snapshot. */
function CurrentStatus({ stream: { status, live }, still }: RowStatusProps) {
  const isServerLost = useIsServerLost();
  if (still.old && status === 'running' && !isServerLost) return <LastFrameText {...still.old} />;
  return <StreamStatus status={status} isOnDemand={live.onDemand} />;
}
