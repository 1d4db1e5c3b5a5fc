import { useElementSize } from '@mantine/hooks';
import { useEffect, useMemo } from 'react';
import { streamsPageSize } from '../../api/streams.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { columnsFor, layRows, pagesOf, rowTops, type Group, type Row } from './rows.ts';
import { ListedTile } from './listed-tile.tsx';
import { StreamsTableHead, StreamsTableRow } from './streams-table.tsx';
import classes from './streams.module.css';
import type { StreamList } from './use-stream-list.ts';
import { useRowsInSight } from './use-rows-in-sight.ts';

const gapPx = 12;
const tableRowPx = 60;
const headingPx = 44;

interface StreamsBodyProps {
  readonly list: StreamList;
  readonly total: number;
  readonly isGrouped: boolean;
  readonly view: 'grid' | 'table';
  /** Told which pages of the list are in sight. */
  readonly onPages: (pages: readonly number[]) => void;
}

/** The streams themselves: only the rows near the window exist, however many streams there are. */
export function StreamsBody({ list, total, isGrouped, view, onPages }: StreamsBodyProps) {
  const { ref: sizeRef, width } = useElementSize<HTMLDivElement>();
  const columns = view === 'grid' ? columnsFor(width, gapPx) : 1;
  const groups = isGrouped ? list.groups : noGroups;
  const rows = useMemo(() => layRows(total, groups, columns), [total, groups, columns]);
  const tilePx = (width - gapPx * (columns - 1)) / columns;
  const streamsPx = view === 'grid' ? (tilePx * 9) / 16 + gapPx : tableRowPx;
  const tops = useMemo(() => rowTops(rows, { heading: headingPx, streams: streamsPx }), [rows, streamsPx]);
  const { listElement, first, end } = useRowsInSight(tops);
  const shown = width > 0 ? rows.slice(first, end) : [];
  const pages = pagesOf(shown, streamsPageSize).join();
  useEffect(() => {
    if (pages !== '') onPages(pages.split(',').map(Number));
  }, [pages, onPages]);

  return (
    <div
      ref={sizeRef}
      {...(view === 'table' ? { role: 'table', 'aria-rowcount': total + 1 } : { role: 'group' })}
    >
      {view === 'table' && <StreamsTableHead />}
      <div
        ref={listElement}
        className={classes.list}
        style={{ height: tops.at(-1) }}
        role={view === 'table' ? 'rowgroup' : undefined}
      >
        {shown.map((row, index) => (
          <ListRow
            key={first + index}
            row={row}
            list={list}
            view={view}
            columns={columns}
            offsetPx={tops[first + index] ?? 0}
          />
        ))}
      </div>
    </div>
  );
}

const noGroups: readonly Group[] = [];

interface ListRowProps {
  readonly row: Row;
  readonly list: StreamList;
  readonly view: 'grid' | 'table';
  readonly columns: number;
  readonly offsetPx: number;
}

function ListRow({ row, list, view, columns, offsetPx }: ListRowProps) {
  const place = { transform: `translateY(${offsetPx}px)` };
  if (row.kind === 'heading') {
    return (
      <div className={classes.row} style={place} role={view === 'table' ? 'row' : undefined}>
        <GroupHeading group={row.group} isInTable={view === 'table'} />
      </div>
    );
  }
  if (view === 'table') {
    return <StreamsTableRow stream={list.at(row.first)} place={row.first} style={place} />;
  }
  return (
    <div className={classes.row} style={{ ...place, gridTemplateColumns: `repeat(${columns}, 1fr)` }}>
      {Array.from({ length: row.count }, (_, index) => (
        <ListedTile key={row.first + index} stream={list.at(row.first + index)} />
      ))}
    </div>
  );
}

function GroupHeading({ group, isInTable }: { group: Group; isInTable: boolean }) {
  const i18n = useI18n();
  return (
    <div role={isInTable ? 'cell' : undefined}>
      <h2 className={classes.heading}>
        {group.name ?? i18n.t('streams.untagged')}
        <span className={classes.headingCount}>{i18n.number(group.total)}</span>
      </h2>
    </div>
  );
}
