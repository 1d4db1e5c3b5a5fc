import type { ReactNode } from 'react';
import classes from './item-list.module.css';

interface ItemListProps {
  /** The items are from an earlier query; new ones are loading. */
  readonly isStale?: boolean;
  /** List items, each with a layout of its own. */
  readonly children: ReactNode;
}

/** Items below each other on one card. */
export function ItemList({ isStale = false, children }: ItemListProps) {
  return (
    <ul className={classes.items} aria-busy={isStale}>
      {children}
    </ul>
  );
}
