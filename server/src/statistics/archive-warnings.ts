import type { HealthWarning } from '@vidette/contract/health';
import type { ArchiveHealth } from '../archive/archive.ts';
import type { ObjectStorageStatus } from '../archive/object-storage/object-storage.ts';
import type { Clock } from '../base/clock.ts';

/** How long a warning about early deletion is shown. */
const earlyNoticeMs = 24 * 3_600_000;

/** What an operator should know of the archive's disk and of early or failed deletions there. */
export function archiveWarnings(archive: ArchiveHealth, clock: Clock): HealthWarning[] {
  const { clockAheadMs, undeletable, refusal, early } = archive.retention;
  const warnings: HealthWarning[] = [];
  const { problem } = archive;
  if (problem) warnings.push(warning('archive-disk-missing', archive.isDiskEmpty ? 'disk-empty' : problem));
  if (archive.writeFailure !== undefined)
    warnings.push(warning('archive-write-failed', archive.writeFailure));
  if (clockAheadMs !== undefined)
    warnings.push(warning('archive-clock', null, { aheadMs: Math.round(clockAheadMs) }));
  const code = refusal ?? undeletable?.code;
  if (code !== undefined) {
    const { files = 0, bytes = 0 } = undeletable ?? {};
    warnings.push(warning('archive-undeletable', code, { files, bytes }));
  }
  if (early && clock.monotonicMs() - early.lastMs < earlyNoticeMs) {
    const { segments, bytes, youngestHours, othersBytes } = early;
    warnings.push(warning('archive-deletes-early', null, { segments, bytes, youngestHours, othersBytes }));
  }
  return warnings;
}

/** What is wrong with the bucket, and how many segments it damaged. */
export function objectStorageWarnings(status: ObjectStorageStatus | undefined): HealthWarning[] {
  const { problem, damaged = 0 } = status ?? {};
  return [
    ...(problem ? [warning('far-archive', problem.code)] : []),
    ...(damaged > 0 ? [warning('far-archive', 'FarArchiveDamaged', { segments: damaged })] : []),
  ];
}

function warning(
  code: HealthWarning['code'],
  subject: string | null,
  figures?: Record<string, number>,
): HealthWarning {
  const others = { expiresAt: null, usedPercent: null, recordedPercent: null };
  return { code, ...others, subject, ...(figures && { figures }) };
}
