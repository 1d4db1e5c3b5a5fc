import { useUser } from '../../api/session.ts';
import { Banner } from '../../components/banner.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Link } from '../../routing/react/link.tsx';

/** A drained node does nothing until an administrator returns it: a banner that can't be dismissed [R4.11]. */
export function DrainedNodeBanner() {
  const i18n = useI18n();
  const user = useUser();
  return (
    <section aria-label={i18n.t('banner.warnings')}>
      <Banner kind="warning">
        {i18n.t('warning.nodeDrained')}{' '}
        {user?.isAdmin && <Link to="/administration/cluster">{i18n.t('warning.nodeDrained.show')}</Link>}
      </Banner>
    </section>
  );
}
