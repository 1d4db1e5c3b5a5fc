import type { ReactNode } from 'react';
import classes from './tip.module.css';

interface TipProps {
  /** The control's name, the same as its accessible name. */
  readonly label: string;
  /** Extends from this edge of the control, so that it stays on the screen. */
  readonly align?: 'center' | 'end';
  readonly children: ReactNode;
}

/**
 * A tooltip shown while a control is hovered or focused by keyboard; it disappears 200 ms after [R9.6]. Pure
 * CSS.
 */
export function Tip({ label, align = 'center', children }: TipProps) {
  return (
    <span className={classes.tip} data-tip={label} data-align={align}>
      {children}
    </span>
  );
}
