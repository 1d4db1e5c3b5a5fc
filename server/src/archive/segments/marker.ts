import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../base/durable.ts';
import { systemCode } from './system-code.ts';
import { archiveFileMode, isUid } from './layout.ts';

/**
 * The file in the archive's folder that proves that the right disk is mounted. Without it, nothing is written
 * or deleted in a folder that, according to the catalog, was in use.
 */
export const MARKER_NAME = 'vidette-archive.json';
/** Locked by the one server that writes in the folder (see catalog-lock.ts). */
export const FOLDER_LOCK_NAME = 'vidette-archive.lock';

export type MarkerState =
  | { readonly state: 'present'; readonly archiveId: string }
  | { readonly state: 'missing' }
  /** The file exists with other contents: truncated by a power failure, or overwritten. */
  | { readonly state: 'torn' }
  /** The system cannot read it: `EIO`, `EACCES`, ... */
  | { readonly state: 'unreadable'; readonly code: string };

export async function readMarker(root: string): Promise<MarkerState> {
  let text: string;
  try {
    text = await readFile(join(root, MARKER_NAME), 'utf8');
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return code === 'ENOENT' || code === 'ENOTDIR' ? { state: 'missing' } : { state: 'unreadable', code };
  }
  const archiveId = archiveIdIn(text);
  return archiveId === undefined ? { state: 'torn' } : { state: 'present', archiveId };
}

/**
 * Writes the marker atomically: a torn one after a power failure would make the archive unrecognisable for
 * good. @throws system errors
 */
export function writeMarker(root: string, archiveId: string): Promise<void> {
  return replaceFile(join(root, MARKER_NAME), markerBytes(archiveId), archiveFileMode);
}

/** The contents of a marker, on a disk or in a bucket. */
export function markerBytes(archiveId: string): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ product: 'vidette', archiveId })}\n`);
}

/** The uids of the streams that have folders in the archive. */
export async function listStreamFolders(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && isUid(entry.name)).map((entry) => entry.name);
}

/** Undefined if the text is not a marker. */
export function archiveIdIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const id = (value as { archiveId?: unknown } | null)?.archiveId;
    return typeof id === 'string' && id.length > 0 ? id : undefined;
  } catch (error) {
    // Text that isn't JSON is an expected case, not an error.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
