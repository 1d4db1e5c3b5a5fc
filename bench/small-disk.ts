import { execFileSync } from 'node:child_process';
import { mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const diskMebibytes = 256;
/** Less than the archive keeps free, and enough for it to leave old footage alone: what is missing is not what it removed. */
const leavingBytes = 16 * 1024 * 1024;

/** A disk in memory, which files of other programs may fill. */
export class SmallDisk {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Undefined where this user may not mount one. */
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

  /** Takes the rest, down to what the archive keeps free. */
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

  /** Gives it back. */
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
