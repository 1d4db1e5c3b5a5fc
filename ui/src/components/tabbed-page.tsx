import type { ReactNode } from 'react';
import { useI18n } from '../i18n/i18n-context.tsx';
import { PageBar } from './page-bar.tsx';
import classes from './tabbed-page.module.css';

interface TabbedPageProps {
  readonly title: string;
  readonly aside?: ReactNode;
  readonly actions?: ReactNode;
  /** Links to the tabs. */
  readonly tabs: ReactNode;
  /** Its tabs contain forms and short lists only. */
  readonly isNarrow?: boolean;
  /** The open tab. */
  readonly children: ReactNode;
}

/** The pages about one thing: its name, its state, its actions, its tabs, and the open tab. */
export function TabbedPage({ title, aside, actions, tabs, isNarrow = false, children }: TabbedPageProps) {
  const i18n = useI18n();
  return (
    <div className={classes.page} data-narrow={isNarrow}>
      <PageBar title={title} aside={aside} actions={actions} tabsLabel={i18n.t('nav.tabs')} tabs={tabs} />
      {children}
    </div>
  );
}
