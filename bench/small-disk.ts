import { execFileSync } from 'node:child_process';
import { mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const diskMebibytes = 256;
/**
 * Less than the archive keeps free, but enough for it not to delete old footage: missing footage was not
 * deleted by it.
 */
const leavingBytes = 16 * 1024 * 1024;

/** A disk in memory that files of other programs can fill. */
export class SmallDisk {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Undefined if this user may not mount one. */
  static async mount(): Promise<SmallDisk | undefined> {
    const folder = await mkdtemp(join(tmpdir(), 'vidette-disk-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMebibytes}m`, 'tmpfs', folder]);
      return new SmallDisk(folder);
    } catch (error) {
      console.log(`No small disk: ${String(error)}`);
      await rm(folder, { recursive: true });
      return undefined;
    }
  }

  /** Fills the disk, down to less than the archive keeps free. */
  async fill(): Promise<void> {
    const file = await open(this.#filler, 'w');
    const block = Buffer.alloc(1024 * 1024);
    for (;;) {
      const { bavail, bsize } = await statfs(this.folder);
      if (bavail * bsize < leavingBytes) break;
      await file.write(block);
    }
    await file.close();
  }

  /** Frees the space. */
  empty(): Promise<void> {
    return rm(this.#filler, { force: true });
  }

  async remove(): Promise<void> {
    execFileSync('umount', ['--lazy', this.folder]);
    await rm(this.folder, { recursive: true, force: true });
  }

  get #filler(): string {
    return join(this.folder, 'other-files');
  }
}
