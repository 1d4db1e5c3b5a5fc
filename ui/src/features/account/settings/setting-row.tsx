import type { ReactNode } from 'react';
import classes from './settings.module.css';

interface SettingRowProps {
  readonly label: string;
  readonly help?: string;
  /** The control; it carries the label as its accessible name. */
  readonly children: ReactNode;
}

/** One setting: its label on the left, its control on the right; stacked where there is no room. */
export function SettingRow({ label, help, children }: SettingRowProps) {
  return (
    <div className={classes.row}>
      <div className={classes.words}>
        <div>{label}</div>
        {help && <div className={classes.help}>{help}</div>}
      </div>
      {children}
    </div>
  );
}
