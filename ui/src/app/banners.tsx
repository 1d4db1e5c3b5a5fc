import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { HealthWarning } from '@vidette/contract/entities';
import { useState } from 'react';
import { healthQuery } from '../api/health.ts';
import { useSettings, useUser } from '../api/session.ts';
import { useI18n } from '../i18n/i18n-context.tsx';
import type { I18n } from '../i18n/i18n.ts';
import { Banner } from './banner.tsx';
import { dismiss, loadDismissals } from './dismissals.ts';

/** What everybody must know whatever screen they are on: no license, and the server's own warnings. */
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
      {user?.isAdmin && <Link to="/license">{i18n.t('banner.license.upload')}</Link>}
    </Banner>
  );
}

function HealthBanners() {
  const i18n = useI18n();
  const user = useUser();
  const { data } = useQuery(healthQuery);
  const [dismissed, setDismissed] = useState(() => loadDismissals(localStorage, Date.now()));
  const warnings = data?.warnings ?? [];
  const notRecorded = warnings.filter(({ code }) => code === 'stream-not-recording');
  // The license's end has a banner of its own, and so have, all together, the streams that are not recorded.
  const others = warnings.filter(
    ({ code }) => code !== 'license-expired' && !notRecorded.some((one) => one.code === code),
  );
  return (
    <section aria-label={i18n.t('banner.warnings')}>
      <NotRecordedBanner streams={notRecorded.flatMap(({ subject }) => subject ?? [])} />
      {others
        .filter((warning) => isStrict(warning) || !(keyOf(warning) in dismissed))
        .map((warning) => (
          <Banner
            key={keyOf(warning)}
            kind="warning"
            onClose={
              isStrict(warning)
                ? undefined
                : () => setDismissed(dismiss(localStorage, keyOf(warning), Date.now()))
            }
          >
            {warningText(warning, i18n)}{' '}
            {isStrict(warning) && user?.isAdmin && (
              <Link to="/administration/cluster">{i18n.t('warning.nodeDrained.show')}</Link>
            )}
            {warning.code === 'tunnel-down' && (
              <Link to="/administration/tunnel">{i18n.t('warning.notRecording.show')}</Link>
            )}
          </Banner>
        ))}
    </section>
  );
}

/** A camera's failure is nothing to put away: the banner goes when the recording comes back. */
function NotRecordedBanner({ streams }: { streams: readonly string[] }) {
  const i18n = useI18n();
  const [first] = streams;
  if (first === undefined) return null;
  return (
    <Banner kind="warning">
      {i18n.t('warning.notRecording', { count: streams.length })}{' '}
      {streams.length === 1 && (
        <Link to="/stream/$uid/info" params={{ uid: first }}>
          {i18n.t('warning.notRecording.show')}
        </Link>
      )}
    </Banner>
  );
}

/** A drained node is a state somebody must end, so it can't be put away [R4.11]. */
function isStrict({ code }: HealthWarning): boolean {
  return code === 'cluster-node-drained';
}

function keyOf({ code, subject }: HealthWarning): string {
  return subject === null ? code : `${code}:${subject}`;
}

function warningText(warning: HealthWarning, i18n: I18n): string {
  switch (warning.code) {
    case 'license-expires':
    case 'license-expired':
      return i18n.t('warning.licenseWillExpire', { day: i18n.date(warning.expiresAt ?? 0) });
    case 'archive-disk-usage':
      return i18n.t('warning.archiveSpace', { percent: i18n.number(warning.usedPercent ?? 0) });
    case 'stream-not-recording':
      return i18n.t('warning.notRecording', { count: 1 });
    case 'cluster-node-drained':
      return i18n.t('warning.nodeDrained');
    case 'tunnel-down':
      return i18n.t('warning.tunnelDown');
  }
}
