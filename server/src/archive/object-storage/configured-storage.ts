import type { Log } from '../../base/log.ts';
import type { CatalogReads } from '../catalog/catalog.ts';
import type { ObjectKeys } from './object-keys.ts';
import type { ObjectStore } from './object-store.ts';
import { ObjectStorageTier, type ObjectStorageProblem } from './object-storage-tier.ts';
import { Uploader, type UploadBacklog, type UploaderTools } from './uploader.ts';

/** The bucket for old footage (design/s3-tier.md). */
export interface ObjectStorageOptions {
  readonly store: ObjectStore;
  readonly keys: ObjectKeys;
  /** Concurrent segment uploads. */
  readonly atOnce: number;
}

/** The state of the bucket. */
export interface ObjectStorageStatus {
  /** Its name for users. */
  readonly name: string;
  readonly problem: ObjectStorageProblem | undefined;
  /** Segments whose uploaded object differs from the file, and segments that the store returned corrupted. */
  readonly damaged: number;
  readonly bytes: number;
  readonly segments: number;
  /** Segments due for upload that are still on the disk. */
  readonly waiting: UploadBacklog;
  /** Time of the last completed upload, ms since the epoch. */
  readonly lastMovedMs: number | undefined;
}

/** Footage in object storage can't be read without its bucket. */
export function warnWithoutObjectStorage(reads: CatalogReads, log: Log): void {
  if (reads.totals().remoteSegments === 0) return;
  const words =
    'Some footage is in a bucket that is not configured; it cannot be played until the bucket is configured again';
  log.error({ code: 'FarArchiveUnavailable' }, words);
}

/** An archive's object storage tier and its uploader. */
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
    const damaged = this.uploader.setAsideCount + this.tier.damagedCount;
    const { remoteBytes: bytes, remoteSegments: segments } = this.#tools.reads.totals();
    return { name, problem, damaged, bytes, segments, waiting, lastMovedMs };
  }
}
