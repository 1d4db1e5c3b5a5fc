import type { ReactNode } from 'react';
import classes from './list-bar.module.css';

/** The bar above a list: its search first, then its filters, and at the far end its actions. */
export function ListBar({ children, end }: { children: ReactNode; end?: ReactNode }) {
  return (
    <div className={classes.bar}>
      {children}
      {end && <div className={classes.end}>{end}</div>}
    </div>
  );
}
