/** The disk of a folder: whether the server may write there, its space, its speed, and whether a flush is one. */
import { open, readFile, rm, stat, statfs, type FileHandle } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { bad, good, warning, type Finding } from './finding.ts';

/** What was measured of a disk. */
export interface DiskFacts {
  readonly folder: string;
  readonly freeBytes: number;
  readonly totalBytes: number;
  /** Written in large blocks and flushed, bytes per second. */
  readonly bytesPerSecond: number;
  /** Median duration of a flush of 4 KiB, ms. */
  readonly flushMs: number;
  /** As in /proc/self/mountinfo; undefined if that can't be read. */
  readonly mount: Mount | undefined;
}

interface Mount {
  readonly type: string;
  readonly options: readonly string[];
}

const mebibyte = 1024 * 1024;
/** At least. */
const written = 32 * mebibyte;
/** A slow disk is known to be slow after this time. */
const measureMs = 5_000;
/** A disk, or the server of a network share, that takes longer does not answer. */
const answerMs = 60_000;
const flushes = 15;
/** A few cameras fit into it, with room for reading. */
const slowBytesPerSecond = 20e6;
/** Faster than any disk or controller stores anything; a cache in memory is. */
const untrueFlushMs = 0.02;
/** Each GOP of each stream is flushed. */
const slowFlushMs = 200;
const inMemory = new Set(['tmpfs', 'ramfs']);
/** Options with which a file system reports a flush that did not reach the disk. */
const untrueOptions = new Set(['nobarrier', 'barrier=0', 'barrier=none', 'async']);

/** Checks the disk of a folder, in which a file is written and removed again. */
export async function checkDisk(check: string, folder: string, clock: Clock): Promise<readonly Finding[]> {
  let cancel = () => {};
  const silence = new Promise<readonly Finding[]>((resolve) => {
    cancel = clock.after(answerMs, () => resolve([silent(check, folder)]));
  });
  try {
    return await Promise.race([lookAt(check, folder, clock), silence]);
  } catch (error) {
    return [failureOf(check, folder, error as NodeJS.ErrnoException)];
  } finally {
    cancel();
  }
}

async function lookAt(check: string, folder: string, clock: Clock): Promise<readonly Finding[]> {
  if (!(await stat(folder)).isDirectory())
    return [bad(check, `${folder} is not a folder.`, 'Remove it, or configure another one.')];
  return judgeDisk(check, await measure(folder, clock));
}

function silent(check: string, folder: string): Finding {
  return bad(
    check,
    `The disk of ${folder} has not answered for ${answerMs / 1000} seconds.`,
    'Check its cables and the kernel’s log (dmesg); of a network share, its server and the network.',
  );
}

/** Why the disk can't be used. @throws what is not an error of the system */
function failureOf(check: string, folder: string, error: NodeJS.ErrnoException): Finding {
  const { code, message } = error;
  if (code === undefined) throw error;
  switch (code) {
    case 'ENOENT':
      return bad(
        check,
        `${folder} does not exist.`,
        'Start the server once, mount the disk, or create the folder.',
      );
    case 'EROFS':
      return bad(
        check,
        `${folder} is on a file system that is mounted read-only.`,
        'Look for errors of the disk in the kernel’s log (dmesg), check the file system, and mount it read-write.',
      );
    case 'ENOSPC':
    case 'EDQUOT':
      return bad(
        `${check}: space`,
        code === 'ENOSPC'
          ? `The disk of ${folder} is full.`
          : `The disk quota of this user for ${folder} is used up.`,
        'Delete what does not belong there, or lower archive.quotaPercent; the server then deletes the oldest recordings.',
      );
    case 'EACCES':
    case 'EPERM':
      return bad(
        check,
        `This user may not write to ${folder}.`,
        'Give the folder to the user of the server, and run this command as that user.',
      );
    default:
      return bad(
        check,
        `${folder} can't be written to: ${message}.`,
        'Check the disk: the kernel’s log (dmesg) may name its error.',
      );
  }
}

