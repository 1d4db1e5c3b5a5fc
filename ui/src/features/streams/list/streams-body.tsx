import { useElementSize } from '@mantine/hooks';
import { useEffect, useMemo, type CSSProperties } from 'react';
import { streamsPageSize } from '../streams-api.ts';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { columnsFor, layRows, pagesOf, rowTops, type RowGroup, type ListRow } from './rows.ts';
import { ListedTile } from './listed-tile.tsx';
import { StreamsTableHead, StreamsTableRow } from './streams-table.tsx';
import classes from './streams.module.css';
import type { StreamList } from './use-stream-list.ts';
import type { Picking } from './use-picking.ts';
import { useRowsInSight } from './use-rows-in-sight.ts';

const gapPx = 12;
const tableRowRem = 3.75;
const headingRem = 2.75;

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
  const { ref: sizeRef, width } = useElementSize<HTMLDivElement>();
  const columns = view === 'grid' ? columnsFor(width, gapPx) : 1;
  const groups = isGrouped ? list.groups : noGroups;
  const rows = useMemo(() => layRows(total, groups, columns), [total, groups, columns]);
  const tilePx = (width - gapPx * (columns - 1)) / columns;
  const remPx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const streamsPx = view === 'grid' ? (tilePx * 9) / 16 + gapPx : tableRowRem * remPx;
  const tops = useMemo(
    () => rowTops(rows, { heading: headingRem * remPx, streams: streamsPx }),
    [rows, streamsPx, remPx],
  );
  const { listElement, first, end } = useRowsInSight(tops);
  const shown = width > 0 ? rows.slice(first, end) : [];
  const pages = pagesOf(shown, streamsPageSize).join();
  useEffect(() => {
    if (pages !== '') onPages(pages.split(',').map(Number));
  }, [pages, onPages]);

  const inSight = shown.map((row, index) => ({
    row,
    key: first + index,
    style: { transform: `translateY(${tops[first + index] ?? 0}px)` },
  }));
  const style = { height: tops.at(-1) };
  return (
    <div ref={sizeRef}>
      {view === 'table' ? (
        <table className={classes.table} aria-rowcount={total + 1}>
          <StreamsTableHead isPicking={picking.isOn} />
          <tbody ref={listElement} className={classes.list} style={style}>
            {inSight.map(({ row, key, style: place }) =>
              row.kind === 'heading' ? (
                <tr key={key} className={classes.row} style={place}>
                  <td>
                    <GroupHeading group={row.group} />
                  </td>
                </tr>
              ) : (
                <StreamsTableRow
                  key={key}
                  stream={list.at(row.first)}
                  place={row.first}
                  picking={picking}
                  style={place}
                />
              ),
            )}
          </tbody>
        </table>
      ) : (
        <div ref={listElement} className={classes.list} style={style}>
          {inSight.map(({ row, key, style: place }) =>
            row.kind === 'heading' ? (
              <div key={key} className={classes.row} style={place}>
                <GroupHeading group={row.group} />
              </div>
            ) : (
              <TileRow key={key} row={row} list={list} columns={columns} picking={picking} style={place} />
            ),
          )}
        </div>
      )}
    </div>
  );
}

const noGroups: readonly RowGroup[] = [];

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
