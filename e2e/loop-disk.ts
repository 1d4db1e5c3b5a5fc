import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { until } from './api.ts';

const mebibyte = 1024 * 1024;

/** Runs a program to its end. */
export async function runProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; output: string }> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += String(bytes)));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

async function must(program: string, ...args: string[]): Promise<string> {
  const { code, output } = await runProgram(program, args);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')}: ${output}`);
  return output;
}

/** Sets `lo_sizelimit` of a loop device that is in use (LOOP_GET_STATUS64, LOOP_SET_STATUS64). */
const limitLoop = `
import fcntl, struct, sys
with open(sys.argv[1], 'rb') as loop:
    info = bytearray(232)
    fcntl.ioctl(loop, 0x4C05, info)
    struct.pack_into('<Q', info, 32, int(sys.argv[2]))
    fcntl.ioctl(loop, 0x4C04, bytes(info))
`;

/** A real file system (ext4) on a loop device: it can be filled, made read-only, removed and restored. */
export class LoopDisk {
  readonly folder: string;
  readonly #image: string;

  private constructor(folder: string, image: string) {
    this.folder = folder;
    this.#image = image;
  }

  /** Undefined, and the test skipped, if this user may not mount one. */
  static async make(
    t: TestContext,
    mebibytes: number,
    /** For `mkfs.ext4`. */
    options: readonly string[] = [],
  ): Promise<LoopDisk | undefined> {
    const base = await mkdtemp(join(tmpdir(), 'vidette-loop-'));
    const disk = new LoopDisk(join(base, 'disk'), join(base, 'image'));
    await mkdir(disk.folder);
    t.after(async () => {
      await runProgram('umount', ['--lazy', disk.folder]);
      await rm(base, { recursive: true, force: true });
    });
    const image = await open(disk.#image, 'w');
    await image.truncate(mebibytes * mebibyte);
    await image.close();
    try {
      await must('mkfs.ext4', '-q', '-F', ...options, disk.#image);
      await disk.mount();
    } catch (error) {
      t.skip(`needs the right to mount: ${String(error)}`);
      return undefined;
    }
    return disk;
  }

  async mount(): Promise<void> {
    await must('mount', '-o', 'loop', this.#image, this.folder);
  }

  /** Removes it while it is in use, like a pulled cable. */
  async unmount(): Promise<void> {
    await must('umount', '--lazy', this.folder);
  }

  async remount(how: 'ro' | 'rw'): Promise<void> {
    await must('mount', '-o', `remount,${how}`, this.folder);
  }

  /** The position of a file's first byte on the disk. */
  async placeOf(path: string): Promise<number> {
    const [, sector] =
      /^ *0: +0\.\. +\d+: +(\d+)\.\./m.exec(await must('filefrag', '-b512', '-v', path)) ?? [];
    if (sector === undefined) throw new Error(`${path} has no position on the disk`);
    return Number(sector) * 512;
  }

  /**
   * From a byte on the disk answers EIO to every read and write, as one with bad sectors; undefined: all of it
   * works again. Data that the system has already read stays cached.
   */
  async failFrom(byte: number | undefined): Promise<void> {
    const device = (await must('findmnt', '-n', '-o', 'SOURCE', this.folder)).trim();
    await must('python3', '-c', limitLoop, device, String(byte ?? 0));
  }

  /**
   * Drops a file from the page cache: until none of its pages is left, because the kernel keeps those that another process is
   * reading or writing at that moment.
   */
  async forgetRead(path: string): Promise<void> {
    await until(
      async () => {
        await must('dd', `if=${path}`, 'iflag=nocache', 'count=0');
        return must('fincore', '--noheadings', '--raw', '--output', 'PAGES', path);
      },
      (pages) => pages.trim() === '0',
    );
  }

  /**
   * Makes the kernel treat the disk as failed after an error: from then on even open files can only be read,
   * until it is mounted again.
   */
  async abort(): Promise<void> {
    await must('mount', '-o', 'remount,abort', this.folder);
  }

  /** Blocks everything that writes, as a disk that has stopped responding; the returned function lets it go on. */
  async freeze(): Promise<() => Promise<void>> {
    await must('fsfreeze', '--freeze', this.folder);
    return async () => {
      await must('fsfreeze', '--unfreeze', this.folder);
    };
  }

  /** Whether the kernel still has the disk, as while a file of it is open after `unmount`. */
  async isInUse(): Promise<boolean> {
    return (await must('losetup', '--associated', this.#image)) !== '';
  }

  /**
   * Mounts a read-only view over the disk: open files continue, no other can be created or deleted. The
   * returned function removes it, once no process has a folder of the view open.
   */
  async cover(): Promise<() => Promise<void>> {
    await must('mount', '--bind', this.folder, this.folder);
    await must('mount', '-o', 'remount,bind,ro', this.folder);
    return async () => {
      await until(
        () => runProgram('umount', [this.folder]),
        ({ code }) => code === 0,
      );
    };
  }

  /** Whether files may be deleted. */
  async setImmutable(path: string, isImmutable: boolean): Promise<void> {
    await must('chattr', isImmutable ? '+i' : '-i', path);
  }

  /**
   * Fills the disk except for this many bytes, including the space reserved for root; the returned function
   * frees it.
   */
  async fill(leavingBytes = 0): Promise<() => Promise<void>> {
    const path = join(this.folder, 'other-files');
    const file = await open(path, 'a');
    for (let size = mebibyte; size >= 512; size /= 2) {
      const block = Buffer.alloc(size, 1);
      try {
        for (;;) {
          const { bfree, bsize } = await statfs(this.folder);
          if (bfree * bsize - leavingBytes < size && leavingBytes > 0) break;
          const { bytesWritten } = await file.write(block);
          await file.sync();
          if (bytesWritten < size) break;
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
    await file.close();
    return () => rm(path);
  }

  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.folder);
    return bavail * bsize;
  }
}
