import type { ReactNode } from 'react';
import classes from './data-table.module.css';

interface DataTableProps {
  /** The accessible name of the table. */
  readonly label: string;
  /** The heading's cells. */
  readonly head: ReactNode;
  /** The rows. */
  readonly children: ReactNode;
  /** The rows are from an earlier query; new ones are loading. */
  readonly isStale?: boolean;
}

/** Rows of numbers and text. Cells marked `data-wide` are hidden on narrow screens. */
export function DataTable({ label, head, children, isStale = false }: DataTableProps) {
  return (
    <div className={classes.frame} data-stale={isStale} aria-busy={isStale}>
      <table className={classes.table} aria-label={label}>
        <thead>
          <tr>{head}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

interface SortHeadProps {
  readonly name: string;
  /** The current order: `name` ascending, `-name` descending. */
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly children: ReactNode;
  readonly isWide?: boolean;
  /** The first click sorts in descending order. */
  readonly isLargestFirst?: boolean;
}

/** A heading that sorts the rows by its column, or reverses the order when they already are. */
export function SortHead({
  name,
  sort,
  onSort,
  children,
  isWide = false,
  isLargestFirst = false,
}: SortHeadProps) {
  const direction = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : 'none';
  return (
    <th aria-sort={direction} data-wide={isWide || undefined}>
      <button
        type="button"
        className={classes.sort}
        onClick={() => {
          const isDescendingNext = direction === 'none' ? isLargestFirst : direction === 'ascending';
          onSort(isDescendingNext ? `-${name}` : name);
        }}
      >
        {children}
        <svg viewBox="0 0 8 8" aria-hidden="true" className={classes.arrow} data-direction={direction}>
          <path d="M4 1l3.5 5h-7z" fill="currentColor" />
        </svg>
      </button>
    </th>
  );
}
