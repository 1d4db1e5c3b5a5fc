import { useQuery } from '@tanstack/react-query';
import type { HealthWarning } from '@vidette/contract/health';
import { useState } from 'react';
import { healthQuery } from '../../api/health.ts';
import { useUser } from '../../api/session.ts';
import { codeText } from '../../components/code-text.ts';
import { overloadText } from '../../components/overload-text.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n, MessageKey } from '../../i18n/i18n.ts';
import { Link } from '../../routing/react/link.tsx';
import { Banner } from '../../components/banner.tsx';
import classes from '../../components/banner.module.css';
import { dismiss, loadDismissals } from './dismissals.ts';
import { NamedStreams } from './named-streams.tsx';
import { UseDisk } from './use-disk.tsx';

/** Banners shown before the user expands the rest: the screen below comes first. */
const SHOWN = 3;

/** Ongoing losses come first, and missing things come before advice. */
const weight: Partial<Record<HealthWarning['code'], number>> = {
  'cluster-node-drained': -3,
  'archive-disk-missing': -2,
  'data-disk-full': -1,
  'recording-shed': -1,
  'server-overloaded': -1,
  'trust-proxy': 1,
};

/** The server's own warnings. Code and texts are fetched when there is a warning: most servers have none. */
export function HealthBanners() {
  const i18n = useI18n();
  const { data } = useQuery(healthQuery);
  const [dismissed, setDismissed] = useState(() => loadDismissals(localStorage, Date.now()));
  const [isWhole, setWhole] = useState(false);
  const warnings = data?.warnings ?? [];
  const notRecorded = warnings.filter(({ code }) => code === 'stream-not-recording');
  // The license's expiry has its own banner, and the streams that are not recorded share one.
  const low = warnings.filter(({ code }) => code === 'stream-recorded-low');
  const apart: readonly HealthWarning['code'][] = [
    'license-expired',
    'stream-not-recording',
    'stream-recorded-low',
  ];
  const others = warnings
    .filter((warning) => !apart.includes(warning.code))
    .filter((warning) => isStrict(warning) || !(keyOf(warning) in dismissed))
    .toSorted((a, b) => (weight[a.code] ?? 0) - (weight[b.code] ?? 0));
  const putAway = (key: string) => setDismissed(dismiss(localStorage, key, Date.now()));
  const banners = [
    notRecorded.length > 0 && (
      <NotRecordedBanner key="not-recorded" streams={notRecorded.flatMap(({ subject }) => subject ?? [])} />
    ),
    low.length > 0 && !('stream-recorded-low' in dismissed) && (
      <RecordedLowBanner key="recorded-low" warnings={low} onClose={() => putAway('stream-recorded-low')} />
    ),
    ...others.map((warning) => (
      <WarningBanner
        key={keyOf(warning)}
        warning={warning}
        onClose={isStrict(warning) ? undefined : () => putAway(keyOf(warning))}
      />
    )),
  ].filter((banner) => banner !== false);
  // Replacing a single banner by a button would save no space.
  const isCut = banners.length > SHOWN + 1;
  return (
    <section aria-label={i18n.t('banner.warnings')}>
      {isCut && !isWhole ? banners.slice(0, SHOWN) : banners}
      {isCut && (
        <button
          type="button"
          className={classes.more}
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? i18n.t('warning.fewer') : i18n.t('warning.more', { count: banners.length - SHOWN })}
        </button>
      )}
    </section>
  );
}

interface WarningBannerProps {
  readonly warning: HealthWarning;
  readonly onClose: (() => void) | undefined;
}

function WarningBanner({ warning, onClose }: WarningBannerProps) {
  const i18n = useI18n();
  const user = useUser();
  return (
    <Banner kind="warning" onClose={onClose}>
      {warningText(warning, i18n)}{' '}
      {warning.code === 'server-overloaded' && user?.isAdmin && (
        <Link to="/administration/stats">{i18n.t('warning.farArchive.show')}</Link>
      )}
      {warning.code === 'cluster-node-drained' && user?.isAdmin && (
        <Link to="/administration/cluster">{i18n.t('warning.nodeDrained.show')}</Link>
      )}
      {warning.subject === 'disk-empty' && user?.isAdmin && <UseDisk />}
      {warning.code === 'far-archive' && (
        <Link to="/administration/stats">{i18n.t('warning.farArchive.show')}</Link>
      )}
      {warning.code === 'tunnel-down' && (
        <Link to="/administration/tunnel">{i18n.t('warning.notRecording.show')}</Link>
      )}
    </Banner>
  );
}

/** A camera failure can't be dismissed: the banner disappears when recording resumes. */
function NotRecordedBanner({ streams }: { streams: readonly string[] }) {
  const i18n = useI18n();
  return (
    <Banner kind="warning">
      {i18n.t('warning.notRecording', { count: streams.length })} <NamedStreams uids={streams} />
    </Banner>
  );
}

/** Daily gaps are reported once for all streams that have too many. */
function RecordedLowBanner({
  warnings,
  onClose,
}: {
  warnings: readonly HealthWarning[];
  onClose: () => void;
}) {
  const i18n = useI18n();
  return (
    <Banner kind="warning" onClose={onClose}>
      {recordedLowText(warnings, i18n)}{' '}
      <NamedStreams uids={warnings.flatMap(({ subject }) => subject ?? [])} />
    </Banner>
  );
}

