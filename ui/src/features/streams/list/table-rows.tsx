import type { StreamsChoices } from './choices.ts';
import { GroupHeading } from './group-heading.tsx';
import { columnsStyle, StreamsTableHead, StreamsTableRow } from './streams-table.tsx';
import classes from './streams.module.css';
import type { Picking } from './use-picking.ts';
import type { RowLayout } from './use-row-layout.ts';
import type { StreamList } from './use-stream-list.ts';

interface TableRowsProps {
  readonly list: StreamList;
  readonly total: number;
  readonly layout: RowLayout;
  readonly listRef: (element: HTMLElement | null) => void;
  readonly picking: Picking;
  readonly choices: StreamsChoices;
  readonly onChoose: (changes: Partial<StreamsChoices>) => void;
}

/** The streams as a table, whose order its headings change. */
export function TableRows({ list, total, layout, listRef, picking, choices, onChoose }: TableRowsProps) {
  const { columns, sortType } = choices;
  return (
    <table className={classes.table} style={columnsStyle(columns)} aria-rowcount={total + 1}>
      <StreamsTableHead
        isPicking={picking.isOn}
        columns={columns}
        sort={sortType}
        onSort={(sort) => onChoose({ sortType: sort })}
      />
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
              columns={columns}
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
