import type { Log } from '../base/log.ts';
import type { CatalogReads } from './catalog-reads.ts';
import type { ObjectKeys } from './object-keys.ts';
import type { ObjectStore } from './object-store.ts';
import { ObjectStorageTier, type ObjectStorageProblem } from './object-storage-tier.ts';
import { Uploader, type UploadBacklog, type UploaderTools } from './uploader.ts';

/** The bucket for footage that is old enough (design/s3-tier.md). */
export interface ObjectStorageOptions {
  readonly store: ObjectStore;
  readonly keys: ObjectKeys;
  /** Segments that are sent at a time. */
  readonly atOnce: number;
}

/** How the bucket is doing. */
export interface ObjectStorageStatus {
  /** Which, for people. */
  readonly name: string;
  readonly problem: ObjectStorageProblem | undefined;
  readonly bytes: number;
  readonly segments: number;
  /** Old enough, and still on the disk. */
  readonly waiting: UploadBacklog;
  /** When a segment last arrived there, ms since the epoch. */
  readonly lastMovedMs: number | undefined;
}

/** Far footage is of no use to an archive without its bucket. */
export function warnWithoutObjectStorage(reads: CatalogReads, log: Log): void {
  if (reads.remoteTotals().segments === 0) return;
  const words = 'Footage lies in a bucket that is not configured: it cannot be played until it is';
  log.error({ code: 'FarArchiveUnavailable' }, words);
}

/** What of an archive lies in its bucket, and what moves it there. */
export class ObjectStorage {
  readonly tier: ObjectStorageTier;
  readonly uploader: Uploader;
  readonly #tools: Omit<UploaderTools, 'tier' | 'atOnce'>;

  constructor(options: ObjectStorageOptions, tools: Omit<UploaderTools, 'tier' | 'atOnce'>) {
    this.#tools = tools;
    this.tier = new ObjectStorageTier({ ...options, clock: tools.clock, log: tools.log });
    this.uploader = new Uploader({ ...tools, tier: this.tier, atOnce: options.atOnce });
  }

  get status(): ObjectStorageStatus {
    const { name, problem } = this.tier;
    const { backlog: waiting, lastMovedMs } = this.uploader;
    return { name, problem, ...this.#tools.reads.remoteTotals(), waiting, lastMovedMs };
  }
}
