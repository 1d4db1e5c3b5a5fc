import { useEffect, useState } from 'react';
import { rowsBetween } from './rows.ts';

/** Overscan as a fraction of the viewport's height: enough for a quick scroll. */
const beyond = 0.5;

/** The indices of the rows near the viewport: `first` inclusive, `end` exclusive. */
export interface RowsInSight {
  /** Ref of the element that contains the rows. */
  readonly listElement: (element: HTMLElement | null) => void;
  readonly first: number;
  readonly end: number;
}

/** Tracks the viewport over a list whose rows begin at `tops` (see `rowTops`). */
export function useRowsInSight(tops: readonly number[]): RowsInSight {
  const [list, setList] = useState<HTMLElement | null>(null);
  const [rows, setRows] = useState({ first: 0, end: 0 });
  useEffect(() => {
    const look = () => {
      const top = list?.getBoundingClientRect().top ?? 0;
      const margin = window.innerHeight * beyond;
      const next = rowsBetween(tops, -top - margin, -top + window.innerHeight + margin);
      setRows((now) => (now.first === next.first && now.end === next.end ? now : next));
    };
    look();
    window.addEventListener('scroll', look, { passive: true });
    window.addEventListener('resize', look);
    return () => {
      window.removeEventListener('scroll', look);
      window.removeEventListener('resize', look);
    };
  }, [list, tops]);
  return { listElement: setList, ...rows };
}
