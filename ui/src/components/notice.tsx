import IconInfoCircle from '@tabler/icons-react/dist/esm/icons/IconInfoCircle.mjs';
import type { ReactNode } from 'react';
import classes from './notice.module.css';

/** An unobtrusive remark inside a screen: what was done, or what to know before continuing. */
export function Notice({ children }: { children: ReactNode }) {
  return (
    <div className={classes.notice}>
      <IconInfoCircle size={18} aria-hidden="true" />
      <div>{children}</div>
    </div>
  );
}
