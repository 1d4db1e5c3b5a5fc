import { randomFillSync } from 'node:crypto';
import { ftruncateSync, closeSync, openSync, fstatSync, statfsSync, statSync } from 'node:fs';
import { open, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cancel, type Clock, systemClock } from './clock.ts';
import type { Log } from './log.ts';
import { sqliteTroubleOf } from './sqlite-trouble.ts';

/**
 * Space for the databases on a disk that other files fill to the last byte: a file that reserves it until it is
 * needed. Without it sign-ins fail, nothing is logged, footage cannot be deleted, and a database whose process
 * was killed cannot be opened. The writer threads release it chunk by chunk, `DiskReserve` reclaims it when
 * there is space.
 */
const NAME = 'reserve';

const mebibyte = 1024 * 1024;
/**
 * Enough for the write-ahead logs of both databases, 4 MB each, and for their growth until an operator frees
 * space.
 */
const fullBytes = 16 * mebibyte;
/** Upper limit, as a share of its disk. */
const diskShare = 0.1;
/** If less than this is free, a chunk of the reserve is released. */
const lowBytes = mebibyte / 2;
/** A process that is filling the disk at that moment gets one chunk, not the whole reserve. */
const pieces = 4;
/** Free space that must remain in addition before the reserve is reclaimed. */
const spareBytes = 8 * mebibyte;
const periodMs = 10_000;
const fullTries = 15;
const fullPauseMs = 200;
/** Long enough for a file system that writes its journal to a busy disk before it uses freed space again. */
const releasedMs = 10_000;

/**
 * Frees space on the disk of a folder that is about to be full. Synchronous, for writer threads and for
 * startup.
 * @param isFailed a write has just failed for lack of space, whatever the system reports as free
 * @returns whether there is more space now
 */
export function giveUpReserve(folder: string, isFailed = false): boolean {
  if (!isFailed && !isLow(folder)) return false;
  let file: number;
  try {
    file = openSync(join(folder, NAME), 'r+');
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).code !== 'string') throw error;
    // There is none, or it cannot be released: the write reports the problem.
    return false;
  }
  try {
    const { size } = fstatSync(file);
    if (size === 0) return false;
    const piece = Math.max(mebibyte, Math.ceil(size / pieces));
    ftruncateSync(file, Math.max(0, size - piece));
    noteFree(folder);
    return true;
  } finally {
    closeSync(file);
  }
}

/**
 * Runs something that writes a database, and again while the disk is full and space from the reserve appears: the file system
 * may take a while to free it, and another thread or process may use it first.
 * @throws what the last attempt throws
 */
export function withReserve<T>(folder: string, attempt: () => T, clock: Clock = systemClock): T {
  for (let tries = 1; ; tries++) {
    try {
      return attempt();
    } catch (error) {
      if (sqliteTroubleOf(error) !== 'full' || tries === fullTries) throw error;
      const isFreed = giveUpReserve(folder, true);
      if (!isFreed && !isJustReleased(folder, clock)) throw error;
      if (!isFreed || tries > 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, fullPauseMs);
    }
  }
}

/**
 * Free space after a chunk was released, by folder: if the rest is reserved for the superuser, none appears to
 * be free.
 */
const freeAfter = new Map<string, number>();

function isLow(folder: string): boolean {
  try {
    const { bavail, bfree, bsize } = statfsSync(folder);
    // The superuser may use all that is free.
    if ((process.geteuid?.() === 0 ? bfree : bavail) * bsize >= lowBytes) {
      freeAfter.delete(folder);
      return false;
    }
    return bfree * bsize < (freeAfter.get(folder) ?? Number.POSITIVE_INFINITY) - lowBytes / 2;
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).code !== 'string') throw error;
    return false;
  }
}

/** Whether any process has released a chunk within the last seconds, by the time of the file's last change. */
function isJustReleased(folder: string, clock: Clock): boolean {
  const releasedAt = statSync(join(folder, NAME), { throwIfNoEntry: false })?.mtimeMs;
  return releasedAt !== undefined && Math.abs(clock.wallMs() - releasedAt) < releasedMs;
}

function noteFree(folder: string): void {
  const { bfree, bsize } = statfsSync(folder);
  freeAfter.set(folder, bfree * bsize);
}

/** Keeps the reserve of one folder complete, as far as space allows. */
export class DiskReserve {
  readonly #folder: string;
  readonly #log: Log;
  #cancel: Cancel | undefined;
  #isWhole = true;
  #filling: Promise<void> | undefined;

  private constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  /** Allocates the space as soon as there is some, and again after it was released. */
  static async keep(folder: string, clock: Clock, log: Log): Promise<DiskReserve> {
    const reserve = new DiskReserve(folder, log);
    await reserve.fill();
    reserve.#cancel = clock.every(periodMs, () => void reserve.fill());
    return reserve;
  }

  /** Whether the reserve is complete; if not, the disk is full or was a moment ago. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Checks once; never rejects. */
  fill(): Promise<void> {
    this.#filling ??= this.#fill().finally(() => (this.#filling = undefined));
    return this.#filling;
  }

  async close(): Promise<void> {
    this.#cancel?.();
    await this.#filling;
  }

  async #fill(): Promise<void> {
    try {
      const { blocks, bsize, bavail } = await statfs(this.#folder);
      const wantedBytes = Math.min(fullBytes, Math.floor(blocks * bsize * diskShare));
      const path = join(this.#folder, NAME);
      const heldBytes = await sizeOf(path);
      const missingBytes = wantedBytes - heldBytes;
      // A disk whose size changed slightly is no reason to write.
      const isWhole = missingBytes < mebibyte;
      const hasRoom = bavail * bsize >= missingBytes + spareBytes;
      if (!isWhole && hasRoom) await append(path, heldBytes, wantedBytes);
      this.#note(isWhole || hasRoom);
    } catch (error) {
      this.#log.warn({ err: error }, 'The disk reserve for the databases could not be created');
      this.#note(false);
    }
  }

  #note(isWhole: boolean): void {
    if (isWhole === this.#isWhole) return;
    this.#isWhole = isWhole;
    const fields = { dir: this.#folder };
    if (isWhole) this.#log.info(fields, 'The disk reserve for the databases is complete again');
    else this.#log.warn(fields, 'The disk of the databases is full; they are using their reserve');
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/** Random bytes: a file system that compresses or punches out zeros would reserve nothing. */
async function append(path: string, fromBytes: number, toBytes: number): Promise<void> {
  const block = randomFillSync(Buffer.alloc(mebibyte));
  const file = await open(path, 'a', 0o600);
  try {
    for (let at = fromBytes; at < toBytes; at += block.length) {
      await file.write(block.subarray(0, Math.min(block.length, toBytes - at)));
    }
    await file.sync();
  } finally {
    await file.close();
  }
}
