import { useEffect, useRef, type ReactNode } from 'react';
import classes from './page-bar.module.css';

interface PageBarProps {
  readonly title: ReactNode;
  /** Next to the title: a state, a count. */
  readonly aside?: ReactNode;
  /** At the far end: actions for the page as a whole. */
  readonly actions?: ReactNode;
  /** Links to the page's sections. */
  readonly tabs?: ReactNode;
  readonly tabsLabel?: string;
}

/** The bar at the top of a screen: its name, its state, its actions, and below them its tabs. */
export function PageBar({ title, aside, actions, tabs, tabsLabel }: PageBarProps) {
  const tabsElement = useRef<HTMLElement>(null);
  // A phone shows the first few tabs only; the open one should be among them.
  useEffect(() => {
    const list = tabsElement.current;
    const current = list?.querySelector<HTMLElement>('[aria-current="page"]');
    if (list && current) list.scrollLeft = current.offsetLeft - list.offsetLeft - 40;
  }, [tabs]);
  return (
    <div className={classes.bar}>
      <div className={classes.row}>
        <h1 className={classes.title}>{title}</h1>
        {aside && <div className={classes.aside}>{aside}</div>}
        {actions && <div className={classes.actions}>{actions}</div>}
      </div>
      {tabs && (
        <nav ref={tabsElement} className={classes.tabs} aria-label={tabsLabel}>
          {tabs}
        </nav>
      )}
    </div>
  );
}
