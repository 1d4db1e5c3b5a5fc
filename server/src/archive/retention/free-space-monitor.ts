import { statfs } from 'node:fs/promises';
import type { Cancel, Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { RecordingFailure } from '../segments/segments.ts';

/** Bytes of the file system that contains a folder. */
export interface DiskUse {
  readonly totalBytes: number;
  /** Available to this process; less than the free space if some is reserved for the administrator. */
  readonly availableBytes: number;
}

export type MeasureDisk = (folder: string) => Promise<DiskUse>;

export const measureDisk: MeasureDisk = async (folder) => {
  const { bsize, blocks, bavail } = await statfs(folder);
  return { totalBytes: bsize * blocks, availableBytes: bsize * bavail };
};

/**
 * Measures the free space every few seconds. Writing stops while there is less than the reserve: the catalog's
 * log needs it, especially while retention frees space.
 */
export class FreeSpaceMonitor {
  readonly #folder: string;
  readonly #reserveBytes: number;
  readonly #measure: MeasureDisk;
  readonly #log: Log;
  readonly #cancel: Cancel;
  #use: DiskUse | undefined;
  #hasFailed = false;

  constructor(options: {
    folder: string;
    reserveBytes: number;
    clock: Clock;
    log: Log;
    measure: MeasureDisk;
    periodMs: number;
  }) {
    this.#folder = options.folder;
    this.#reserveBytes = options.reserveBytes;
    this.#measure = options.measure;
    this.#log = options.log;
    this.#cancel = options.clock.every(options.periodMs, () => void this.refresh());
  }

  /** The last measurement; undefined while the space cannot be measured. */
  get use(): DiskUse | undefined {
    return this.#use;
  }

  get isShort(): boolean {
    return this.#use !== undefined && this.#use.availableBytes < this.#reserveBytes;
  }

  /** Recording is about to stop. */
  get isScarce(): boolean {
    return this.#use !== undefined && this.#use.availableBytes < 2 * this.#reserveBytes;
  }

  /** @throws RecordingFailure disk-full */
  assertFreeSpace(): void {
    if (!this.isShort) return;
    throw new RecordingFailure('disk-full', 'less than the reserve is free on the disk');
  }

  async refresh(): Promise<void> {
    try {
      this.#use = await this.#measure(this.#folder);
      this.#hasFailed = false;
    } catch (error) {
      // An unknown value stops nothing: a write that finds no space reports it, and the marker check reports a
      // missing folder.
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (!this.#hasFailed && !isMissing)
        this.#log.warn({ err: error }, 'The free space on the archive disk cannot be measured');
      this.#hasFailed = true;
      this.#use = undefined;
    }
  }

  stop(): void {
    this.#cancel();
  }
}
