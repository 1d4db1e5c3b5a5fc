import type { ReactNode } from 'react';
import classes from './tip.module.css';

interface TipProps {
  /** What the control is called; the control carries the same as its accessible name. */
  readonly label: string;
  /** Grows from this edge of the control, so that it stays on the screen. */
  readonly align?: 'center' | 'end';
  readonly children: ReactNode;
}

/** A name shown while a control is pointed at or focused by keyboard; it goes 200 ms after [R9.6]. Made of CSS. */
export function Tip({ label, align = 'center', children }: TipProps) {
  return (
    <span className={classes.tip} data-tip={label} data-align={align}>
      {children}
    </span>
  );
}