function recordedLowText([first, ...others]: readonly HealthWarning[], i18n: I18n): string {
  if (others.length > 0) return i18n.t('warning.recordedLow.many', { count: others.length + 1 });
  return i18n.t('warning.recordedLow', { percent: i18n.number(first?.recordedPercent ?? 0) });
}

/**
 * A drained node is a state that an administrator must end, so it can't be dismissed [R4.11]. An overload explains what is
 * missing on the page for as long as it lasts.
 */
function isStrict({ code }: HealthWarning): boolean {
  return code === 'cluster-node-drained' || code === 'server-overloaded';
}

function keyOf({ code, subject }: HealthWarning): string {
  return subject === null ? code : `${code}:${subject}`;
}

/** By the problem with the archive folder. */
const archiveProblemText: Readonly<Record<string, MessageKey>> = {
  'marker-of-another-archive': 'warning.archiveDiskOther',
  'disk-empty': 'warning.archiveDiskEmpty',
  'marker-damaged': 'warning.archiveDiskDamaged',
  'marker-unreadable': 'warning.archiveDiskUnreadable',
  'used-by-another-server': 'warning.archiveDiskShared',
};

/** Names what fills the disk when it isn't the archive. */
function archiveSpaceText({ usedPercent, figures }: HealthWarning, i18n: I18n): string {
  const percent = i18n.number(usedPercent ?? 0);
  const { archiveBytes = 0, otherBytes = 0 } = figures ?? {};
  if (otherBytes <= archiveBytes) return i18n.t('warning.archiveSpace', { percent });
  const sizes = { archive: i18n.bytes(archiveBytes), others: i18n.bytes(otherBytes) };
  return i18n.t('warning.archiveSpaceOthers', { percent, ...sizes });
}

function certificateText({ subject, expiresAt }: HealthWarning, i18n: I18n): string {
  if (subject === 'unusable') return i18n.t('warning.certificate.unusable');
  const day = i18n.date(expiresAt ?? 0);
  return i18n.t(subject === 'expired' ? 'warning.certificate.expired' : 'warning.certificate.expires', {
    day,
  });
}

function warningText(warning: HealthWarning, i18n: I18n): string {
  switch (warning.code) {
    case 'license-expires':
    case 'license-expired':
      return i18n.t('warning.licenseWillExpire', { day: i18n.date(warning.expiresAt ?? 0) });
    case 'archive-disk-usage':
      return archiveSpaceText(warning, i18n);
    case 'data-disk-full':
      return i18n.t('warning.dataDiskFull');
    case 'server-overloaded':
      return i18n.t('warning.overloaded', { work: overloadText(warning.figures?.['level'] ?? 0, i18n) });
    case 'archive-clock':
      return i18n.t('warning.archiveClock', { duration: i18n.duration(warning.figures?.['aheadMs'] ?? 0) });
    case 'archive-undeletable': {
      const { files = 0, bytes = 0 } = warning.figures ?? {};
      const reason = warning.subject ?? '';
      if (files === 0) return i18n.t('warning.archiveReadOnly', { reason });
      return i18n.t('warning.archiveUndeletable', { size: i18n.bytes(bytes), reason });
    }
    case 'archive-deletes-early': {
      const { bytes = 0, othersBytes = 0 } = warning.figures ?? {};
      const size = i18n.bytes(bytes);
      if (othersBytes === 0) return i18n.t('warning.archiveEarly', { size });
      return i18n.t('warning.archiveEarlyOthers', { size, others: i18n.bytes(othersBytes) });
    }
    case 'archive-disk-missing':
      return i18n.t(archiveProblemText[warning.subject ?? ''] ?? 'warning.archiveDiskMissing');
    case 'archive-write-failed':
      return i18n.t('warning.archiveWriteFailed', { reason: warning.subject ?? '' });
    case 'recording-shed':
      return i18n.t('warning.recordingShed', { count: warning.figures?.['streams'] ?? 1 });
    case 'stream-not-recording':
      return i18n.t('warning.notRecording', { count: 1 });
    case 'stream-recorded-low':
      return recordedLowText([warning], i18n);
    case 'cluster-node-drained':
      return i18n.t('warning.nodeDrained');
    case 'cluster-node-clock': {
      const aheadMs = warning.figures?.['aheadMs'] ?? 0;
      const values = { node: warning.subject ?? '', duration: i18n.duration(Math.abs(aheadMs)) };
      return i18n.t(aheadMs < 0 ? 'warning.nodeClockBehind' : 'warning.nodeClockAhead', values);
    }
    case 'tunnel-down':
      return i18n.t('warning.tunnelDown');
    case 'tls-certificate':
      return certificateText(warning, i18n);
    case 'far-archive':
      if (warning.subject === 'FarArchiveDamaged') {
        return i18n.t('warning.farArchiveDamaged', { count: warning.figures?.['segments'] ?? 1 });
      }
      return i18n.t('warning.farArchive', { reason: codeText(warning.subject, i18n) });
    case 'trust-proxy':
      return i18n.t('warning.trustProxy');
  }
}
