import IconInfoCircle from '@tabler/icons-react/dist/esm/icons/IconInfoCircle.mjs';
import type { ReactNode } from 'react';
import classes from './notice.module.css';

/** A quiet remark inside a screen: what was done, what to know before going on. */
export function Notice({ children }: { children: ReactNode }) {
  return (
    <div className={classes.notice}>
      <IconInfoCircle size={18} aria-hidden="true" />
      <div>{children}</div>
    </div>
  );
}
