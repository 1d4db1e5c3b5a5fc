import type { Cancel, Clock } from '../../base/clock.ts';
import type { CatalogReads } from '../catalog/catalog.ts';
import { readMarker, RecordingFailure, systemCode } from '../segments/segments.ts';

const lookMs = 2_000;

export interface RecordingDiskOptions {
  /** The folder of segments. */
  readonly root: string;
  readonly reads: Pick<CatalogReads, 'identity'>;
  readonly clock: Clock;
}

/**
 * The disk of the archive, for a process that only records: whether it is the one of the catalog, checked while the
 * process runs, and whether the process that has the archive whole has put it in order since it was mounted.
 */
export class RecordingDisk {
  readonly #options: RecordingDiskOptions;
  readonly #cancel: Cancel;
  #isInOrder = true;
  #isLooking = false;
  #problem: RecordingFailure | undefined;

  constructor(options: RecordingDiskOptions) {
    this.#options = options;
    this.#cancel = options.clock.every(lookMs, () => void this.#look());
  }

  /** What the process that has the archive whole knows of the disk. Without it the disk counts as in order. */
  note(isInOrder: boolean): void {
    this.#isInOrder = isInOrder;
  }

  /** @throws RecordingFailure if nothing may be written; system errors */
  async assertReady(): Promise<void> {
    const { root, reads } = this.#options;
    const marker = await readMarker(root);
    const isRight = marker.state === 'present' && marker.archiveId === reads.identity().archiveId;
    this.#problem = isRight
      ? undefined
      : new RecordingFailure('wrong-disk', `${root}: its marker is ${marker.state}`);
    if (this.#problem) throw this.#problem;
    if (!this.#isInOrder) throw new RecordingFailure('wrong-disk', `${root}: it is not in order yet`);
  }

  /** The same by the last look, which costs nothing as long as there was no problem. */
  async assertStillReady(): Promise<void> {
    if (this.#problem || !this.#isInOrder) await this.assertReady();
  }

  stop(): void {
    this.#cancel();
  }

  /** A recorder with an open file does not notice that its folder is gone. */
  async #look(): Promise<void> {
    // A disk that hangs is looked at by one check at a time: each occupies a thread of the pool.
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.assertReady();
    } catch (error) {
      // The recorders report it when they write.
      if (!(error instanceof RecordingFailure) && systemCode(error) === undefined) throw error;
    } finally {
      this.#isLooking = false;
    }
  }
}
