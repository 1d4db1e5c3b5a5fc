import type { ReactNode } from 'react';
import classes from './data-table.module.css';

interface DataTableProps {
  /** What the rows are, for those who can't see them. */
  readonly label: string;
  /** The heading's cells. */
  readonly head: ReactNode;
  /** The rows. */
  readonly children: ReactNode;
  /** The rows are of an earlier question; others are on their way. */
  readonly isStale?: boolean;
}

/** Rows of figures and words. Cells marked `data-wide` are left out where there is little room. */
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
  /** The order at present: `name` up, `-name` down. */
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly children: ReactNode;
  readonly isWide?: boolean;
}

/** A heading that orders the rows by its column, and the other way round when it already does. */
export function SortHead({ name, sort, onSort, children, isWide = false }: SortHeadProps) {
  const direction = sort === name ? 'ascending' : sort === `-${name}` ? 'descending' : 'none';
  return (
    <th aria-sort={direction} data-wide={isWide || undefined}>
      <button
        type="button"
        className={classes.sort}
        onClick={() => onSort(direction === 'ascending' ? `-${name}` : name)}
      >
        {children}
        <svg viewBox="0 0 8 8" aria-hidden="true" className={classes.arrow} data-direction={direction}>
          <path d="M4 1l3.5 5h-7z" fill="currentColor" />
        </svg>
      </button>
    </th>
  );
}
