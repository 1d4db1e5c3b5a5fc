import { useEffect, type CSSProperties } from 'react';
import { streamsPageSize } from '../streams-api.ts';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { pagesOf, type RowGroup, type ListRow } from './rows.ts';
import { ListedTile } from './listed-tile.tsx';
import { StreamsTableHead, StreamsTableRow } from './streams-table.tsx';
import classes from './streams.module.css';
import type { StreamList } from './use-stream-list.ts';
import type { Picking } from './use-picking.ts';
import { useRowLayout, type RowLayout } from './use-row-layout.ts';

interface StreamsBodyProps {
  readonly list: StreamList;
  readonly total: number;
  readonly isGrouped: boolean;
  readonly view: 'grid' | 'table';
  readonly picking: Picking;
  /** Called with the visible pages of the list. */
  readonly onPages: (pages: readonly number[]) => void;
}

/** The streams themselves: only the rows near the viewport are rendered, however many streams there are. */
export function StreamsBody({ list, total, isGrouped, view, picking, onPages }: StreamsBodyProps) {
  const groups = isGrouped ? list.groups : noGroups;
  const { sizeRef, listRef, layout } = useRowLayout(total, groups, view);
  const pages = pagesOf(
    layout.inSight.map(({ row }) => row),
    streamsPageSize,
  ).join();
  useEffect(() => {
    if (pages !== '') onPages(pages.split(',').map(Number));
  }, [pages, onPages]);
  return (
    <div ref={sizeRef}>
      {view === 'table' ? (
        <TableRows list={list} total={total} layout={layout} listRef={listRef} picking={picking} />
      ) : (
        <TileRows list={list} layout={layout} listRef={listRef} picking={picking} />
      )}
    </div>
  );
}

const noGroups: readonly RowGroup[] = [];

interface RowsProps {
  readonly list: StreamList;
  readonly layout: RowLayout;
  readonly listRef: (element: HTMLElement | null) => void;
  readonly picking: Picking;
}

function TableRows({ list, total, layout, listRef, picking }: RowsProps & { readonly total: number }) {
  return (
    <table className={classes.table} aria-rowcount={total + 1}>
      <StreamsTableHead isPicking={picking.isOn} />
      <tbody ref={listRef} className={classes.list} style={{ height: layout.heightPx }}>
        {layout.inSight.map(({ row, index, style }) =>
          row.kind === 'heading' ? (
            <tr key={index} className={classes.row} style={style}>
              <td>
                <GroupHeading group={row.group} />
              </td>
            </tr>
          ) : (
            <StreamsTableRow
              key={index}
              stream={list.at(row.first)}
              place={row.first}
              picking={picking}
              style={style}
            />
          ),
        )}
      </tbody>
    </table>
  );
}

function TileRows({ list, layout, listRef, picking }: RowsProps) {
  return (
    <div ref={listRef} className={classes.list} style={{ height: layout.heightPx }}>
      {layout.inSight.map(({ row, index, style }) =>
        row.kind === 'heading' ? (
          <div key={index} className={classes.row} style={style}>
            <GroupHeading group={row.group} />
          </div>
        ) : (
          <TileRow
            key={index}
            row={row}
            list={list}
            columns={layout.columns}
            picking={picking}
            style={style}
          />
        ),
      )}
    </div>
  );
}

interface TileRowProps {
  readonly row: Extract<ListRow, { kind: 'streams' }>;
  readonly list: StreamList;
  readonly columns: number;
  readonly picking: Picking;
  readonly style: CSSProperties;
}

function TileRow({ row, list, columns, picking, style }: TileRowProps) {
  return (
    <div className={classes.row} style={{ ...style, gridTemplateColumns: `repeat(${columns}, 1fr)` }}>
      {Array.from({ length: row.count }, (_, index) => (
        <ListedTile
          key={row.first + index}
          stream={list.at(row.first + index)}
          place={row.first + index}
          picking={picking}
        />
      ))}
    </div>
  );
}

function GroupHeading({ group }: { group: RowGroup }) {
  const i18n = useI18n();
  return (
    <h2 className={classes.heading}>
      {group.name ?? i18n.t('streams.untagged')}
      <span className={classes.headingCount}>{i18n.number(group.total)}</span>
    </h2>
  );
}
