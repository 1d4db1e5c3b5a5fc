import { statfs } from 'node:fs/promises';
import type { HealthWarning } from '@vidette/contract/health';
import type { Clock } from '../base/clock.ts';
import type { LoadLevel } from '../base/load-level.ts';
import type { Config } from '../config/schema.ts';
import { warning } from './health-warning.ts';
import type { LicenseService } from './license.ts';

/** License expiry is announced this long in advance. */
const licenseNoticeMs = 14 * 86_400_000;
/** How long a reading of a disk's usage is cached: all polls of all pages can share it. */
const diskLookMs = 10_000;

export interface ReportedDiskUse {
  readonly totalBytes: number;
  readonly freeBytes: number;
  readonly usedPercent: number;
}

/** Usage of the archive's disk, in bytes. */
export interface ReportedDiskShares {
  readonly archiveBytes: number;
  readonly otherBytes: number;
}

/**
 * This many percentage points before old footage must be deleted, a warning reports that other files fill the
 * disk.
 */
const beforeQuotaPercent = 2;

export interface HealthMonitorOptions {
  readonly clock: Clock;
  readonly license: LicenseService;
  /** Folder whose disk holds the recordings. */
  readonly archiveDir: string;
  /** The id of this node. */
  readonly node: {
    readonly id: string;
    readonly isDrained: boolean;
    /** Nodes whose clocks differ from the database's. */
    readonly wrongClocks: readonly { readonly id: string; readonly aheadMs: number }[];
  };
  /** Whether the databases use their disk reserve. */
  readonly isDataDiskFull?: () => boolean;
  readonly load: Pick<LoadLevel, 'level'>;
  /** Read at every use: changes take effect immediately. */
  readonly config: Pick<Config, 'archive'>;
}

/** Reports conditions that need an operator's attention. */
export class HealthMonitor {
  readonly #options: HealthMonitorOptions;
  #disk: { use: Promise<ReportedDiskUse | undefined>; lookedMs: number } | undefined;

  constructor(options: HealthMonitorOptions) {
    this.#options = options;
  }

  /**
   * `notRecording`: streams that should record and don't, and since when; `recordedLow`: streams with too little
   * recorded in the last 24 hours. Both contain only streams that the caller may see. `shares`: the usage of
   * the disk, when known.
   */
  async warnings(
    notRecording: readonly { readonly uid: string; readonly sinceMs: number | undefined }[],
    recordedLow: readonly { readonly uid: string; readonly share: number }[],
    shares?: ReportedDiskShares,
  ): Promise<HealthWarning[]> {
    return [
      ...this.#licenseWarnings(),
      ...this.#loadWarnings(),
      ...(await this.#diskWarnings(shares)),
      ...this.#nodeWarnings(),
      ...notRecording.map(({ uid: subject, sinceMs }) =>
        warning('stream-not-recording', { subject, ...(sinceMs !== undefined && { since: sinceMs }) }),
      ),
      ...recordedLow.map(({ uid: subject, share }) =>
        warning('stream-recorded-low', { subject, recordedPercent: Math.floor(share * 1000) / 10 }),
      ),
    ];
  }

  async #diskWarnings(shares: ReportedDiskShares | undefined): Promise<HealthWarning[]> {
    const disk = await this.disk();
    if (disk && disk.usedPercent >= this.#warnPercent(shares)) {
      const figures = shares && { archiveBytes: shares.archiveBytes, otherBytes: shares.otherBytes };
      const usedPercent = Math.floor(disk.usedPercent);
      return [warning('archive-disk-usage', { usedPercent, ...(figures && { figures }) })];
    }
    // If this is also the archive's disk, it has been reported already.
    return this.#options.isDataDiskFull?.() === true ? [warning('data-disk-full')] : [];
  }

  #loadWarnings(): HealthWarning[] {
    const { level } = this.#options.load;
    return level > 0 ? [warning('server-overloaded', { figures: { level } })] : [];
  }

  #nodeWarnings(): HealthWarning[] {
    const { id, isDrained, wrongClocks } = this.#options.node;
    return [
      ...(isDrained ? [warning('cluster-node-drained', { subject: id })] : []),
      ...wrongClocks.map(({ id: subject, aheadMs }) =>
        warning('cluster-node-clock', { subject, figures: { aheadMs } }),
      ),
    ];
  }

  /**
   * It is normal for the archive itself to fill its disk; when other files displace footage, the operator is
   * warned in advance.
   */
  #warnPercent(shares: ReportedDiskShares | undefined): number {
    const { warnPercent, quotaPercent } = this.#options.config.archive;
    const isByOthers = shares !== undefined && shares.otherBytes > shares.archiveBytes;
    return isByOthers ? Math.min(warnPercent, quotaPercent - beforeQuotaPercent) : warnPercent;
  }

  /** Undefined while the folder does not exist yet. */
  disk(): Promise<ReportedDiskUse | undefined> {
    const nowMs = this.#options.clock.monotonicMs();
    if (!this.#disk || nowMs - this.#disk.lookedMs >= diskLookMs) {
      this.#disk = { use: diskUse(this.#options.archiveDir), lookedMs: nowMs };
    }
    return this.#disk.use;
  }

  #licenseWarnings(): HealthWarning[] {
    const { license, clock } = this.#options;
    const { expiresAt } = license.view;
    if (license.isExpired) return [warning('license-expired', { expiresAt })];
    if (expiresAt === null || expiresAt - clock.wallMs() > licenseNoticeMs) return [];
    return [warning('license-expires', { expiresAt })];
  }
}

async function diskUse(folder: string): Promise<ReportedDiskUse | undefined> {
  try {
    const { bsize, blocks, bfree, bavail } = await statfs(folder);
    // As in `df`: space reserved for the superuser is neither used nor free.
    const usable = blocks - bfree + bavail;
    return {
      totalBytes: blocks * bsize,
      freeBytes: bavail * bsize,
      usedPercent: usable === 0 ? 100 : ((blocks - bfree) / usable) * 100,
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
