import type { ReactNode } from 'react';
import classes from './list-bar.module.css';

/** Over a list: its search first, then what narrows it, and at the far end what can be done. */
export function ListBar({ children, end }: { children: ReactNode; end?: ReactNode }) {
  return (
    <div className={classes.bar}>
      {children}
      {end && <div className={classes.end}>{end}</div>}
    </div>
  );
}
