import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode, type ArchiveFiles } from './files.ts';
import { isUid } from './layout.ts';

/**
 * The file in the archive's folder that proves that the right disk is mounted there. Without it, in a folder that the
 * catalog says was in use, nothing is written or deleted.
 */
export const MARKER_NAME = 'vidette-archive.json';

export type MarkerState =
  | { readonly state: 'present'; readonly archiveId: string }
  | { readonly state: 'missing' }
  /** Something else lies under that name. */
  | { readonly state: 'unreadable' };

/** @throws system errors other than that nothing is there. */
export async function readMarker(root: string): Promise<MarkerState> {
  let text: string;
  try {
    text = await readFile(join(root, MARKER_NAME), 'utf8');
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return { state: 'missing' };
    throw error;
  }
  const archiveId = archiveIdIn(text);
  return archiveId === undefined ? { state: 'unreadable' } : { state: 'present', archiveId };
}

export async function writeMarker(files: ArchiveFiles, root: string, archiveId: string): Promise<void> {
  const file = await files.create(join(root, MARKER_NAME));
  try {
    const bytes = markerBytes(archiveId);
    if ((await file.write([bytes], 0)) !== bytes.length) throw new Error('the marker was written short');
    await file.sync();
  } finally {
    await file.close();
  }
  await files.syncFolder(root);
}

/** What a marker holds, on a disk and in a bucket. */
export function markerBytes(archiveId: string): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ product: 'vidette', archiveId })}\n`);
}

/** The uids whose folders lie in the archive. */
export async function listStreamFolders(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && isUid(entry.name)).map((entry) => entry.name);
}

/** Undefined when the text is no marker. */
export function archiveIdIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const id = (value as { archiveId?: unknown } | null)?.archiveId;
    return typeof id === 'string' && id.length > 0 ? id : undefined;
  } catch (error) {
    // Not JSON is one of the answers, not a failure.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
