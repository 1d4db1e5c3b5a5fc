import { useLayoutEffect, useRef, type ReactNode } from 'react';
import { useRouteLocation } from '../routing/react/router-context.tsx';
import classes from './page-bar.module.css';
import { useClippedEdges } from './use-clipped-edges.ts';

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
  return (
    <div className={classes.bar}>
      <div className={classes.row}>
        <h1 className={classes.title}>{title}</h1>
        {aside && <div className={classes.aside}>{aside}</div>}
        {actions && <div className={classes.actions}>{actions}</div>}
      </div>
      {tabs && <Tabs label={tabsLabel}>{tabs}</Tabs>}
    </div>
  );
}

interface TabsProps {
  readonly label: string | undefined;
  readonly children: ReactNode;
}

/** A phone shows a few tabs only: the open one is among them, and others fade at the edge behind which there are more. */
function Tabs({ label, children }: TabsProps) {
  const element = useRef<HTMLElement>(null);
  const { path } = useRouteLocation();
  // Not at every rendering: the user may have scrolled to another tab.
  useLayoutEffect(() => {
    const list = element.current;
    const current = list?.querySelector<HTMLElement>('[aria-current="page"]');
    if (list && current) list.scrollLeft = current.offsetLeft - list.offsetLeft - 64;
  }, [path]);
  useClippedEdges(element);
  return (
    <nav ref={element} className={classes.tabs} aria-label={label}>
      {children}
    </nav>
  );
}
