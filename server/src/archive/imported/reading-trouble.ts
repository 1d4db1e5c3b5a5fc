import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../segments/segments.ts';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user has no permission to read it',
  EPERM: 'this user has no permission to read it',
  ENOENT: 'it was deleted while the command ran',
  EIO: 'the disk fails to read it',
  ELOOP: 'it is a symbolic link',
  EXDEV: 'it is not in the folder of all recordings',
  EISDIR: 'it is not a file',
};

/** Why a file or a folder can't be read, for the report. */
export function unreadableReason(code: string): string {
  return Object.hasOwn(reasons, code) ? (reasons[code] ?? '') : `it can't be read (${code})`;
}

/**
 * Whether the recordings that were in a folder are deleted, since a listing did not find them. They are not where this user can't
 * look, or where a disk is not mounted: the folder of all recordings is then missing or empty.
 * @param folder below the root, with slashes
 */
export async function areDeleted(root: string, folder: string): Promise<boolean> {
  if (!(await hasEntries(root))) return false;
  const parts = folder === '' ? [] : folder.split('/');
  for (let depth = 1; depth <= parts.length; depth++) {
    try {
      await (await opendir(join(root, ...parts.slice(0, depth)))).close();
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      return code === 'ENOENT' || code === 'ENOTDIR';
    }
  }
  return true;
}

/** Whether there is something in a folder. An empty one may be the place of a disk that is not mounted. */
export async function hasEntries(root: string): Promise<boolean> {
  try {
    const folder = await opendir(root);
    const first = await folder.read();
    await folder.close();
    return first !== null;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return false;
  }
}
