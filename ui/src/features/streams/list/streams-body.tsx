import { Skeleton } from '@mantine/core';
import { Suspense, useEffect, type CSSProperties } from 'react';
import { Delayed } from '../../../components/delayed.tsx';
import { streamsPageSize } from '../streams-api.ts';
import { pagesOf, type RowGroup, type ListRow } from './rows.ts';
import { ListedTile } from './listed-tile.tsx';
import type { StreamsChoices } from './choices.ts';
import { GroupHeading } from './group-heading.tsx';
import classes from './streams.module.css';
import type { StreamList } from './use-stream-list.ts';
import type { Picking } from './use-picking.ts';
import { useRowLayout, type RowLayout } from './use-row-layout.ts';
import { lazyPart } from '../../../page/lazy-part.ts';

/** Most users never open the table. */
const TableRows = lazyPart(() => import('./table-rows.tsx').then((module) => module.TableRows));

interface StreamsBodyProps {
  readonly list: StreamList;
  readonly total: number;
  readonly choices: StreamsChoices;
  readonly onChoose: (changes: Partial<StreamsChoices>) => void;
  readonly picking: Picking;
  /** Called with the visible pages of the list. */
  readonly onPages: (pages: readonly number[]) => void;
}

/** The streams themselves: only the rows near the viewport are rendered, however many streams there are. */
export function StreamsBody({ list, total, choices, onChoose, picking, onPages }: StreamsBodyProps) {
  const { view } = choices;
  const groups = choices.isGrouped ? list.groups : noGroups;
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
        <Suspense fallback={<TableSkeleton />}>
          <TableRows
            list={list}
            total={total}
            layout={layout}
            listRef={listRef}
            picking={picking}
            choices={choices}
            onChoose={onChoose}
          />
        </Suspense>
      ) : (
        <TileRows list={list} layout={layout} listRef={listRef} picking={picking} />
      )}
    </div>
  );
}

function TableSkeleton() {
  return (
    <Delayed>
      <Skeleton height={320} radius={10} />
    </Delayed>
  );
}

const noGroups: readonly RowGroup[] = [];

interface RowsProps {
  readonly list: StreamList;
  readonly layout: RowLayout;
  readonly listRef: (element: HTMLElement | null) => void;
  readonly picking: Picking;
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
