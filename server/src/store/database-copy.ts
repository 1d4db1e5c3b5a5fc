import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Clock, delay } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';

/** The log and the journal of a transaction that was not finished. */
const suffixes = ['', '-journal', '-wal'];
/** A program writes the database itself now and then, when its log has become long. */
const triesMax = 20;
/** A file system dates changes in steps of up to this. */
const settledMs = 50;
const pauseMs = 250;

/**
 * Opens a copy of another program's SQLite database, as it is on the disk. That program may be running, and may have locked it:
 * no lock is taken, and nothing is written beside it, as even a reader would do. The copy is in the folder for temporary files,
 * and is gone when it is closed, or this process ends.
 * @throws Fault if it is changed all the time; system errors; what SQLite throws if it is none
 */
export async function openDatabaseCopy(file: string, clock: Clock): Promise<DatabaseSync> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-copy-'));
  try {
    const path = join(folder, 'db');
    await copyUnchanged(file, path, clock);
    const database = new DatabaseSync(path);
    try {
      // Brings what is only in the log into the file, of which then no other is needed.
      database.exec('PRAGMA journal_mode = DELETE; PRAGMA query_only = ON');
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  } finally {
    // An open file stays readable.
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * What is appended to the log meanwhile may be copied in part, which its checksums show. Only the file itself must stay as it is
 * until the log is copied.
 */
async function copyUnchanged(file: string, to: string, clock: Clock): Promise<void> {
  for (let tries = 1; ; tries++) {
    const before = await stateOf(file);
    // A change may follow in the same step.
    if (Math.abs(clock.wallMs() - Number(before.changedNs / 1_000_000n)) >= settledMs) {
      for (const suffix of suffixes) await copyIfThere(`${file}${suffix}`, `${to}${suffix}`);
      const after = await stateOf(file);
      if (after.changedNs === before.changedNs && after.bytes === before.bytes) return;
    }
    if (tries === triesMax)
      throw new Fault('Unavailable', 'It changes all the time: stop the program that writes it.');
    await delay(clock, pauseMs);
  }
}

async function stateOf(file: string): Promise<{ changedNs: bigint; bytes: bigint }> {
  const { mtimeNs, size } = await stat(file, { bigint: true });
  return { changedNs: mtimeNs, bytes: size };
}

async function copyIfThere(from: string, to: string): Promise<void> {
  await rm(to, { force: true });
  try {
    await copyFile(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw error;
  }
}
