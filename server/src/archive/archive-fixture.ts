import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { ErrorCode } from '@vidette/contract/errors';
import { Fault } from '../base/fault.ts';
import { silentLog } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { Archive } from './archive.ts';
import type { ArchiveOptions } from './archive-options.ts';
import { checkArchive } from './check.ts';
import type { ObjectStorageCheck } from './object-check.ts';
import { diskFiles, type ArchiveFiles, type WritableFile } from './files.ts';
import type { Finding } from './finding.ts';
import { Stream } from '../hub/stream.ts';
import { connect, footageOf, footageStartMs, type RecordedFixture } from './footage-fixture.ts';
import { catalogPath } from './layout.ts';

const run = promisify(execFile);

/** The default footage of tests: video with audio. */
const usualFootage = footageOf('h264-no-b.mp4', 'aac.mp4');

/** A folder for an archive, removed after the test. */
export async function temporaryRoot(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-archive-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'archive');
}

/** An archive on a clock that starts at the start of the footage; commits are not grouped. */
export async function openArchive(
  t: TestContext,
  dir: string,
  options: Partial<ArchiveOptions> = {},
): Promise<{ archive: Archive; clock: ManualClock }> {
  const clock = new ManualClock(footageStartMs);
  const archive = await Archive.open({
    dir,
    clock,
    log: silentLog,
    ...options,
    limits: { groupMs: 0, ...options.limits },
  });
  t.after(() => archive.close());
  return { archive, clock };
}

/** Records a span of one connection, ms since the epoch, and stops. */
export async function recordSpan(
  archive: Archive,
  uid: string,
  footage: RecordedFixture,
  fromMs: number,
  toMs: number,
): Promise<void> {
  const stream = new Stream(uid);
  const recorder = archive.record(uid, stream);
  connect(stream, footage, fromMs, toMs);
  await recorder.stop('recording-off');
}

/** An archive of spans, in ms after the start of the footage, each recorded by a connection of its own. */
export async function archiveOf(
  t: TestContext,
  spans: readonly (readonly [fromMs: number, toMs: number, footage?: RecordedFixture])[],
): Promise<{ archive: Archive; dir: string }> {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  const stream = new Stream('cam1');
  const recorder = archive.record('cam1', stream);
  for (const [fromMs, toMs, of = usualFootage] of spans) {
    connect(stream, of, footageStartMs + fromMs, footageStartMs + toMs);
    stream.pause('unreachable');
  }
  await recorder.stop('recording-off');
  return { archive, dir };
}

/** Whether an error is a fault with this code. */
export function faultOf(code: ErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof Fault && error.code === code;
}

/** Files and catalog as a killed process would leave them now. */
export async function copyAsKilled(t: TestContext, dir: string): Promise<string> {
  const copy = await temporaryRoot(t);
  await cp(dir, copy, { recursive: true });
  await copyFile(catalogPath(dir), catalogPath(copy));
  await copyFile(`${catalogPath(dir)}-wal`, `${catalogPath(copy)}-wal`);
  return copy;
}

export async function findingsOf(dir: string, remote?: ObjectStorageCheck): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const finding of checkArchive(dir, catalogPath(dir), remote)) findings.push(finding);
  return findings;
}

/** Counts the packets of each stream of a file with ffprobe, which must report no errors. */
export async function probePackets(path: string): Promise<number[]> {
  const args = [
    '-v',
    'error',
    '-count_packets',
    '-show_entries',
    'stream=nb_read_packets',
    '-of',
    'csv=p=0',
    path,
  ];
  const { stdout, stderr } = await run('ffprobe', args);
  assert.equal(stderr, '', path);
  return stdout.trim().split('\n').map(Number);
}

/** The outcome of a disk operation: undefined lets it pass, an error or a shorter count replaces its result. */
export type DiskFault = (step: DiskStep) => Error | number | undefined;

export interface DiskStep {
  readonly name:
    'create' | 'write' | 'sync' | 'truncate' | 'syncFolder' | 'makeFolder' | 'remove' | 'removeFolder';
  readonly path: string;
}

/** The real disk; records each operation and lets a test make any of them fail. */
export function watchedFiles(steps: DiskStep[], faultOf: DiskFault = () => undefined): ArchiveFiles {
  const pass = (name: DiskStep['name'], path: string): number | undefined => {
    const step = { name, path };
    const fault = faultOf(step);
    if (fault instanceof Error) throw fault;
    steps.push(step);
    return fault;
  };
  const watched = (file: WritableFile, path: string): WritableFile => ({
    async write(slices, position) {
      const short = pass('write', path);
      if (short === undefined) return file.write(slices, position);
      const taken = Buffer.concat(slices).subarray(0, short);
      return file.write([taken], position);
    },
    async sync() {
      pass('sync', path);
      await file.sync();
    },
    async truncate(bytes) {
      pass('truncate', path);
      await file.truncate(bytes);
    },
    close: () => file.close(),
  });
  return {
    async create(path) {
      pass('create', path);
      return watched(await diskFiles.create(path), path);
    },
    reopen: async (path) => watched(await diskFiles.reopen(path), path),
    async makeFolder(path) {
      pass('makeFolder', path);
      return diskFiles.makeFolder(path);
    },
    async syncFolder(path) {
      pass('syncFolder', path);
      await diskFiles.syncFolder(path);
    },
    async assertChangeable(path) {
      await diskFiles.assertChangeable(path);
    },
    async remove(path) {
      pass('remove', path);
      return diskFiles.remove(path);
    },
    async removeFolder(path) {
      pass('removeFolder', path);
      return diskFiles.removeFolder(path);
    },
  };
}

export function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
