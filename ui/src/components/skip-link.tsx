import type { ReactNode } from 'react';
import classes from './skip-link.module.css';

interface SkipLinkProps {
  /** The id of the element at which the keyboard continues. */
  readonly to: string;
  readonly children: ReactNode;
}

/** Leads the keyboard past many controls; visible while it is focused. Its container is positioned. */
export function SkipLink({ to, children }: SkipLinkProps) {
  return (
    <a href={`#${to}`} className={classes.skip}>
      {children}
    </a>
  );
}
