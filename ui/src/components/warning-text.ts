import type { HealthWarning } from '@vidette/contract/health';
import { codeText } from './code-text.ts';
import { overloadText } from './overload-text.ts';
import type { I18n, MessageKey } from '../i18n/i18n.ts';

/** By the problem with the archive folder. */
const archiveProblemText: Readonly<Record<string, MessageKey>> = {
  'marker-of-another-archive': 'warning.archiveDiskOther',
  'disk-empty': 'warning.archiveDiskEmpty',
  'marker-damaged': 'warning.archiveDiskDamaged',
  'marker-unreadable': 'warning.archiveDiskUnreadable',
  'used-by-another-server': 'warning.archiveDiskShared',
};

/** By the problem with the MQTT broker. */
const brokerProblemText: Readonly<Record<string, MessageKey>> = {
  unreachable: 'warning.mqttDown.unreachable',
  timeout: 'warning.mqttDown.timeout',
  tls: 'warning.mqttDown.tls',
  'broker-credentials': 'warning.mqttDown.broker-credentials',
  'broker-refused': 'warning.mqttDown.broker-refused',
};

function brokerText({ subject }: HealthWarning, i18n: I18n): string {
  const reason = i18n.t(brokerProblemText[subject ?? ''] ?? 'warning.mqttDown.reset');
  return i18n.t('warning.mqttDown', { reason });
}

function objectStorageText({ subject, figures }: HealthWarning, i18n: I18n): string {
  if (subject === 'FarArchiveDamaged') {
    return i18n.t('warning.farArchiveDamaged', { count: figures?.['segments'] ?? 1 });
  }
  return i18n.t('warning.farArchive', { reason: codeText(subject, i18n) });
}

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

/** A warning in words; its subject, if it is a stream, is named next to it. */
export function warningText(warning: HealthWarning, i18n: I18n): string {
  switch (warning.code) {
    case 'license-expires':
    case 'license-expired':
      return i18n.t('warning.licenseWillExpire', { day: i18n.date(warning.expiresAt ?? 0) });
    case 'archive-disk-usage':
      return archiveSpaceText(warning, i18n);
    case 'recording-shed':
      return i18n.t('warning.recordingShed', { count: warning.figures?.['streams'] ?? 1 });
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
    case 'stream-not-recording':
      return i18n.t('warning.notRecording');
    case 'stream-recorded-low':
      return i18n.t('warning.recordedLow', { percent: i18n.number(warning.recordedPercent ?? 0) });
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
      return objectStorageText(warning, i18n);
    case 'target-failing':
      return i18n.t('warning.targetFailing', { name: warning.subject ?? '' });
    case 'mqtt-down':
      return brokerText(warning, i18n);
    case 'trust-proxy':
      return i18n.t('warning.trustProxy');
  }
}
