import type { ReactNode } from 'react';
import { PageBar } from '../../components/page-bar.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Link } from '../../routing/react/link.tsx';
import classes from './administration.module.css';

/** The administrator's pages [R2.14]. */
export function AdministrationPage({ children }: { children: ReactNode }) {
  const i18n = useI18n();
  return (
    <div className={classes.page}>
      <PageBar
        title={i18n.t('title.administration')}
        tabsLabel={i18n.t('nav.tabs')}
        tabs={
          <>
            <Link to="/administration/stats">{i18n.t('tab.stats')}</Link>
            <Link to="/administration/config">{i18n.t('tab.config')}</Link>
            <Link to="/administration/users">{i18n.t('tab.users')}</Link>
            <Link to="/administration/cluster">{i18n.t('tab.cluster')}</Link>
            <Link to="/administration/license">{i18n.t('tab.license')}</Link>
            <Link to="/administration/server-debug">{i18n.t('tab.serverDebug')}</Link>
            <Link to="/administration/tunnel">{i18n.t('tab.tunnel')}</Link>
            <Link to="/administration/audit-logs">{i18n.t('tab.auditLogs')}</Link>
          </>
        }
      />
      {children}
    </div>
  );
}
