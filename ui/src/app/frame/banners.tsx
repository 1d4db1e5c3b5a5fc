import { useQuery } from '@tanstack/react-query';
import { healthQuery } from '../../api/health.ts';
import { useSettings, useUser } from '../../api/session.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Link } from '../../routing/react/link.tsx';
import { Banner } from '../../components/banner.tsx';
import { Late } from './late.tsx';

/** Messages for every screen that need an answer now: no license, and a drained node. The header has all other problems. */
export function SignedInBanners() {
  return (
    <>
      <LicenseBanner />
      <DrainedNode />
    </>
  );
}

function LicenseBanner() {
  const i18n = useI18n();
  const { isLicenseExpired } = useSettings();
  const user = useUser();
  if (!isLicenseExpired) return null;
  return (
    <Banner kind="danger">
      {i18n.t('banner.license')}{' '}
      {user?.isAdmin ? (
        <Link to="/license">{i18n.t('banner.license.upload')}</Link>
      ) : (
        i18n.t('banner.license.ask')
      )}
    </Banner>
  );
}

const loadDrainedNode = async () => (await import('./drained-node-banner.tsx')).DrainedNodeBanner;

/** Its code and texts are not fetched before a node is drained. */
function DrainedNode() {
  const { data } = useQuery(healthQuery);
  const isDrained = data?.warnings.some(({ code }) => code === 'cluster-node-drained') === true;
  return <Late isWanted={isDrained} load={loadDrainedNode} />;
}
