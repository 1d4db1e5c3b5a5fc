import { useElementSize } from '@mantine/hooks';
import { useMemo } from 'react';
import { columnsFor, layRows, rowTops, type ListRow, type RowGroup } from './rows.ts';
import { useRowsInSight } from './use-rows-in-sight.ts';

const gapPx = 12;
/** Two lines below 900 px; otherwise one, as high as a finger needs where there is one. */
const rowRem = { narrow: 3.75, touch: 2.75, mouse: 2.25 };
const headingRem = 2.75;

function tableRowRem(): number {
  if (matchMedia('(max-width: 900px)').matches) return rowRem.narrow;
  return matchMedia('(pointer: coarse)').matches ? rowRem.touch : rowRem.mouse;
}

/** A row near the viewport, with its index and its position as a style. */
interface RowInSight {
  readonly row: ListRow;
  readonly index: number;
  readonly style: { readonly transform: string };
}

/** The rows near the viewport, and the space that all rows take. */
export interface RowLayout {
  readonly columns: number;
  readonly heightPx: number | undefined;
  readonly inSight: readonly RowInSight[];
}

/**
 * Lays out a list that is rendered near the viewport only.
 * @param total the number of positions in the list
 * @param groups the groups in order; empty for a list without headings
 */
export function useRowLayout(
  total: number,
  groups: readonly RowGroup[],
  view: 'grid' | 'table',
): {
  /** Ref of an element as wide as the list. */
  readonly sizeRef: (element: HTMLDivElement | null) => void;
  /** Ref of the element that contains the rows. */
  readonly listRef: (element: HTMLElement | null) => void;
  readonly layout: RowLayout;
} {
  const { ref: sizeRef, width } = useElementSize<HTMLDivElement>();
  const columns = view === 'grid' ? columnsFor(width, gapPx) : 1;
  const rows = useMemo(() => layRows(total, groups, columns), [total, groups, columns]);
  const tilePx = (width - gapPx * (columns - 1)) / columns;
  const remPx = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  const streamsPx = view === 'grid' ? (tilePx * 9) / 16 + gapPx : tableRowRem() * remPx;
  const tops = useMemo(
    () => rowTops(rows, { heading: headingRem * remPx, streams: streamsPx }),
    [rows, streamsPx, remPx],
  );
  const { listElement: listRef, first, end } = useRowsInSight(tops);
  const shown = width > 0 ? rows.slice(first, end) : [];
  const inSight = shown.map((row, place) => ({
    row,
    index: first + place,
    style: { transform: `translateY(${tops[first + place] ?? 0}px)` },
  }));
  return { sizeRef, listRef, layout: { columns, heightPx: tops.at(-1), inSight } };
}