/** What the figures mean. */
export function judgeDisk(check: string, facts: DiskFacts): readonly Finding[] {
  const { folder, freeBytes, totalBytes, bytesPerSecond, flushMs, mount } = facts;
  const share = Math.round((100 * freeBytes) / Math.max(1, totalBytes));
  const free = `${folder} has ${gigabytes(freeBytes)} GB free (${share} %).`;
  const speed = `It writes ${Math.round(bytesPerSecond / 1e6)} MB/s, enough for ${Math.floor(bytesPerSecond / 2 / 500_000)} cameras of 4 Mbit/s at half of that, and flushes in ${flushMs.toFixed(2)} ms.`;
  return [
    freeBytes < 1e9
      ? bad(
          `${check}: space`,
          free,
          'Free some space: the server needs it for its database and to finish recordings.',
        )
      : good(`${check}: space`, free),
    bytesPerSecond < slowBytesPerSecond || flushMs > slowFlushMs
      ? warning(
          `${check}: speed`,
          speed,
          'Use a faster disk, or stop what else uses it; a network share is often the cause.',
        )
      : good(`${check}: speed`, speed),
    flushFinding(`${check}: flush`, facts, mount),
  ];
}

function flushFinding(check: string, { folder, flushMs }: DiskFacts, mount: Mount | undefined): Finding {
  if (mount && inMemory.has(mount.type))
    return bad(
      check,
      `${folder} is in memory (${mount.type}): everything is lost at a restart of the machine.`,
      'Use a folder on a disk.',
    );
  const untrue = mount?.options.find((option) => untrueOptions.has(option));
  if (untrue !== undefined)
    return warning(
      check,
      `${folder} is mounted with ${untrue}: after a power cut recordings may be damaged that the disk reported as stored.`,
      'Mount it without that option.',
    );
  if (flushMs < untrueFlushMs)
    return warning(
      check,
      `A flush takes ${flushMs.toFixed(3)} ms, which is faster than a disk: a cache confirms it, and a power cut loses what is in there.`,
      'Use a cache with a battery, or disable the cache of the disk or of the virtual machine.',
    );
  return good(
    check,
    `What is flushed to ${folder}${mount ? ` (${mount.type})` : ''} takes as long as on a real disk.`,
  );
}

async function measure(folder: string, clock: Clock): Promise<DiskFacts> {
  const { bavail, bsize, blocks } = await statfs(folder);
  const mount = mountOf(resolve(folder), await mountInfo());
  const path = join(folder, `.vidette-doctor-${process.pid}`);
  const file = await open(path, 'wx', 0o600);
  try {
    const speed = bavail * bsize > 4 * written ? await writeSpeed(file, clock) : Number.POSITIVE_INFINITY;
    const flushMs = await medianFlushMs(file, clock);
    return {
      folder,
      freeBytes: bavail * bsize,
      totalBytes: blocks * bsize,
      bytesPerSecond: speed,
      flushMs,
      mount,
    };
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

/** Ever larger blocks, of which the last one counts: a slow disk is left alone after a few seconds. */
async function writeSpeed(file: FileHandle, clock: Clock): Promise<number> {
  // Not zeros, which a file system may not store at all.
  const block = Buffer.alloc(mebibyte, 'vidette doctor');
  const beginMs = clock.monotonicMs();
  let bytesPerSecond = 0;
  let at = 0;
  for (let bytes = mebibyte; at < written && clock.monotonicMs() - beginMs < measureMs; bytes *= 2) {
    const startMs = clock.monotonicMs();
    for (const end = at + bytes; at < end; at += mebibyte) await file.write(block, 0, mebibyte, at);
    await file.sync();
    bytesPerSecond = bytes / (Math.max(1, clock.monotonicMs() - startMs) / 1000);
  }
  return bytesPerSecond;
}

async function medianFlushMs(file: FileHandle, clock: Clock): Promise<number> {
  const block = Buffer.alloc(4096, 'flush');
  const times: number[] = [];
  const beginMs = clock.monotonicMs();
  while (times.length < flushes && clock.monotonicMs() - beginMs < measureMs) {
    await file.write(block, 0, block.length, times.length * block.length);
    const startMs = clock.monotonicMs();
    await file.datasync();
    times.push(clock.monotonicMs() - startMs);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

async function mountInfo(): Promise<string> {
  try {
    return await readFile('/proc/self/mountinfo', 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return '';
  }
}

/** The mount that a folder is on: the last one of those with the longest path (proc_pid_mountinfo(5)). */
export function mountOf(folder: string, info: string): Mount | undefined {
  let best: { readonly point: string; readonly mount: Mount } | undefined;
  for (const line of info.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , , point = '', options = ''] = before.split(' ');
    const [type = '', , superOptions = ''] = after.split(' ');
    if (type === '' || !isBelow(folder, point) || point.length < (best?.point.length ?? 0)) continue;
    best = { point, mount: { type, options: [...options.split(','), ...superOptions.split(',')] } };
  }
  return best?.mount;
}

function isBelow(folder: string, point: string): boolean {
  return point === '/' || folder === point || folder.startsWith(`${point}/`);
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(1);
}
