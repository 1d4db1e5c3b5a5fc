import { Fault } from '../base/fault.ts';
import { archiveDefaults } from '@vidette/contract/constants';
import type { RecorderLimits } from './recorder.ts';

export interface ArchiveLimits extends RecorderLimits {
  /** Longest spans of a request; longer ones get TimeRangeIsTooLong. */
  readonly rangesMaxMs: number;
  readonly playlistMaxMs: number;
  readonly downloadMaxMs: number;
  /** Catalog commits of all streams are grouped over this interval. */
  readonly groupMs: number;
  /** Bytes of the disk that recording reserves for the catalog. */
  readonly reserveBytes: number;
}

/** The reasons are in design/archive.md. */
export const defaultArchiveLimits: ArchiveLimits = {
  fragmentMs: 1_000,
  fragmentMaxBytes: 16 * 1024 * 1024,
  segmentMs: 60_000,
  segmentMaxBytes: 1024 * 1024 * 1024,
  queueMaxBytes: 16 * 1024 * 1024,
  retryMs: 5_000,
  rangesMaxMs: archiveDefaults.rangesMaxSeconds * 1000,
  playlistMaxMs: archiveDefaults.playlistMaxSeconds * 1000,
  downloadMaxMs: archiveDefaults.downloadMaxSeconds * 1000,
  groupMs: 100,
  reserveBytes: 64 * 1024 * 1024,
};

/** @throws Fault TimeRangeIsTooLong, BadRequest */
export function assertSpan(startMs: number, endMs: number, maxMs: number): void {
  if (!(startMs <= endMs)) throw new Fault('BadRequest', 'The start is after the end.');
  if (endMs - startMs > maxMs) {
    throw new Fault(
      'TimeRangeIsTooLong',
      `At most ${Math.round(maxMs / 1000)} seconds may be asked for at once.`,
    );
  }
}
