import type { HealthWarning } from '@vidette/contract/health';
import type { ArchiveHealth } from '../archive/archive.ts';
import type { ObjectStorageStatus } from '../archive/object-storage/object-storage.ts';
import type { Clock } from '../base/clock.ts';
import { warning } from '../system/health-warning.ts';

/** How long a warning about early deletion is shown. */
const earlyNoticeMs = 24 * 3_600_000;

/** Warnings about the archive's disk, and about early or failed deletions there. */
export function archiveWarnings(archive: ArchiveHealth, clock: Clock): HealthWarning[] {
  const { clockAheadMs, undeletable, refusal, early } = archive.retention;
  const warnings: HealthWarning[] = [];
  const { problem } = archive;
  if (problem)
    warnings.push(warning('archive-disk-missing', { subject: archive.isDiskEmpty ? 'disk-empty' : problem }));
  if (archive.writeFailure !== undefined)
    warnings.push(warning('archive-write-failed', { subject: archive.writeFailure }));
  const { shed } = archive;
  if (shed)
    warnings.push(warning('recording-shed', { figures: { streams: shed.streams, frames: shed.samples } }));
  if (clockAheadMs !== undefined)
    warnings.push(warning('archive-clock', { figures: { aheadMs: Math.round(clockAheadMs) } }));
  const code = refusal ?? undeletable?.code;
  if (code !== undefined) {
    const { files = 0, bytes = 0 } = undeletable ?? {};
    warnings.push(warning('archive-undeletable', { subject: code, figures: { files, bytes } }));
  }
  if (early && clock.monotonicMs() - early.lastMs < earlyNoticeMs) {
    const { segments, bytes, youngestHours, othersBytes } = early;
    const figures = { segments, bytes, youngestHours, othersBytes };
    warnings.push(warning('archive-deletes-early', { figures }));
  }
  return warnings;
}

/** Warnings about the bucket, and the number of segments that it damaged. */
export function objectStorageWarnings(status: ObjectStorageStatus | undefined): HealthWarning[] {
  const { problem, damaged = 0 } = status ?? {};
  return [
    ...(problem ? [warning('far-archive', { subject: problem.code, since: problem.sinceMs })] : []),
    ...(damaged > 0
      ? [warning('far-archive', { subject: 'FarArchiveDamaged', figures: { segments: damaged } })]
      : []),
  ];
}
