import type { Cancel, Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { CatalogReads, CatalogSink } from '../catalog/catalog.ts';
import { RecordingFailure, systemCode } from '../segments/segments.ts';
import type { Recovered } from './recover-archive.ts';
import type { RecoveryReport } from './recovery.ts';
import { type ArchiveProblem, holdsFootage, type VolumeMarkerCheck } from './volume-marker-check.ts';

const markerRetryMs = 10_000;
const diskLookMs = 2_000;

interface ArchiveVolumeOptions {
  readonly root: string;
  readonly marker: VolumeMarkerCheck;
  readonly reads: CatalogReads;
  readonly catalog: CatalogSink;
  readonly clock: Clock;
  readonly log: Log;
  /** Makes catalog and files consistent; called when the right disk is mounted for the first time. */
  recover(): Promise<Recovered>;
  /** Called after each look at the disk: whether it may be written to. */
  onLook?(isReady: boolean): void;
  /** Called when an empty disk replaces the one with the footage. */
  onReplaced(): void;
}

/**
 * The volume that contains the archive's folder: whether it is the right one, checked while the server runs,
 * and whether its files and the catalog have been made consistent since it was mounted. With the wrong disk
 * nothing is written or deleted.
 */
export class ArchiveVolume {
  readonly #options: ArchiveVolumeOptions;
  #onReady: () => void = () => {};
  #recovering: Promise<void> | undefined;
  #recovered: Recovered | undefined;
  #markerTimer: Cancel | undefined;
  #diskTimer: Cancel | undefined;
  #isLookingAtDisk = false;
  #isStopped = false;

  constructor(options: ArchiveVolumeOptions) {
    this.#options = options;
  }

  /** Why nothing is recorded or deleted at the moment; undefined while there is no problem. */
  get problem(): ArchiveProblem | undefined {
    return this.#options.marker.problem;
  }

  /** The folder has lost its marker and is empty, as after a disk was replaced. */
  get isEmpty(): boolean {
    return this.#options.marker.isEmpty;
  }

  /** What recovery did; undefined until the right disk is present. */
  get recovery(): RecoveryReport | undefined {
    return this.#recovered?.report;
  }

  /** Whether a lost catalog is still being rebuilt. */
  get isRebuilding(): boolean {
    return this.#recovered?.rebuild?.isRunning === true;
  }

  /** Whether anything was ever recorded here, as far as catalog and folder show. */
  async wasUsed(): Promise<boolean> {
    const { reads, root } = this.#options;
    return reads.streams().length > 0 || this.problem !== undefined || (await holdsFootage(root));
  }

  /**
   * Recovers the archive if the right disk is mounted, otherwise as soon as it is, and monitors the disk from
   * now on. `onReady` is called once, after the recovery. A failing disk stops recording, not the server.
   * @throws errors not caused by the disk: Fault and SQLite errors of the catalog
   */
  async start(onReady: () => void): Promise<void> {
    const { clock, marker, log, root } = this.#options;
    this.#onReady = onReady;
    this.#diskTimer = clock.every(diskLookMs, () => void this.#lookAtDisk());
    try {
      await marker.assertRightDisk();
    } catch (error) {
      if (!(error instanceof RecordingFailure)) {
        if (systemCode(error) === undefined) throw error;
        log.error({ err: error, dir: root }, 'The archive folder cannot be used');
      }
      this.#tell();
      this.#watchMarker();
      return;
    }
    await this.#recover();
  }

  /**
   * Records on the empty disk in the folder from now on; the footage of the old one becomes a gap with that
   * cause.
   * @throws Fault ActionNotAcceptable if there is no empty disk; system errors
   */
  async useEmptyDisk(): Promise<void> {
    const { marker, catalog } = this.#options;
    await marker.useEmptyDisk((archiveId) => catalog.commit([{ type: 'disk-replaced', archiveId }]));
    this.#options.onReplaced();
    await marker.assertRightDisk();
    this.#markerTimer?.();
    this.#markerTimer = undefined;
    await this.#recover();
  }

  /**
   * Checks that the disk is the right one and has been recovered since it was mounted. @throws
   * RecordingFailure, system errors
   */
  async assertReady(): Promise<void> {
    const { marker, root } = this.#options;
    await marker.assertRightDisk();
    if (!this.#recovered) throw new RecordingFailure('wrong-disk', `${root}: recovery is in progress`);
  }

  /** Also checks that the disk is writable. @throws as `assertReady`; EROFS if the disk is read-only */
  async assertDeletable(): Promise<void> {
    await this.assertReady();
    await this.#options.marker.assertDeletable();
  }

  /** Stops the monitoring, a recovery and a rebuild; `onReady` is not called afterwards. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#markerTimer?.();
    this.#diskTimer?.();
    await Promise.allSettled([this.#recovering]);
    await this.#recovered?.rebuild?.stop();
  }

  /** Runs once, although a retry and an administrator may request it at the same time. */
  async #recover(): Promise<void> {
    if (this.#recovered || this.#isStopped) return;
    this.#recovering ??= this.#options
      .recover()
      .then((recovered) => {
        this.#recovered = recovered;
        this.#tell();
        if (!this.#isStopped) this.#onReady();
      })
      .finally(() => {
        this.#recovering = undefined;
      });
    await this.#recovering;
  }

  #tell(): void {
    this.#options.onLook?.(this.problem === undefined && this.#recovered !== undefined);
  }

  #watchMarker(): void {
    const { clock, marker, log } = this.#options;
    this.#markerTimer ??= clock.every(markerRetryMs, () => {
      marker
        .assertRightDisk()
        .then(() => {
          this.#markerTimer?.();
          this.#markerTimer = undefined;
          return this.#recover();
        })
        .catch((error: unknown) => {
          if (!(error instanceof RecordingFailure)) log.error({ err: error }, 'The archive cannot be opened');
        });
    });
  }

  /** A recorder with an open file does not notice that its folder is gone; the marker check does. */
  async #lookAtDisk(): Promise<void> {
    // A hanging disk is checked once, not every two seconds: each check occupies a thread of the pool.
    if (this.#isLookingAtDisk) return;
    this.#isLookingAtDisk = true;
    try {
      await this.#options.marker.assertRightDisk();
    } catch (error) {
      // The marker check has reported it; errors of a failing disk are reported where the disk is used.
      if (!(error instanceof RecordingFailure) && systemCode(error) === undefined) throw error;
    } finally {
      this.#isLookingAtDisk = false;
      this.#tell();
    }
  }
}
