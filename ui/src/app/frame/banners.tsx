import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ComponentType } from 'react';
import { healthQuery } from '../../api/health.ts';
import { useSettings, useUser } from '../../api/session.ts';
import { browserClock } from '../../base/clock.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Link } from '../../routing/react/link.tsx';
import { Banner } from '../../components/banner.tsx';
import { importUntilLoaded } from '../../page/import-until-loaded.ts';
import { usePage } from '../../page/page-context.tsx';

/** Messages for every screen: no license, and the server's own warnings. */
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

/** No code or text of the warnings is fetched before there is one. */
function HealthBanners() {
  const { language } = usePage();
  const { data } = useQuery(healthQuery);
  const [Banners, setBanners] = useState<ComponentType>();
  const isWanted = (data?.warnings.length ?? 0) > 0;
  useEffect(() => {
    if (!isWanted) return;
    const load = () => Promise.all([import('./health-banners.tsx'), language.learnAll()]);
    void importUntilLoaded(load, browserClock).then(([module]) => setBanners(() => module.HealthBanners));
  }, [isWanted, language]);
  return Banners && <Banners />;
}
