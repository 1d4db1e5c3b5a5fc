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
      <HealthBanners />
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

const loadBanners = async () => (await import('./health-banners.tsx')).HealthBanners;

/** No code or text of the warnings is fetched before there is one. */
function HealthBanners() {
  const { data } = useQuery(healthQuery);
  const isWanted = data?.warnings.some(({ code }) => code === 'cluster-node-drained') === true;
  return <Late isWanted={isWanted} load={loadBanners} />;
}
