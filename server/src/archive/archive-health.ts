import type { CatalogReads } from './catalog/catalog.ts';
import type { ObjectStorage, ObjectStorageStatus } from './object-storage/object-storage.ts';
import { recentlyShed, type RecorderView } from './record/record.ts';
import type { FreeSpaceMonitor, Retention, RetentionStatus } from './retention/retention.ts';
import type { ArchiveProblem, ArchiveVolume } from './verify/verify.ts';

interface ArchiveHealthParts {
  readonly reads: CatalogReads;
  readonly volume: ArchiveVolume;
  readonly freeSpace: FreeSpaceMonitor;
  readonly recorders: RecorderView;
  readonly retention: Retention;
  readonly objectStorage: ObjectStorage | undefined;
}

/**
 * The current condition of the archive, for warnings, statistics, metrics and other nodes. It reads the
 * packages and changes nothing.
 */
export class ArchiveHealth {
  readonly #parts: ArchiveHealthParts;

  constructor(parts: ArchiveHealthParts) {
    this.#parts = parts;
  }

  /** Why nothing is recorded or deleted at the moment; undefined while there is no problem. */
  get problem(): ArchiveProblem | undefined {
    return this.#parts.volume.problem;
  }

  /** The folder has lost its marker and is empty, as after a disk was replaced. */
  get isDiskEmpty(): boolean {
    return this.#parts.volume.isEmpty;
  }

  /** Result of the last check: whether the disk is the right one and writable. */
  get canRecord(): boolean {
    return this.problem === undefined && !this.#parts.freeSpace.isShort;
  }

  /** See `RecorderView.writeFailure`. */
  get writeFailure(): string | undefined {
    return this.#parts.recorders.writeFailure;
  }

  /** Footage that was dropped in the last ten minutes because too much waited to be written. */
  get shed(): { readonly streams: number; readonly samples: number } | undefined {
    return recentlyShed(this.#parts.recorders.running.values());
  }

  /** Bytes of all footage. */
  get totalBytes(): number {
    return this.#parts.reads.totals().bytes;
  }

  get retention(): RetentionStatus {
    return this.#parts.retention.status;
  }

  /** Undefined if no bucket is configured. */
  get objectStorage(): ObjectStorageStatus | undefined {
    return this.#parts.objectStorage?.status;
  }
}
