import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isSqliteError, sqliteTroubleOf } from '../../base/sqlite-trouble.ts';
import { type CatalogReads, CatalogError, type CatalogChange } from '../catalog/catalog.ts';
import {
  catalogMs,
  catalogTicks,
  isDay,
  segmentPath,
  startMsOf,
  readSegmentContents,
  type SegmentContents,
} from '../segments/segments.ts';
import { segmentOf } from './recovery.ts';

interface AdoptionTools {
  readonly root: string;
  readonly reads: CatalogReads;
  /** Resolves once the changes are in the catalog. */
  commit(changes: readonly CatalogChange[]): Promise<void> | void;
  /** Called for each skipped file, with the reason. */
  readonly findings: string[];
  /** Whether a running recorder created the file: its rows are about to be committed. */
  readonly isBeingRecorded?: (file: { path: string; uid: string; startMs: number }) => boolean;
  readonly signal?: AbortSignal;
}

/**
 * Restores the rows of a stream's files from the files alone, oldest first; files that have rows are left as
 * they are. Files are read, never changed. A file that cannot be read is skipped and reported.
 * @throws what `commit` throws if the catalog cannot be written, as on a full disk
 */
export async function adoptFiles(tools: AdoptionTools, uid: string): Promise<void> {
  for await (const { path, startMs } of segmentFiles(tools, uid)) {
    if (tools.signal?.aborted === true) return;
    if (tools.isBeingRecorded?.({ path, uid, startMs }) === true || isKnown(tools.reads, uid, startMs))
      continue;
    const refusal = await adopt(tools, uid, path, startMs);
    if (refusal !== undefined) tools.findings.push(`${path} ${refusal}`);
  }
}

/** Whether a stream has any files, judging by names only. */
export async function hasFiles(root: string, uid: string): Promise<boolean> {
  for await (const file of segmentFiles({ root, findings: [] }, uid)) return file.path !== '';
  return false;
}

/** Why the file was skipped; undefined if it has its row. */
async function adopt(
  tools: AdoptionTools,
  uid: string,
  path: string,
  startMs: number,
): Promise<string | undefined> {
  const { root, reads } = tools;
  let contents: SegmentContents;
  try {
    contents = await readSegmentContents(path);
  } catch (error) {
    return `cannot be read: ${(error as Error).message}`;
  }
  const { startTicks } = contents;
  if (startTicks === undefined || contents.fragments.length === 0) return 'contains no complete fragment';
  const end = startTicks + contents.fragments.reduce((sum, { durationTicks }) => sum + durationTicks, 0);
  const stream = reads.stream(uid);
  if (stream && reads.segments(stream.id, startTicks, end, 1).length > 0) return 'overlaps another segment';
  if (segmentPath(root, uid, startTicks) !== path) {
    return `starts at a different time than its name says (${startMs})`;
  }
  // A file with a torn tail stays open, so that the next start of the server truncates it.
  const isWhole = contents.wholeBytes === contents.fileBytes;
  try {
    await tools.commit([
      { ...segmentOf(uid, startTicks, contents), isFound: true },
      ...(isWhole ? [{ type: 'close', uid, segmentStartTicks: startTicks } as const] : []),
    ]);
  } catch (error) {
    if (!isOfOneFile(error)) throw error;
    return `does not fit into the catalog: ${error.message}`;
  }
  return undefined;
}

/** The catalog rejected this row because of its contents, not because it cannot be written. */
function isOfOneFile(error: unknown): error is Error {
  if (error instanceof RangeError) return true;
  if (error instanceof CatalogError) return error.isRefusal;
  return isSqliteError(error) && sqliteTroubleOf(error) === undefined;
}

function isKnown(reads: CatalogReads, uid: string, startMs: number): boolean {
  const stream = reads.stream(uid);
  const row = stream && reads.segmentAtOrBefore(stream.id, catalogTicks(startMs + 1) - 1);
  return row !== undefined && catalogMs(row.startTicks) === startMs;
}

async function* segmentFiles(
  { root, findings }: Pick<AdoptionTools, 'root' | 'findings'>,
  uid: string,
): AsyncGenerator<{ path: string; startMs: number }, void, undefined> {
  for (const day of await namesOrFinding(join(root, uid), findings)) {
    const folder = join(root, uid, day);
    if (!isDay(day)) findings.push(`${folder} is not a day folder`);
    for (const name of isDay(day) ? await namesOrFinding(folder, findings) : []) {
      const startMs = startMsOf(day, name);
      if (startMs === undefined) findings.push(`${join(folder, name)} is not a segment`);
      else yield { path: join(folder, name), startMs };
    }
  }
}

async function namesOrFinding(folder: string, findings: string[]): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    findings.push(`${folder} cannot be read: ${(error as Error).message}`);
    return [];
  }
}
