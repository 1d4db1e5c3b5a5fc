import type { ReactNode } from 'react';
import { useUser } from '../../../api/session.ts';
import { TabbedPage } from '../../../components/tabbed-page.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { Link } from '../../../routing/react/link.tsx';

/** The pages of the user's own profile [R2.5]. */
export function ProfilePage({ children }: { children: ReactNode }) {
  const i18n = useI18n();
  const user = useUser();
  if (!user) return null;
  return (
    <TabbedPage
      isNarrow
      title={user.fullName || user.name}
      tabs={
        <>
          <Link to="/profile/me/info">{i18n.t('tab.info')}</Link>
          <Link to="/profile/me/edit">{i18n.t('tab.edit')}</Link>
          <Link to="/profile/me/tokens">{i18n.t('tab.tokens')}</Link>
          <Link to="/profile/me/sessions">{i18n.t('tab.sessions')}</Link>
        </>
      }
    >
      {children}
    </TabbedPage>
  );
}
